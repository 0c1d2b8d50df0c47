#include "api/handlers.hpp"
#include "api/metrics_text.hpp"

namespace pystream::api {

engine::awaitable<result<response>> get_metrics(context& c)
{
    response answer;
    answer.headers.push_back({"Content-Type", "text/plain; version=0.0.4; charset=utf-8"});
    answer.body = metrics_text(
        {c.core.counters(), c.counters.server(), c.core.describe_cluster(), c.core.health().ready, c.options.version});
    co_return answer;
}

}  // namespace pystream::api
