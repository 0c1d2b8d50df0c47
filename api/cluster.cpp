#include "api/describe.hpp"
#include "api/handlers.hpp"

namespace pystream::api {

engine::awaitable<result<response>> get_cluster(context& c)
{
    co_return json_response(cluster_body(c.core.describe_cluster()));
}

}  // namespace pystream::api
