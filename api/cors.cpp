#include "api/cors.hpp"

#include <boost/url/ipv4_address.hpp>

#include <algorithm>

#include "api/text.hpp"

namespace pystream::api {
namespace {

constexpr std::string_view exposed_headers =
    "Location, ETag, Retry-After, Allow, X-Request-Id, Stream-Earliest-Offset, Stream-Next-Offset, Stream-High-Watermark, "
    "Record-Key, Record-Key-Base64, Record-Offset, Record-Timestamp, Record-Tombstone";

bool is_allowed(std::string_view origin, const std::vector<std::string>& origins)
{
    return std::ranges::any_of(origins, [origin](const std::string& allowed) { return allowed == "*" || allowed == origin; });
}

// A name that DNS cannot move to another address. With any other name in Host, the page may come from a server that lent its
// name to ours (DNS rebinding): same-origin to the browser and yet foreign. HOST itself is always one of these.
bool is_own_name(std::string_view host)
{
    if (host.starts_with('[')) return true;
    const auto name = host.substr(0, host.find(':'));
    return same_ignoring_case(name, "localhost") || boost::urls::parse_ipv4_address(name).has_value();
}

bool is_same_host(std::string_view origin, std::string_view host) noexcept
{
    const auto scheme_end = origin.find("://");
    return scheme_end != std::string_view::npos && same_ignoring_case(origin.substr(scheme_end + 3), host);
}

}  // namespace

bool is_foreign_write(const request& incoming, const std::vector<std::string>& origins)
{
    if (!may_change(incoming.verb)) return false;
    const auto origin = incoming.find("Origin");
    const auto site = incoming.find("Sec-Fetch-Site");
    const auto host = incoming.find("Host").value_or("");
    if (origin && is_allowed(*origin, origins)) return false;
    if (site && *site != "same-origin" && *site != "none") return true;
    if (!origin) return false;
    return !is_own_name(host) || (!site && !is_same_host(*origin, host));
}

void add_cors_headers(const request& incoming, const std::vector<std::string>& origins, response& answer)
{
    if (origins.empty()) return;
    const bool any = origins.front() == "*";
    if (!any) answer.headers.push_back({"Vary", "Origin"});
    const auto origin = incoming.find("Origin");
    if (!origin || !is_allowed(*origin, origins)) return;
    answer.headers.push_back({"Access-Control-Allow-Origin", any ? "*" : std::string{*origin}});
    answer.headers.push_back({"Access-Control-Expose-Headers", std::string{exposed_headers}});
    if (incoming.verb != method::options) return;
    if (const auto method = incoming.find("Access-Control-Request-Method"); !method) return;
    // Record-Header-* has no fixed names, so what the page asks for is what it gets.
    if (const auto wanted = incoming.find("Access-Control-Request-Headers"))
        answer.headers.push_back({"Access-Control-Allow-Headers", std::string{*wanted}});
    answer.headers.push_back({"Access-Control-Max-Age", "600"});
}

response options_response(const request& incoming, std::string allow)
{
    response answer;
    answer.status = 204;
    if (incoming.find("Access-Control-Request-Method")) answer.headers.push_back({"Access-Control-Allow-Methods", allow});
    answer.headers.push_back({"Allow", std::move(allow)});
    return answer;
}

}  // namespace pystream::api
