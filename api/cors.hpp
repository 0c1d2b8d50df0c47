#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/http.hpp"

// Which web pages may call the API (the Fetch standard's CORS protocol). Programs other than browsers never notice.

namespace pystream::api {

// True when a browser sends this request for a page that is not among `origins` and either of another site or of a site whose name
// may only have been pointed here (Host is neither localhost nor an IP address). Reading is kept from such a
// page by the browser itself; a write would go through (a "simple" POST needs no preflight), so the server refuses it.
bool is_foreign_write(const request& incoming, const std::vector<std::string>& origins);

// Lets the page read the answer, when its origin is allowed.
void add_cors_headers(const request& incoming, const std::vector<std::string>& origins, response& answer);

// The answer to OPTIONS; `allow` are the methods of the path.
response options_response(const request& incoming, std::string allow);

}  // namespace pystream::api
