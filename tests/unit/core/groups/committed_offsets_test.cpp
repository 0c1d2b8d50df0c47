#include "core/groups/committed_offsets.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace pystream;
using namespace pystream::groups;
using base::errc;
using base::offset;
using base::partition_index;

namespace {

const base::topic_id orders = *base::topic_id::from_hex(std::string(32, 'a'));
const base::topic_id payments = *base::topic_id::from_hex(std::string(32, 'b'));
constexpr std::int64_t now_ms = 1'764'400'000'000;

commit_entry entry(std::int64_t at, int partition = 0, const base::topic_id& topic = orders, std::int64_t high_watermark = 100)
{
    return {topic, partition_index{partition}, offset{at}, std::nullopt, offset{high_watermark}};
}

offset_key key(const std::string& group, int partition = 0, const base::topic_id& topic = orders)
{
    return {group, topic, partition_index{partition}};
}

std::optional<std::int64_t> stored(const committed_offsets& machine, const offset_key& at)
{
    const auto found = machine.find(at);
    return found ? std::optional{found->offset.value()} : std::nullopt;
}

// Prepares, and the write succeeds.
void commit(committed_offsets& machine, const std::string& group, std::vector<commit_entry> entries, bool reset = false)
{
    const auto prepared = machine.prepare_commit(group, entries, reset, now_ms);
    BOOST_REQUIRE(prepared);
    machine.applied(prepared->ticket);
}

void refuses(const base::result<committed_offsets::prepared>& prepared, errc code, const std::string& pointer)
{
    BOOST_REQUIRE(!prepared);
    BOOST_TEST((prepared.error().code == code), base::to_string(prepared.error().code));
    BOOST_REQUIRE(prepared.error().fields.size() == 1u);
    BOOST_TEST(prepared.error().fields[0].pointer == pointer);
    BOOST_TEST(!prepared.error().detail.empty());
}

void replay_all(committed_offsets& machine, const std::vector<offset_record>& log)
{
    for (const offset_record& record : log) {
        const auto value = record.value ? std::optional<std::string_view>{*record.value} : std::nullopt;
        BOOST_REQUIRE(machine.replay(record.key, value));
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(committed_offsets_machine)

BOOST_AUTO_TEST_CASE(never_committed_is_not_zero)
{
    committed_offsets machine;
    BOOST_TEST(!machine.find(key("g")).has_value());
    commit(machine, "g", {entry(0)});
    BOOST_TEST((stored(machine, key("g")) == 0));
    BOOST_TEST(!machine.find(key("g", 1)).has_value());
}

BOOST_AUTO_TEST_CASE(visible_only_when_applied)
{
    committed_offsets machine;
    const auto prepared = machine.prepare_commit("g", {entry(5), entry(7, 1)}, false, now_ms);
    BOOST_REQUIRE(prepared);
    BOOST_TEST(prepared->records.size() == 2u);
    BOOST_TEST(!machine.has_group("g"));
    BOOST_TEST(machine.of_group("g").empty());
    BOOST_TEST(machine.group_names().empty());
    machine.applied(prepared->ticket);
    BOOST_TEST((stored(machine, key("g")) == 5));
    BOOST_TEST((stored(machine, key("g", 1)) == 7));
    BOOST_TEST(machine.find(key("g"))->committed_ms == now_ms);
}

BOOST_AUTO_TEST_CASE(bounds_of_an_offset_are_zero_and_the_high_watermark)  // never past the end, also with reset
{
    committed_offsets machine;
    for (const bool reset : {false, true}) {
        refuses(machine.prepare_commit("g", {entry(0), entry(-1, 1)}, reset, now_ms), errc::invalid_field, "/offsets/1/offset");
        refuses(machine.prepare_commit("g", {entry(101)}, reset, now_ms), errc::invalid_field, "/offsets/0/offset");
    }
    commit(machine, "g", {entry(100), entry(0, 1, orders, 0)});
    BOOST_TEST((stored(machine, key("g")) == 100));
}

BOOST_AUTO_TEST_CASE(a_lower_offset_needs_reset)  // C026
{
    committed_offsets machine;
    commit(machine, "g", {entry(10), entry(20, 1)});
    const auto refused = machine.prepare_commit("g", {entry(10), entry(19, 1)}, false, now_ms);
    refuses(refused, errc::offset_regression, "/offsets/1/offset");
    BOOST_TEST((refused.error().expected == 20));
    BOOST_TEST((refused.error().actual == 19));
    BOOST_TEST((stored(machine, key("g", 1)) == 20));

    commit(machine, "g", {entry(3, 1)}, true);
    BOOST_TEST((stored(machine, key("g", 1)) == 3));
    commit(machine, "g", {entry(4, 1)});
    BOOST_TEST((stored(machine, key("g", 1)) == 4));
}

BOOST_AUTO_TEST_CASE(the_same_offset_again_is_fine_and_replaces_the_metadata)
{
    committed_offsets machine;
    commit_entry noted = entry(10);
    noted.metadata = "host-1";
    commit(machine, "g", {noted});
    BOOST_TEST((machine.find(key("g"))->metadata == "host-1"));
    commit(machine, "g", {entry(10)});
    BOOST_TEST(!machine.find(key("g"))->metadata.has_value());
}

BOOST_AUTO_TEST_CASE(pending_commits_count_in_the_check)
{
    committed_offsets machine;
    commit(machine, "g", {entry(10)});
    const auto pending = machine.prepare_commit("g", {entry(30)}, false, now_ms);
    const auto refused = machine.prepare_commit("g", {entry(20)}, false, now_ms);
    refuses(refused, errc::offset_regression, "/offsets/0/offset");
    BOOST_TEST((refused.error().expected == 30));
    BOOST_TEST(machine.prepare_commit("other", {entry(20)}, false, now_ms).has_value());
    machine.failed(pending->ticket);
    BOOST_TEST(machine.prepare_commit("g", {entry(20)}, false, now_ms).has_value());
}

BOOST_AUTO_TEST_CASE(a_late_commit_from_before_a_pending_rewind_is_measured_against_the_rewind)  // C026
{
    committed_offsets machine;
    commit(machine, "g", {entry(10)});
    const auto rewind = machine.prepare_commit("g", {entry(2)}, true, now_ms);
    const auto lower = machine.prepare_commit("g", {entry(5)}, false, now_ms);
    BOOST_REQUIRE(lower);
    machine.applied(rewind->ticket);
    BOOST_TEST((stored(machine, key("g")) == 2));
    machine.applied(lower->ticket);
    BOOST_TEST((stored(machine, key("g")) == 5));
}

BOOST_AUTO_TEST_CASE(a_failure_leaves_the_others_as_they_are)
{
    committed_offsets machine;
    const auto first = machine.prepare_commit("g", {entry(1), entry(1, 1)}, false, now_ms);
    const auto second = machine.prepare_commit("g", {entry(2)}, false, now_ms);
    const auto third = machine.prepare_commit("g", {entry(3), entry(3, 2)}, false, now_ms);
    machine.failed(second->ticket);
    refuses(machine.prepare_commit("g", {entry(2)}, false, now_ms), errc::offset_regression, "/offsets/0/offset");
    machine.applied(first->ticket);
    BOOST_TEST((stored(machine, key("g")) == 1));
    machine.failed(third->ticket);
    BOOST_TEST((stored(machine, key("g")) == 1));
    BOOST_TEST((stored(machine, key("g", 1)) == 1));
    BOOST_TEST(!machine.find(key("g", 2)).has_value());
    BOOST_TEST(machine.prepare_commit("g", {entry(1)}, false, now_ms).has_value());
}

BOOST_AUTO_TEST_CASE(one_bad_entry_stages_nothing)
{
    committed_offsets machine;
    refuses(machine.prepare_commit("g", {entry(50), entry(101, 1)}, false, now_ms), errc::invalid_field, "/offsets/1/offset");
    commit(machine, "g", {entry(1)});  // 50 was not staged
    BOOST_TEST((stored(machine, key("g")) == 1));
    refuses(machine.prepare_commit("g", {entry(5), entry(6, 0, payments), entry(6)}, false, now_ms), errc::invalid_field,
            "/offsets/2/partition");
}

BOOST_AUTO_TEST_CASE(requests_are_bounded)
{
    committed_offsets machine;
    refuses(machine.prepare_commit("g", {}, false, now_ms), errc::invalid_field, "/offsets");
    std::vector<commit_entry> entries;
    for (int p = 0; p < 1'000; ++p) entries.push_back(entry(1, p));
    BOOST_TEST(machine.prepare_commit("g", entries, false, now_ms).has_value());
    entries.push_back(entry(1, 1'000));
    refuses(machine.prepare_commit("g", entries, false, now_ms), errc::invalid_field, "/offsets");
    commit_entry noted = entry(1);
    noted.metadata = std::string(4'096, 'm');
    BOOST_TEST(machine.prepare_commit("h", {noted}, false, now_ms).has_value());
    noted.metadata->push_back('m');
    refuses(machine.prepare_commit("h", {noted}, false, now_ms), errc::invalid_field, "/offsets/0/metadata");
}

BOOST_AUTO_TEST_CASE(groups_and_topics_do_not_share_state)  // C044, C080
{
    committed_offsets machine;
    int at = 1;
    for (const std::string group : {"g", "G", "g-1", "g.1", "g_1", "g1"}) commit(machine, group, {entry(at++)});
    commit(machine, "g", {entry(50, 0, payments)});
    at = 1;
    for (const std::string group : {"g", "G", "g-1", "g.1", "g_1", "g1"}) BOOST_TEST((stored(machine, key(group)) == at++));
    BOOST_TEST(machine.group_names() == (std::vector<std::string>{"G", "g", "g-1", "g.1", "g1", "g_1"}),
               boost::test_tools::per_element());
    BOOST_TEST(machine.of_group("g").size() == 2u);
    BOOST_TEST(machine.of_group("g-").empty());
    BOOST_TEST(!machine.has_group(""));
}

BOOST_AUTO_TEST_CASE(a_recreated_topic_starts_without_offsets)  // its id is new
{
    committed_offsets machine;
    commit(machine, "g", {entry(42)});
    BOOST_TEST(!machine.find(key("g", 0, payments)).has_value());
    commit(machine, "g", {entry(1, 0, payments)});
    BOOST_TEST((stored(machine, key("g", 0, payments)) == 1));
}

BOOST_AUTO_TEST_CASE(deleting_a_group_forgets_all_of_it)
{
    committed_offsets machine;
    commit(machine, "g", {entry(5), entry(6, 1), entry(7, 0, payments)});
    commit(machine, "h", {entry(8)});
    const auto prepared = machine.prepare_delete("g");
    BOOST_REQUIRE(prepared);
    BOOST_TEST(prepared->records.size() == 3u);
    for (const offset_record& record : prepared->records) BOOST_TEST(!record.value.has_value());
    BOOST_TEST(machine.has_group("g"));
    BOOST_TEST(machine.prepare_commit("g", {entry(1)}, false, now_ms).has_value());  // behind the delete: a new start
    machine.applied(prepared->ticket);
    BOOST_TEST(!machine.has_group("g"));
    BOOST_TEST((stored(machine, key("h")) == 8));
}

BOOST_AUTO_TEST_CASE(deleting_covers_commits_in_flight_and_never_answers_from_a_pending_delete)
{
    committed_offsets machine;
    const auto none = machine.prepare_delete("g");
    BOOST_REQUIRE(!none);
    BOOST_TEST((none.error().code == errc::group_not_found));

    const auto commit_in_flight = machine.prepare_commit("g", {entry(5)}, false, now_ms);
    const auto first = machine.prepare_delete("g");
    const auto second = machine.prepare_delete("g");
    BOOST_REQUIRE(first);
    BOOST_REQUIRE(second);  // the first may still fail
    BOOST_TEST(second->records.size() == 1u);
    machine.applied(commit_in_flight->ticket);
    machine.failed(first->ticket);
    BOOST_TEST(machine.has_group("g"));
    machine.applied(second->ticket);
    BOOST_TEST(!machine.has_group("g"));
    BOOST_TEST(!machine.prepare_delete("g").has_value());
}

BOOST_AUTO_TEST_CASE(replaying_the_records_gives_the_same_state)  // C044: survives a restart
{
    committed_offsets before;
    std::vector<offset_record> log;
    const auto write = [&](base::result<committed_offsets::prepared> prepared) {
        BOOST_REQUIRE(prepared);
        log.insert(log.end(), prepared->records.begin(), prepared->records.end());
        before.applied(prepared->ticket);
    };
    commit_entry noted = entry(42);
    noted.metadata = "";
    write(before.prepare_commit("g", {noted, entry(7, 3)}, false, now_ms));
    write(before.prepare_commit("gone", {entry(1)}, false, now_ms));
    write(before.prepare_commit("g", {entry(1)}, true, now_ms + 1));
    write(before.prepare_delete("gone"));

    committed_offsets after;
    replay_all(after, log);
    BOOST_TEST((after.of_group("g") == before.of_group("g")));
    BOOST_TEST(after.group_names() == (std::vector<std::string>{"g"}), boost::test_tools::per_element());
    refuses(after.prepare_commit("g", {entry(0)}, false, now_ms), errc::offset_regression, "/offsets/0/offset");
}

BOOST_AUTO_TEST_CASE(replay_refuses_what_it_cannot_read_and_keeps_the_rest)
{
    committed_offsets machine;
    commit(machine, "g", {entry(5)});
    const auto pending = machine.prepare_commit("g", {entry(6)}, false, now_ms);
    const auto& record = pending->records.at(0);
    for (const auto& [bad_key, bad_value] :
         {std::pair{std::string{"x"}, *record.value}, std::pair{record.key, std::string{}}}) {
        const auto replayed = machine.replay(bad_key, bad_value);
        BOOST_REQUIRE(!replayed);
        BOOST_TEST((replayed.error().code == errc::corrupt_record));
        BOOST_TEST(!replayed.error().internal.empty());
    }
    BOOST_TEST(!machine.replay("x", std::nullopt).has_value());
    BOOST_TEST((stored(machine, key("g")) == 5));
    BOOST_TEST(committed_offsets{}.replay(record.key, std::nullopt).has_value());  // a tombstone of something unknown
}

BOOST_AUTO_TEST_SUITE_END()
