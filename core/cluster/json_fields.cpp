#include "core/cluster/json_fields.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <set>

namespace pystream::cluster {
namespace {

namespace json = boost::json;
using json::error_code;

std::string quoted(std::string_view name)
{
    return "\"" + std::string{name} + "\"";
}

// Listens to a parse for what a document would hide: a name that stands twice (the last one wins), and numbers that become a double
// (1e400 would be written back as Infinity). Keeps the names of the objects that are open, innermost last.
struct strict_listener {
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

    std::vector<std::string> open_names;
    std::string name;  // of the member that is being read
    std::string fault;

    bool on_key_part(json::string_view part, std::size_t, error_code&)
    {
        name.append(part.data(), part.size());
        return true;
    }
    bool on_key(json::string_view part, std::size_t, error_code&)
    {
        name.append(part.data(), part.size());
        open_names.push_back(std::move(name));
        name.clear();
        return true;
    }
    bool on_object_end(std::size_t members, error_code&)
    {
        const auto first = open_names.end() - static_cast<std::ptrdiff_t>(members);
        std::sort(first, open_names.end());
        const auto twice = std::adjacent_find(first, open_names.end());
        if (twice != open_names.end()) fault = "the name " + quoted(*twice) + " stands twice in one object";
        open_names.erase(first, open_names.end());
        return true;
    }

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code&) { return true; }
    bool on_array_begin(error_code&) { return true; }
    bool on_array_end(std::size_t, error_code&) { return true; }
    bool on_string_part(json::string_view, std::size_t, error_code&) { return true; }
    bool on_string(json::string_view, std::size_t, error_code&) { return true; }
    bool on_number_part(json::string_view, error_code&) { return true; }
    bool on_int64(std::int64_t, json::string_view, error_code&) { return true; }
    bool on_uint64(std::uint64_t, json::string_view, error_code&) { return true; }
    bool on_double(double, json::string_view text, error_code&)
    {
        fault = "a number that is no integer of 64 bits, ending in " + quoted({text.data(), text.size()});
        return true;
    }
    bool on_bool(bool, error_code&) { return true; }
    bool on_null(error_code&) { return true; }
    bool on_comment_part(json::string_view, error_code&) { return true; }
    bool on_comment(json::string_view, error_code&) { return true; }
};

bool is_hex_id(std::string_view text)
{
    return base::topic_id::from_hex(text).has_value();  // the same form: 32 lower-case hex digits
}

}  // namespace

base::error corrupt(std::string reason)
{
    return {base::errc::corrupt_metadata, "a metadata file or row is damaged", std::move(reason)};
}

base::result<void> check_strictly(std::string_view text)
{
    json::basic_parser<strict_listener> parser{json::parse_options{}};
    error_code failure;
    const std::size_t read = parser.write_some(false, text.data(), text.size(), failure);
    if (failure) return corrupt("not JSON: " + failure.message());
    if (read != text.size()) return corrupt("not JSON: something stands behind the value");
    if (!parser.handler().fault.empty()) return corrupt(parser.handler().fault);
    return {};
}

base::result<json::value> parse_strictly(std::string_view text)
{
    if (auto ok = check_strictly(text); !ok) return ok.error();
    error_code failure;
    json::value value = json::parse({text.data(), text.size()}, failure);
    if (failure) return corrupt("not JSON: " + failure.message());
    return value;
}

object_fields::object_fields(const json::value& value) : object_(value.if_object())
{
    if (object_ == nullptr) fault("not an object");
}

const json::value* object_fields::take(std::string_view name)
{
    if (object_ == nullptr) return nullptr;
    taken_.push_back(name);
    const json::value* value = object_->if_contains({name.data(), name.size()});
    if (value == nullptr) fault(quoted(name) + " is missing");
    return value;
}

std::int64_t object_fields::integer(std::string_view name, std::int64_t min, std::int64_t max)
{
    const json::value* value = take(name);
    if (value == nullptr) return min;
    if (value->is_int64() && value->get_int64() >= min && value->get_int64() <= max) return value->get_int64();
    fault(quoted(name) + " is not an integer from " + std::to_string(min) + " to " + std::to_string(max));
    return min;
}

bool object_fields::boolean(std::string_view name)
{
    const json::value* value = take(name);
    if (value == nullptr) return false;
    if (!value->is_bool()) fault(quoted(name) + " is neither true nor false");
    return value->is_bool() && value->get_bool();
}

std::string object_fields::text(std::string_view name, std::size_t bytes_max)
{
    const json::value* value = take(name);
    if (value == nullptr) return {};
    const json::string* text = value->if_string();
    if (text != nullptr && !text->empty() && text->size() <= bytes_max) return {text->data(), text->size()};
    fault(quoted(name) + " is not a string of 1 to " + std::to_string(bytes_max) + " bytes");
    return {};
}

std::string object_fields::id(std::string_view name)
{
    const json::value* value = take(name);
    if (value == nullptr) return {};
    const json::string* text = value->if_string();
    if (text != nullptr && is_hex_id({text->data(), text->size()})) return {text->data(), text->size()};
    fault(quoted(name) + " is not a string of 32 lower-case hex digits");
    return {};
}

base::topic_id object_fields::topic(std::string_view name)
{
    const auto parsed = base::topic_id::from_hex(id(name));
    return parsed ? *parsed : base::topic_id{};  // id() has noted the fault
}

std::vector<base::broker_id> object_fields::brokers(std::string_view name)
{
    std::vector<base::broker_id> out;
    for (const json::value& item : array(name)) {
        const bool valid = item.is_int64() && item.get_int64() >= 1 && item.get_int64() <= broker_id_max;
        if (!valid) {
            fault(quoted(name) + " holds something that is no broker id");
            return {};
        }
        out.emplace_back(static_cast<std::int32_t>(item.get_int64()));
    }
    if (std::set<base::broker_id>(out.begin(), out.end()).size() != out.size()) fault(quoted(name) + " names a broker twice");
    return out;
}

const json::object& object_fields::object(std::string_view name)
{
    static const json::object none;
    const json::value* value = take(name);
    if (value == nullptr) return none;
    if (!value->is_object()) fault(quoted(name) + " is not an object");
    return value->is_object() ? value->get_object() : none;
}

const json::array& object_fields::array(std::string_view name)
{
    static const json::array none;
    const json::value* value = take(name);
    if (value == nullptr) return none;
    if (!value->is_array()) fault(quoted(name) + " is not an array");
    return value->is_array() ? value->get_array() : none;
}

void object_fields::fault(std::string reason)
{
    if (fault_.empty()) fault_ = std::move(reason);
}

base::result<void> object_fields::finish() const
{
    if (!fault_.empty()) return corrupt(fault_);
    for (const auto& member : *object_) {
        const std::string_view name{member.key().data(), member.key().size()};
        if (std::find(taken_.begin(), taken_.end(), name) == taken_.end()) return corrupt("unknown name " + quoted(name));
    }
    return {};
}

}  // namespace pystream::cluster
