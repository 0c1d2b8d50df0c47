#include <boost/test/unit_test.hpp>

#include <future>
#include <memory>

#include "tests/support/api_fixture.hpp"

namespace pystream::api {
namespace {

using namespace tests;

BOOST_FIXTURE_TEST_SUITE(groups_test, api_fixture)

BOOST_AUTO_TEST_CASE(c024_c026_c044_committed_offsets)
{
    create("t", 2);
    BOOST_REQUIRE(post("/api/topics/t/partitions/0/records", R"({"records":[{"value":1},{"value":2},{"value":3}]})").status ==
                  201u);
    const auto commit = [this](std::string group, std::string offset, std::string more = "") {
        return post("/api/groups/" + group + "/offsets",
                    R"({"offsets":[{"topic":"t","partition":0,"offset":)" + offset + "}]" + more + "}");
    };
    const auto never = body_of(get("/api/groups/g/offsets?topic=t")).at("offsets").as_array();
    BOOST_TEST(never.size() == 2u);
    BOOST_TEST(never.at(0).at("offset").is_null());
    BOOST_TEST(never.at(0).at("lag").as_int64() == 3);
    BOOST_TEST(body_of(commit("g", "2")).at("offsets").at(0).at("lag").as_int64() == 1);
    BOOST_TEST(code_of(commit("g", "1")) == "offset_regression");
    BOOST_TEST(code_of(commit("g", "4")) == "invalid_field");
    BOOST_TEST(code_of(commit("g", "-1")) == "invalid_field");
    BOOST_TEST(body_of(commit("g", "1", R"(,"reset":true)")).at("offsets").at(0).at("offset").as_int64() == 1);
    BOOST_TEST(body_of(commit("g", "3")).at("offsets").at(0).at("lag").as_int64() == 0);
    BOOST_TEST(commit("G", "0").status == 200u);
    BOOST_TEST(body_of(get("/api/groups")).at("items").as_array().size() == 2u);
    BOOST_TEST(body_of(get("/api/groups/g")).at("offsets").at(0).at("offset").as_int64() == 3);
    BOOST_TEST(body_of(get("/api/groups/G")).at("offsets").at(0).at("offset").as_int64() == 0);
    BOOST_TEST(code_of(get("/api/groups/g%2F1")) == "invalid_field");
    BOOST_TEST(run({method::del, "/api/groups/g", "", {}}).status == 204u);
    BOOST_TEST(code_of(get("/api/groups/g")) == "group_not_found");
    BOOST_TEST(code_of(run({method::del, "/api/groups/g", "", {}})) == "group_not_found");
}

BOOST_AUTO_TEST_CASE(bad_commits_name_the_field)
{
    create("t");
    const std::pair<std::string_view, std::string_view> bad[] = {
        {R"({})", "/offsets"},
        {R"({"offsets":[]})", "/offsets"},
        {R"({"offsets":{}})", "/offsets"},
        {R"({"offsets":[1]})", "/offsets/0"},
        {R"({"offsets":[{"partition":0,"offset":0}]})", "/offsets/0/topic"},
        {R"({"offsets":[{"topic":"t","offset":0}]})", "/offsets/0/partition"},
        {R"({"offsets":[{"topic":"t","partition":0}]})", "/offsets/0/offset"},
        {R"({"offsets":[{"topic":"t","partition":0,"offset":0.0}]})", "/offsets/0/offset"},
        {R"({"offsets":[{"topic":"t","partition":0,"offset":0,"metadata":1}]})", "/offsets/0/metadata"},
        {R"({"offsets":[{"topic":"t","partition":0,"offset":0,"x":1}]})", "/offsets/0/x"},
        {R"({"offsets":[{"topic":"t","partition":0,"offset":0}],"reset":1})", "/reset"},
        {R"({"offsets":[{"topic":"t","partition":0,"offset":0}],"member_id":"m-1"})", "/member_id"},
        {R"({"offsets":[{"topic":"t","partition":0,"offset":0}],"generation":4})", "/generation"},
    };
    for (const auto& [body, pointer] : bad) {
        const auto answer = post("/api/groups/g/offsets", std::string{body});
        BOOST_TEST(answer.status == 422u, body);
        BOOST_TEST(pointer_of(answer) == pointer, body);
    }
    BOOST_TEST(body_of(get("/api/groups")).at("items").as_array().empty());
}

BOOST_AUTO_TEST_CASE(a_topic_is_asked_for_once)
{
    create("t", 2);
    create("u", 1);
    BOOST_TEST(body_of(get("/api/groups/g/offsets?topic=t&topic=u")).at("offsets").as_array().size() == 3u);
    const auto twice = get("/api/groups/g/offsets?topic=t&topic=u&topic=t");
    BOOST_TEST(code_of(twice) == "invalid_field");
    BOOST_TEST(pointer_of(twice) == "topic");
    BOOST_TEST(code_of(get("/api/groups/g/offsets?topic=t&topic=absent")) == "topic_not_found");
}

BOOST_AUTO_TEST_CASE(one_request_reads_a_bounded_number_of_offsets)
{
    BOOST_TEST(api_options{}.partitions_asked_max == 10'000);
    api_options options;
    options.partitions_asked_max = 3;
    remake(options);
    create("t", 2);
    create("u", 1);
    create("v", 1);
    BOOST_TEST(body_of(get("/api/groups/g/offsets?topic=t&topic=u")).at("offsets").as_array().size() == 3u);
    const auto refused = get("/api/groups/g/offsets?topic=t&topic=u&topic=v");
    BOOST_TEST(code_of(refused) == "invalid_field");
    BOOST_TEST(pointer_of(refused) == "topic");
    BOOST_TEST(std::string{body_of(refused).at("detail").as_string()}.find("fewer topics") != std::string::npos);
}

// Keeps every thread of the pool until it is destroyed.
class full_pool {
public:
    explicit full_pool(engine_fixture& engine)
    {
        for (std::size_t i = 0; i < engine::engine_options{}.worker_threads; ++i)
            engine.start(engine.engine().offload([released = released_] { return released.wait(), 0; }));
        engine.step();
    }
    ~full_pool() { release_.set_value(); }

private:
    std::promise<void> release_;
    std::shared_future<void> released_ = release_.get_future().share();
};

BOOST_AUTO_TEST_CASE(large_commits_and_answers_are_worked_on_beside_the_loop)
{
    create("t", 2);
    const std::string good = R"({"offsets":[{"topic":"t","partition":0,"offset":0}]})";
    BOOST_REQUIRE(post("/api/groups/g/offsets", good).status == 200u);
    const header type{"Content-Type", "application/json"};
    const std::pair<request, unsigned> requests[] = {
        {{method::post, "/api/groups/g/offsets", {type}, R"({"offsets":1})", "r"}, 422},
        {{method::get, "/api/groups/g/offsets?topic=t", {}, {}, "r"}, 200},
        {{method::get, "/api/groups/g", {}, {}, "r"}, 200},
    };
    for (const std::size_t above : {api_options{}.offload_above_bytes, std::size_t{1}}) {
        api_options options;
        options.offload_above_bytes = above;
        remake(options);
        for (const auto& [what, status] : requests) {
            auto pool = std::make_unique<full_pool>(engine());
            request incoming = what;
            api().admit(incoming);
            const auto answer = engine().start(api().handle(std::move(incoming)));
            engine().step();
            BOOST_TEST(answer->done == (above > 1), what.target << " above " << above);
            pool.reset();
            while (!answer->done) engine().step();
            BOOST_TEST(answer->value->status == status);
        }
        BOOST_TEST(post("/api/groups/g/offsets", good).status == 200u);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
