#include "api/handlers.hpp"
#include "api/json_writer.hpp"

namespace pystream::api {
namespace {

result<response> status_response(std::string_view status, std::string_view service,
                                 const std::vector<std::string>& reasons = {})
{
    std::string body;
    json_writer json{body};
    json.begin_object().member("status", status).member("service", service);
    if (!reasons.empty()) {
        json.name("reasons").begin_array();
        for (const auto& reason : reasons) json.string(reason);
        json.end_array();
    }
    json.end_object();
    return json_response(std::move(body));
}

error unavailable(const engine::health_report& health)
{
    std::string detail;
    for (const auto& reason : health.reasons) detail.append(detail.empty() ? "" : "; ").append(reason);
    return {health.draining ? errc::draining : errc::not_ready, std::move(detail)};
}

}  // namespace

engine::awaitable<result<response>> get_health(context& c)
{
    const auto health = c.core.health();
    if (!health.ready || health.draining) co_return unavailable(health);
    co_return status_response(health.reasons.empty() ? "ok" : "degraded", c.options.service_name, health.reasons);
}

// The process answers: that is all it says, so that an orchestrator does not restart a server that is busy recovering.
engine::awaitable<result<response>> get_live(context& c)
{
    co_return status_response("ok", c.options.service_name);
}

engine::awaitable<result<response>> get_ready(context& c)
{
    const auto health = c.core.health();
    if (!health.ready || health.draining) co_return unavailable(health);
    co_return status_response("ok", c.options.service_name);
}

}  // namespace pystream::api
