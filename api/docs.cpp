#include <openssl/evp.h>

#include <algorithm>
#include <map>

#include "api/base64.hpp"
#include "api/handlers.hpp"
#include "api/problem.hpp"
#include "api/viewer_assets.hpp"

namespace pystream::api {
namespace {

constexpr std::string_view page_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

// Strong: changes exactly when the bytes change. Computed once for each of the files, which never change while we run.
const std::string& etag_of(std::string_view content)
{
    static std::map<const char*, std::string> known;
    auto& tag = known[content.data()];
    if (!tag.empty()) return tag;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_Digest(content.data(), content.size(), digest, &size, EVP_sha256(), nullptr);
    constexpr unsigned int shown_bytes = 12;
    tag = '"';
    append_base64(tag, {reinterpret_cast<const char*>(digest), std::min(size, shown_bytes)});
    tag += '"';
    return tag;
}

response static_response(const context& c, std::string_view content, std::string_view content_type)
{
    response answer;
    const auto& etag = etag_of(content);
    answer.headers.push_back({"Cache-Control", "no-cache"});
    if (const auto known = c.incoming.find("If-None-Match"); known && known->find(etag) != std::string_view::npos)
        answer.status = 304;
    answer.headers.push_back({"ETag", etag});
    if (answer.status == 304) return answer;
    answer.headers.push_back({"Content-Type", std::string{content_type}});
    answer.static_body = content;
    return answer;
}

// The smallest form of the file that the client takes; null: no such file in this build.
const asset* find_asset(std::string_view path, bool gzip)
{
    const asset* found = nullptr;
    for (const auto& candidate : viewer_assets())
        if (candidate.path == path && (gzip || !candidate.gzip) && (found == nullptr || candidate.gzip)) found = &candidate;
    return found;
}

response asset_response(const context& c, std::string_view path)
{
    const auto* file = find_asset(path, accepts_gzip(c.incoming.find("Accept-Encoding")));
    if (file == nullptr) {
        const bool built_without = viewer_assets().empty();
        return make_problem(http_errc::not_found,
                            built_without ? "this build has no API viewer; the document is /openapi.json" : "",
                            c.incoming.request_id);
    }
    auto answer = static_response(c, file->content, file->content_type);
    answer.headers.push_back({"Content-Security-Policy", std::string{page_policy}});
    answer.headers.push_back({"Vary", "Accept-Encoding"});
    if (file->gzip && answer.status == 200) answer.headers.push_back({"Content-Encoding", "gzip"});
    return answer;
}

}  // namespace

engine::awaitable<result<response>> get_openapi(context& c)
{
    co_return static_response(c, openapi_document(), "application/json");
}

engine::awaitable<result<response>> get_docs(context& c)
{
    co_return asset_response(c, "index.html");
}

engine::awaitable<result<response>> get_docs_asset(context& c)
{
    co_return asset_response(c, c.path.asset);
}

engine::awaitable<result<response>> get_root(context&)
{
    response answer;
    answer.headers = {{"Content-Type", "text/html; charset=utf-8"}, {"Content-Security-Policy", std::string{page_policy}}};
    answer.static_body =
        "<!doctype html><title>PyStream</title>\n"
        "<p>PyStream: <a href=\"docs\">/docs</a> shows the API, <a href=\"openapi.json\">/openapi.json</a> describes it, "
        "<a href=\"api/health\">/api/health</a> tells how it is.</p>\n";
    co_return answer;
}

}  // namespace pystream::api
