#include "api/raw_record.hpp"

#include <algorithm>

#include "api/base64.hpp"
#include "api/text.hpp"
#include "api/utf8.hpp"
#include "core/base/limits.hpp"

namespace pystream::api {
namespace {

constexpr std::string_view header_prefix = "Record-Header-";

struct raw_key {
    std::optional<std::string> bytes;
    bool is_text = true;
};

// Every Record-* header means something or is refused: a typing error must not cost the record its key.
result<void> check_names(const context& c)
{
    bool has_key = false;
    for (const auto& [name, value] : c.incoming.headers) {
        if (!starts_ignoring_case(name, "Record-") || starts_ignoring_case(name, header_prefix)) continue;
        if (!same_ignoring_case(name, "Record-Key")) {
            error unknown{errc::unknown_field, name + " does not exist: there are Record-Key and Record-Header-NAME"};
            unknown.fields.push_back({name, unknown.detail});
            return unknown;
        }
        if (has_key) return base::invalid(name, "Record-Key may be given once");
        has_key = true;
    }
    return {};
}

result<raw_key> text_key(std::string_view source, std::string_view text)
{
    if (!is_utf8(text))
        return base::invalid(std::string{source}, std::string{source}.append(" must be UTF-8; key_base64 takes bytes"));
    return raw_key{std::string{text}, true};
}

result<raw_key> read_key(const context& c)
{
    const auto text = c.query.find("key");
    const auto base64 = c.query.find("key_base64");
    const auto header = c.incoming.find("Record-Key");
    if (int{text.has_value()} + int{base64.has_value()} + int{header.has_value()} > 1)
        return base::invalid(base64 ? "key_base64" : "key", "give one of key, key_base64 and the header Record-Key");
    if (text) return text_key("key", *text);
    if (header) return text_key("Record-Key", *header);
    if (!base64) return raw_key{};
    auto bytes = decode_base64(*base64);
    if (!bytes) return base::invalid("key_base64", "key_base64 must be base64 with padding; in a URL + is %2B");
    return raw_key{std::move(bytes), false};
}

// Record-Header-NAME, in order, repeats included. HTTP names have no case, so record headers from here are in lower case.
result<std::vector<header>> read_headers(const context& c)
{
    std::vector<header> found{{"content-type", std::string{c.incoming.find("Content-Type").value_or("")}}};
    for (const auto& [name, value] : c.incoming.headers) {
        if (!starts_ignoring_case(name, header_prefix)) continue;
        std::string record_name = name.substr(header_prefix.size());
        std::ranges::transform(record_name, record_name.begin(), lower);
        if (record_name.empty() || record_name == "content-type" || !is_utf8(value))
            return base::invalid(name, "a record header needs a name other than content-type and a value in UTF-8");
        found.push_back({std::move(record_name), std::string{trim(value)}});
    }
    if (found.size() > base::limits::record_headers_max)
        return base::invalid(
            std::string{header_prefix},
            "a record takes at most " + std::to_string(base::limits::record_headers_max) + " headers, content-type included");
    return found;
}

// So that a fetch shows it as a string: only where that loses nothing.
storage::value_kind kind_of(const media_type& type, std::string_view body)
{
    const bool may_be_text = type.essence.starts_with("text/") && type.charset.value_or("utf-8") == "utf-8";
    return may_be_text && is_utf8(body) ? storage::value_kind::text : storage::value_kind::bytes;
}

}  // namespace

result<storage::record_set> decode_raw_record(const context& c)
{
    if (const auto known = check_names(c); !known) return known.error();
    auto key = read_key(c);
    if (!key) return key.error();
    auto headers = read_headers(c);
    if (!headers) return headers.error();
    if (!is_utf8(headers->front().value)) return base::invalid("Content-Type", "Content-Type must be UTF-8");
    std::vector<storage::header_view> views;
    for (const auto& [name, value] : *headers) views.push_back({name, value});
    storage::record_view record;
    if (key->bytes) record.key = *key->bytes;
    record.key_is_text = key->is_text;
    record.value = c.incoming.body;
    record.kind = kind_of(c.body_type, c.incoming.body);
    record.headers = views;
    storage::record_set records;
    records.add(record);
    return records;
}

}  // namespace pystream::api
