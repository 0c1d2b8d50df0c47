#include "core/cluster/metadata_store.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <string>

using namespace pystream;
using namespace pystream::cluster;

namespace {

loaded_rows sample()
{
    return {7, {{"a", 1, R"({"n":1})"}, {"b/\"q\"", 7, R"({"n":{"x":[1,2,null]},"s":"ü"})"}, {"c", 3, "{}"}}};
}

bool same(const loaded_rows& a, const loaded_rows& b)
{
    return a.revision == b.revision &&
           std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), [](const row& x, const row& y) {
               return x.key == y.key && x.revision == y.revision && x.value == y.value;
           });
}

void refuses_file(const std::string& content, const std::string& reason)
{
    const auto decoded = decode_metadata_file(content);
    BOOST_REQUIRE_MESSAGE(!decoded, "accepted: " << content);
    BOOST_TEST((decoded.error().code == base::errc::corrupt_metadata));
    BOOST_TEST(decoded.error().internal.find(reason) != std::string::npos, decoded.error().internal << " lacks: " << reason);
}

std::string file_of(const std::string& rows)
{
    return R"({"version":1,"revision":5,"rows":[)" + rows + "]}";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(metadata_file)

BOOST_AUTO_TEST_CASE(one_row_a_line)  // docs/metadata.md shows this form
{
    BOOST_TEST(encode_metadata_file({2, {{"a", 1, R"({"n":1})"}, {"b", 2, "{}"}}}) ==
               "{\"version\":1,\"revision\":2,\"rows\":[\n"
               "{\"key\":\"a\",\"revision\":1,\"value\":{\"n\":1}},\n"
               "{\"key\":\"b\",\"revision\":2,\"value\":{}}\n"
               "]}\n");
}

BOOST_AUTO_TEST_CASE(what_was_encoded_comes_back)
{
    for (const loaded_rows& rows : {sample(), loaded_rows{}, loaded_rows{base::json_integer_max, {}}}) {
        const auto decoded = decode_metadata_file(encode_metadata_file(rows));
        BOOST_REQUIRE_MESSAGE(decoded, decoded.error().internal);
        BOOST_TEST(same(*decoded, rows));
    }
}

BOOST_AUTO_TEST_CASE(a_file_changed_by_hand_may_be_laid_out_freely)
{
    const auto decoded = decode_metadata_file(
        "{ \"rows\" : [ {\"value\":{ \"n\" : 1 },\"key\":\"a\",\n\"revision\":1} ],\"revision\":5,\"version\":1 }\n\n");
    BOOST_REQUIRE(decoded);
    BOOST_TEST(same(*decoded, {5, {{"a", 1, R"({"n":1})"}}}));
}

BOOST_AUTO_TEST_CASE(empty_and_cut_files_are_damage_at_every_length)
{
    const std::string whole = encode_metadata_file(sample());
    for (std::size_t length = 0; length < whole.size() - 1; ++length)  // without the last newline it is still whole
        refuses_file(whole.substr(0, length), "not JSON");
    refuses_file(std::string(4096, '\0'), "not JSON");
    refuses_file(whole + whole, "not JSON");
}

BOOST_AUTO_TEST_CASE(only_version_1)
{
    for (const std::string version : {"0", "2", "\"1\"", "null"})
        refuses_file("{\"version\":" + version + R"(,"revision":5,"rows":[]})", "\"version\"");
    refuses_file(R"({"version":1.0,"revision":5,"rows":[]})", "no integer");
    refuses_file(R"({"revision":5,"rows":[]})", "\"version\" is missing");
    refuses_file(R"({"version":1,"revision":5,"rows":[],"more":1})", "unknown name \"more\"");
    refuses_file(R"({"version":1,"revision":5,"rows":[],"revision":5})", "stands twice");
    refuses_file(R"({"version":1,"revision":-1,"rows":[]})", "\"revision\"");
    refuses_file(R"({"version":1,"revision":5,"rows":{}})", "\"rows\" is not an array");
    refuses_file("[]", "not an object");
}

BOOST_AUTO_TEST_CASE(rows_are_checked_one_by_one)
{
    const std::string good = R"({"key":"a","revision":1,"value":{}})";
    BOOST_TEST(decode_metadata_file(file_of(good)).has_value());
    refuses_file(file_of(good + "," + good), "not in key order, or stands twice");
    refuses_file(file_of(R"({"key":"b","revision":1,"value":{}},)" + good), "not in key order, or stands twice");
    refuses_file(file_of(good + R"(,{"key":"b","revision":6,"value":{}})"), "row number 2");  // from the future
    for (const std::string bad : {R"(1)", R"({"key":"a","revision":0,"value":{}})", R"({"key":"","revision":1,"value":{}})",
                                  R"({"key":"a","revision":1,"value":[]})", R"({"key":"a","revision":1})",
                                  R"({"key":"a","revision":1,"value":{},"x":0})", R"({"key":1,"revision":1,"value":{}})"})
        refuses_file(file_of(bad), "row number 1");
    refuses_file(file_of(R"({"key":"a","revision":1,"value":{"n":1,"n":2}})"), "stands twice");
    refuses_file(file_of(R"({"key":"a","revision":1,"value":{"n":1e400}})"), "no integer");  // would come out as Infinity
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(metadata_changes)

BOOST_AUTO_TEST_CASE(puts_changes_and_removals_apply_together)
{
    const auto changed =
        apply_changes(sample(), {{"c", 3, std::nullopt}, {"a", 1, R"({"n":2})"}, {"bb", 0, R"({"new":true})"}});
    BOOST_REQUIRE(changed);
    loaded_rows wanted = sample();
    wanted.revision = 8;
    wanted.rows[0] = {"a", 8, R"({"n":2})"};
    wanted.rows[2] = {"bb", 8, R"({"new":true})"};
    BOOST_TEST(same(*changed, wanted));
}

BOOST_AUTO_TEST_CASE(one_wrong_revision_refuses_all)
{
    const row_change good{"a", 1, R"({"n":2})"};
    for (const row_change& bad : {row_change{"c", 2, "{}"}, row_change{"c", 0, "{}"}, row_change{"c", 4, std::nullopt},
                                  row_change{"new", 1, "{}"}, row_change{"new", 7, std::nullopt}})
        for (const auto& changes : {std::vector{good, bad}, std::vector{bad, good}})
            BOOST_TEST(!apply_changes(sample(), changes).has_value(), bad.key << " at " << bad.expected_revision);
}

BOOST_AUTO_TEST_CASE(a_removal_of_nothing_is_a_guard)
{
    const auto changed = apply_changes(sample(), {{"new", 0, std::nullopt}});
    BOOST_REQUIRE(changed);
    BOOST_TEST(changed->rows.size() == 3u);
    BOOST_TEST(!apply_changes(sample(), {{"a", 0, std::nullopt}}).has_value());
}

BOOST_AUTO_TEST_CASE(what_could_not_be_read_back_is_not_taken)
{
    for (const std::string value : {"", "1", "[]", "{", "{\"a\":1,\"a\":2}", "{\"a\":1.5}", "{}x"})
        BOOST_TEST(!apply_changes(sample(), {{"a", 1, value}}).has_value(), value);
    BOOST_TEST(!apply_changes(sample(), {{"", 0, "{}"}}).has_value());
    BOOST_TEST(!apply_changes(sample(), {{std::string(513, 'k'), 0, "{}"}}).has_value());
    BOOST_TEST(!apply_changes(sample(), {{"x", 0, "{}"}, {"x", 0, "{}"}}).has_value());
}

// Random transactions against a map, with a trip through the file now and then.
BOOST_AUTO_TEST_CASE(agrees_with_a_naive_model)
{
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 random{seed};
        std::map<std::string, std::pair<std::int64_t, std::string>> model;
        loaded_rows rows;
        for (int step = 0; step < 100; ++step) {
            std::vector<row_change> changes;
            auto next = model;
            bool valid = true;
            for (unsigned n = random() % 4; n > 0; --n) {
                const std::string key = "k" + std::to_string(random() % 12);
                const bool twice =
                    std::any_of(changes.begin(), changes.end(), [&](const row_change& c) { return c.key == key; });
                if (twice) continue;
                const auto at = model.find(key);
                const bool wrong = random() % 8 == 0;
                row_change change{key, (at == model.end() ? 0 : at->second.first) + (wrong ? 1 : 0), std::nullopt};
                if (random() % 3 != 0) change.value = "{\"n\":" + std::to_string(random() % 100) + "}";
                valid = valid && !wrong;
                next.erase(key);
                if (change.value) next[key] = {rows.revision + 1, *change.value};
                changes.push_back(change);
            }
            auto changed = apply_changes(rows, changes);
            BOOST_REQUIRE_MESSAGE(changed.has_value() == valid, "seed " << seed << " step " << step);
            if (!valid) continue;
            model = next;
            rows = step % 10 == 0 ? *decode_metadata_file(encode_metadata_file(*changed)) : *changed;
            loaded_rows wanted{rows.revision, {}};
            for (const auto& [key, value] : model) wanted.rows.push_back({key, value.first, value.second});
            BOOST_REQUIRE_MESSAGE(same(rows, wanted), "seed " << seed << " step " << step);
        }
    }
}

BOOST_AUTO_TEST_CASE(ten_thousand_partitions_in_linear_time)
{
    const base::topic_id topic = *base::topic_id::from_hex(std::string(32, 'e'));
    std::vector<row_change> changes;
    for (int p = 0; p < 10'000; ++p)
        changes.push_back({partition_key(topic, base::partition_index{p}), 0,
                           encode(partition_row{topic,
                                                base::partition_index{p},
                                                {base::broker_id{1}},
                                                base::broker_id{1},
                                                base::leader_epoch{1},
                                                {base::broker_id{1}}})});
    const auto begin = std::chrono::steady_clock::now();
    const auto changed = apply_changes({}, changes);
    const auto applied = std::chrono::steady_clock::now();
    BOOST_REQUIRE(changed);
    const std::string file = encode_metadata_file(*changed);
    const auto encoded = std::chrono::steady_clock::now();
    const auto decoded = decode_metadata_file(file);
    const auto end = std::chrono::steady_clock::now();
    BOOST_REQUIRE(decoded);
    BOOST_TEST(same(*decoded, *changed));
    const auto us = [](auto d) { return std::chrono::duration_cast<std::chrono::microseconds>(d).count(); };
    BOOST_TEST_MESSAGE("10,000 rows, " << file.size() << " bytes: applied in " << us(applied - begin) << " us, encoded in "
                                       << us(encoded - applied) << " us, decoded in " << us(end - encoded) << " us");
    BOOST_TEST(us(end - begin) < 5'000'000);  // only against quadratic work
}

BOOST_AUTO_TEST_SUITE_END()
