// What the load says to NATS JetStream: a PUB with a reply subject, answered by the stream's acknowledgment on that subject.
#include <charconv>
#include <optional>
#include <stdexcept>

#include "tests/bench/load/dialogue.hpp"

namespace pystream::bench {
namespace {

std::optional<std::string_view> take_line(std::string_view& in)
{
    const std::size_t end = in.find("\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = in.substr(0, end);
    in.remove_prefix(end + 2);
    return line;
}

class nats_publish final : public dialogue {
public:
    nats_publish(const work& what, std::uint64_t connection)
        : inbox_("_INBOX.bench." + std::to_string(connection)),
          request_("PUB " + what.target + " " + inbox_ + " " + std::to_string(what.value_bytes) + "\r\n" +
                   std::string(what.value_bytes, 'v') + "\r\n")
    {
    }
    std::string opening() override
    {
        return R"(CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true})"
               "\r\nSUB " +
               inbox_ + " 1\r\nPING\r\n";
    }
    outcome read_opening(std::string_view in) override
    {
        const std::size_t all = in.size();
        while (const auto line = take_line(in)) {
            if (*line == "PONG") return {outcome::kind::done, all - in.size(), 0, {}};
            if (!line->starts_with("INFO ")) return failed("not an opening of NATS", *line);
        }
        return {};
    }
    void append_request(std::string& out) override
    {
        if (asked_for_pong_) out += "PONG\r\n";
        asked_for_pong_ = false;
        out += request_;
    }
    outcome read_answer(std::string_view in) override
    {
        const std::size_t all = in.size();
        while (const auto line = take_line(in)) {
            if (line->starts_with("MSG ")) return read_acknowledgment(*line, in, all);
            if (*line == "PING")
                asked_for_pong_ = true;
            else if (!line->starts_with("INFO "))  // HMSG says that no stream listens
                return failed("not an acknowledgment of NATS", *line);
        }
        return {};
    }

private:
    outcome read_acknowledgment(std::string_view line, std::string_view in, std::size_t all) const
    {
        std::size_t length = 0;
        const std::string_view number = line.substr(line.rfind(' ') + 1);
        std::from_chars(number.data(), number.data() + number.size(), length);
        if (in.size() < length + 2) return {};
        const std::string_view payload = in.substr(0, length);
        if (in.substr(length, 2) != "\r\n") return failed("not a message of NATS", in);
        if (payload.find("\"seq\":") == std::string_view::npos || payload.find("\"error\"") != std::string_view::npos)
            return failed("not an acknowledgment of JetStream", payload);
        return {outcome::kind::done, all - in.size() + length + 2, 1, {}};
    }

    std::string inbox_;
    std::string request_;
    bool asked_for_pong_ = false;
};

}  // namespace

dialogue_ptr make_nats_dialogue(const work& what, std::uint64_t connection)
{
    if (what.name == "publish") return std::make_unique<nats_publish>(what, connection);
    throw std::invalid_argument{"unknown work " + what.name + " for NATS"};
}

}  // namespace pystream::bench
