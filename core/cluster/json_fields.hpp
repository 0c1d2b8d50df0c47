#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/ids.hpp"

// Strict reading of metadata JSON, for the .cpp files of this folder only. Every error is corrupt_metadata with the reason in
// `internal`: what does not validate in full is not used at all.

namespace pystream::cluster {

base::error corrupt(std::string reason);

// RFC 8259, nothing behind the value, no name twice in an object, no numbers but integers.
base::result<boost::json::value> parse_strictly(std::string_view text);
base::result<void> check_strictly(std::string_view text);  // the same without the value, several times faster

// Takes the members of one object out by name. The first fault sticks and later calls return harmless values, so that a decoder
// reads straight down and asks once, at the end. The value must outlive this.
class object_fields {
public:
    explicit object_fields(const boost::json::value& value);

    std::int64_t integer(std::string_view name, std::int64_t min, std::int64_t max);  // 1.0 and 1e0 are no integers
    bool boolean(std::string_view name);
    std::string text(std::string_view name, std::size_t bytes_max);  // not empty
    std::string id(std::string_view name);                           // 32 lower-case hex digits
    base::topic_id topic(std::string_view name);
    std::vector<base::broker_id> brokers(std::string_view name);  // each once
    const boost::json::object& object(std::string_view name);
    const boost::json::array& array(std::string_view name);

    void fault(std::string reason);
    // The first fault, or a member that nobody took.
    base::result<void> finish() const;

private:
    const boost::json::value* take(std::string_view name);
    const boost::json::object* object_ = nullptr;
    std::vector<std::string_view> taken_;
    std::string fault_;
};

inline constexpr std::int32_t broker_id_max = 999'999;  // six digits in keys and directory names
inline constexpr std::int64_t metadata_version = 1;

}  // namespace pystream::cluster
