// What the load says to Postgres, by the simple query protocol: an INSERT of one or more rows, each statement its own transaction.
#include <stdexcept>

#include "tests/bench/load/dialogue.hpp"

namespace pystream::bench {
namespace {

constexpr std::uint32_t protocol_3_0 = 196608;

std::string big_endian(std::size_t value)
{
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
    return out;
}

struct message {
    char type = 0;  // 0: not complete yet
    std::string_view content;
};

message take_message(std::string_view& in)
{
    if (in.size() < 5) return {};
    std::size_t length = 0;  // of itself and the content
    for (std::size_t i = 1; i < 5; ++i) length = length << 8 | static_cast<unsigned char>(in[i]);
    if (in.size() < 1 + length) return {};
    const message found{in[0], in.substr(5, length - 4)};
    in.remove_prefix(1 + length);
    return found;
}

class postgres_insert final : public dialogue {
public:
    explicit postgres_insert(const work& what) : rows_(what.batch), tag_("INSERT 0 " + std::to_string(what.batch))
    {
        tag_ += '\0';
        std::string query = "INSERT INTO " + what.target + "(value) VALUES ";
        const std::string row = "('" + std::string(what.value_bytes, 'v') + "')";
        for (std::size_t i = 0; i < rows_; ++i) query += (i > 0 ? "," : "") + row;
        query += '\0';
        request_ = "Q" + big_endian(query.size() + 4) + query;
    }
    std::string opening() override
    {
        using namespace std::string_literals;
        const std::string parameters = big_endian(protocol_3_0) + "user\0bench\0database\0postgres\0\0"s;
        return big_endian(parameters.size() + 4) + parameters;
    }
    outcome read_opening(std::string_view in) override { return read_until_ready(in, {}, 0); }
    void append_request(std::string& out) override { out += request_; }
    outcome read_answer(std::string_view in) override { return read_until_ready(in, tag_, rows_); }

private:
    // Done with the message that says so; a tag that is wanted must have come before.
    static outcome read_until_ready(std::string_view in, std::string_view tag, std::uint64_t rows)
    {
        const std::size_t all = in.size();
        bool tag_seen = tag.empty();
        for (message next = take_message(in); next.type != 0; next = take_message(in)) {
            if (next.type == 'E') return failed("an error of Postgres", next.content);
            if (next.type == 'R' && next.content != std::string_view{"\0\0\0\0", 4})
                return failed("Postgres wants a password", {});
            if (next.type == 'C') tag_seen = next.content == tag;
            if (next.type != 'Z') continue;
            if (!tag_seen) return failed("not the rows that were sent", {});
            return {outcome::kind::done, all - in.size(), rows, {}};
        }
        return {};
    }

    std::uint64_t rows_;
    std::string tag_;
    std::string request_;
};

}  // namespace

dialogue_ptr make_postgres_dialogue(const work& what)
{
    if (what.name == "insert") return std::make_unique<postgres_insert>(what);
    throw std::invalid_argument{"unknown work " + what.name + " for Postgres"};
}

}  // namespace pystream::bench
