#include "api/service.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "api/context.hpp"
#include "api/cors.hpp"
#include "api/problem.hpp"
#include "api/routes.hpp"
#include "core/base/limits.hpp"

namespace pystream::api {
namespace {

using engine::awaitable;

constexpr std::size_t document_bytes_max = base::limits::mebibyte;  // of a JSON body that holds no records
// Where a path or method does not exist, a small body is read and dropped, so that the answer is that and not 413.
constexpr std::size_t stray_bytes_max = 64 * base::limits::kibibyte;

constexpr std::string_view all_methods = "GET, HEAD, POST, PATCH, DELETE, OPTIONS";

struct split_target {
    std::string_view path;
    std::string_view query;
};

split_target split(std::string_view target) noexcept
{
    const auto end = target.find('?');
    if (end == std::string_view::npos) return {target, {}};
    return {target.substr(0, end), target.substr(end + 1)};
}

response not_matched(const request& incoming, std::string_view path)
{
    std::string allow = path == "*" ? std::string{all_methods} : allowed_methods(path);  // "*": the server (RFC 9110, 9.3.7)
    if (incoming.verb == method::options && !allow.empty()) return options_response(incoming, std::move(allow));
    if (allow.empty())
        return make_problem(http_errc::not_found, "no such path; /openapi.json lists all of them", incoming.request_id);
    auto answer = make_problem(http_errc::method_not_allowed, "this path takes " + allow, incoming.request_id);
    answer.headers.push_back({"Allow", std::move(allow)});
    return answer;
}

bool is_utf8_or_absent(const media_type& type)
{
    return !type.charset || *type.charset == "utf-8" || *type.charset == "utf8";
}

// What is wrong with the request's Content-Type and Content-Encoding for this route; empty: nothing, and `type` is set.
std::string check_body_type(const request& incoming, body_form form, media_type& type)
{
    const auto encoding = incoming.find("Content-Encoding").value_or("identity");
    if (encoding != "identity") return "Content-Encoding is not supported: send the body as it is";
    const auto given = incoming.find("Content-Type");
    auto parsed = given ? parse_media_type(*given) : std::nullopt;
    if (parsed) type = std::move(*parsed);
    const bool is_json = type.essence == json_type || type.essence == ndjson_type;
    if (is_json && !is_utf8_or_absent(type)) return "JSON is UTF-8: leave charset out";
    if (form == body_form::json) return type.essence == json_type ? "" : "send application/json; with curl: --json '{...}'";
    const bool is_form = type.essence == "application/x-www-form-urlencoded" || type.essence == "multipart/form-data";
    if (!type.essence.empty() && !is_form) return {};
    return "say what the body is: JSON records with curl --json '{\"records\":[...]}', or one record's bytes with "
           "curl -H 'Content-Type: application/octet-stream' --data-binary @FILE";
}

// 406 when the client wants none of what the route offers; otherwise sets `accepted`.
std::optional<response> check_accept(const request& incoming, const route& matched, std::size_t& accepted)
{
    const auto offered = matched.offered();
    if (offered.empty()) return std::nullopt;
    const auto chosen = negotiate(incoming.find("Accept"), offered);
    if (chosen) {
        accepted = *chosen;
        return std::nullopt;
    }
    std::string detail = "this answer comes as ";
    for (const auto& type : offered) detail.append(&type == offered.data() ? "" : " or ").append(type);
    return make_problem(http_errc::not_acceptable, detail, incoming.request_id);
}

class http_service final : public service {
public:
    http_service(engine::engine& core, const counters_source& counters, api_options options)
        : core_(core), counters_(counters), options_(std::move(options))
    {
    }

    awaitable<response> handle(request incoming) override
    {
        response answer;
        try {
            context c{core_, counters_, options_, incoming, {}, {}, {}};
            if (auto refused = prepare(c)) {
                answer = std::move(*refused);
            } else {
                auto made = co_await incoming.matched->run(c);
                answer = made ? std::move(*made) : make_problem(made.error(), incoming.request_id);
            }
        } catch (const std::exception& unexpected) {
            log_unexpected(incoming, unexpected.what());
            error failed{errc::internal};
            failed.outcome_unknown = may_change(incoming.verb);
            answer = make_problem(failed, incoming.request_id);
        }
        add_cors_headers(incoming, options_.cors_origins, answer);
        const auto is_cache_control = [](const header& h) { return h.name == "Cache-Control"; };
        if (std::ranges::none_of(answer.headers, is_cache_control)) answer.headers.push_back({"Cache-Control", "no-store"});
        co_return answer;
    }

    admission admit(request& incoming) const override
    {
        incoming.matched = match_route(incoming.verb, split(incoming.target).path);
        if (incoming.matched == nullptr) return {false, std::min(stray_bytes_max, options_.body_bytes_max)};
        return {incoming.matched->exempt, bytes_max(incoming.matched->body)};
    }

private:
    std::size_t bytes_max(body_form form) const noexcept
    {
        switch (form) {
        case body_form::none: return 0;
        case body_form::json: return std::min(document_bytes_max, options_.body_bytes_max);
        case body_form::records: return options_.body_bytes_max;
        }
        return 0;
    }

    // Everything that comes before the handler. Has a value when that is already the answer.
    std::optional<response> prepare(context& c) const
    {
        const auto [path, query] = split(c.incoming.target);
        if (c.incoming.matched == nullptr) return not_matched(c.incoming, path);
        if (auto refused = refuse(c, *c.incoming.matched)) return refused;
        const auto read = read_request(c, *c.incoming.matched, path, query);
        if (!read) return make_problem(read.error(), c.incoming.request_id);
        return std::nullopt;
    }

    std::optional<response> refuse(context& c, const route& matched) const
    {
        if (is_foreign_write(c.incoming, options_.cors_origins))
            return make_problem(http_errc::origin_not_allowed, "CORS_ORIGINS does not list the page that sent this",
                                c.incoming.request_id);
        if (auto refused = check_accept(c.incoming, matched, c.accepted)) return refused;
        if (matched.body == body_form::none) return std::nullopt;
        const auto wrong = check_body_type(c.incoming, matched.body, c.body_type);
        if (wrong.empty()) return std::nullopt;
        return make_problem(http_errc::unsupported_media_type, wrong, c.incoming.request_id);
    }

    static result<void> read_request(context& c, const route& matched, std::string_view path, std::string_view query)
    {
        auto values = read_path(matched, path);
        if (!values) return values.error();
        c.path = std::move(*values);
        auto parameters = query_parameters::parse(query, matched.known_parameters());
        if (!parameters) return parameters.error();
        c.query = std::move(*parameters);
        return {};
    }

    void log_unexpected(const request& incoming, std::string_view what) const noexcept
    {
        if (options_.logger == nullptr) return;
        options_.logger->write(base::severity::error, "handler_failed",
                               {{"reason", what}, {"request_id", std::string_view{incoming.request_id}}});
    }

    engine::engine& core_;
    const counters_source& counters_;
    const api_options options_;
};

}  // namespace

std::unique_ptr<service> make_service(engine::engine& core, const counters_source& counters, api_options options)
{
    return std::make_unique<http_service>(core, counters, std::move(options));
}

}  // namespace pystream::api
