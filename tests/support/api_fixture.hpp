#pragma once

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/service.hpp"
#include "core/io/posix_file_system.hpp"
#include "tests/support/engine_fixture.hpp"
#include "tests/support/schema_check.hpp"
#include "tests/support/temporary_directory.hpp"

// The whole API below HTTP framing, over an engine on the real disk.

namespace pystream::tests {

struct no_counters final : api::counters_source {
    api::server_counters server() const override { return {}; }
};

struct api_call {
    api::method verb = api::method::get;
    std::string target;
    std::string body;
    std::vector<api::header> headers;
};

class api_fixture {
public:
    api_fixture()
    {
        engine::engine_options options;
        options.data_dir = directory_.path() + "/data";
        engine_ = std::make_unique<engine_fixture>(*files_, options);
        BOOST_REQUIRE(engine_->run(engine_->engine().start()).has_value());
        remake({});
    }
    ~api_fixture() { engine_->run(engine_->engine().stop()); }

    void remake(api::api_options options) { service_ = make_service(engine_->engine(), counters_, std::move(options)); }

    api::response run(api_call what)
    {
        api::request incoming{what.verb, std::move(what.target), std::move(what.headers), std::move(what.body), "req-1"};
        service_->admit(incoming);
        return engine_->run(service_->handle(std::move(incoming)));
    }
    api::response get(std::string target, std::vector<api::header> headers = {})
    {
        return run({api::method::get, std::move(target), {}, std::move(headers)});
    }
    api::response post(std::string target, std::string body, std::string type = "application/json",
                       std::vector<api::header> headers = {})
    {
        headers.push_back({"Content-Type", std::move(type)});
        return run({api::method::post, std::move(target), std::move(body), std::move(headers)});
    }
    void create(const std::string& name, int partitions = 1)
    {
        const auto body = R"({"name":")" + name + R"(","partitions":)" + std::to_string(partitions) + "}";
        BOOST_REQUIRE(post("/api/topics", body).status == 201u);
    }
    api::service& api() { return *service_; }
    engine_fixture& engine() { return *engine_; }

private:
    temporary_directory directory_;
    std::unique_ptr<io::file_system> files_ = io::make_posix_file_system();
    std::unique_ptr<engine_fixture> engine_;
    no_counters counters_;
    std::unique_ptr<api::service> service_;
};

inline std::string header_of(const api::response& answer, std::string_view name)
{
    for (const auto& [known, value] : answer.headers)
        if (known == name) return value;
    return "(none)";
}

inline boost::json::object body_of(const api::response& answer)
{
    return boost::json::parse(answer.body).as_object();
}

// The code of a problem; checks that it is a whole one.
inline std::string code_of(const api::response& answer)
{
    if (answer.status < 400) return std::to_string(answer.status);
    BOOST_TEST(header_of(answer, "Content-Type") == "application/problem+json");
    schema_check check;
    const auto body = body_of(answer);
    for (const auto& wrong : check.check(body, schema("problem"))) BOOST_ERROR(wrong);
    BOOST_TEST(body.at("status").as_int64() == answer.status);
    return std::string{body.at("code").as_string()};
}

inline std::string pointer_of(const api::response& answer)
{
    return std::string{body_of(answer).at("errors").at(0).at("pointer").as_string()};
}

}  // namespace pystream::tests
