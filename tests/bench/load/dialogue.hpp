#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace pystream::bench {

// What came of looking at the bytes received so far.
struct outcome {
    enum class kind { more, done, failed };
    kind state = kind::more;
    std::size_t bytes = 0;      // consumed; 0 unless done
    std::uint64_t records = 0;  // acknowledged or read by this answer
    std::string error;          // when failed
};

// What one connection says to the server and how it understands the answers: one request (or one pipeline that counts as one) at a
// time. Every answer is checked; one that is not the success that was asked for fails the run.
class dialogue {
public:
    virtual ~dialogue() = default;

    // What is said before the first request, and whether its answer has come. Most protocols have no opening.
    virtual std::string opening() { return {}; }
    virtual outcome read_opening(std::string_view) { return {outcome::kind::done, 0, 0, {}}; }

    virtual void append_request(std::string& out) = 0;
    // `in` starts where the answer starts and grows from call to call until the answer is done.
    virtual outcome read_answer(std::string_view in) = 0;
};

struct work {
    std::string protocol;  // http, resp, nats, postgres
    std::string name;      // what is asked for, per protocol
    std::string target;    // path, stream, subject or table
    std::string host;      // for HTTP's Host
    std::size_t value_bytes = 100;
    std::size_t batch = 1;         // records of one request
    std::uint64_t partitions = 1;  // HTTP: the connections spread over them
    std::uint64_t from = 0;        // where reads start ...
    std::uint64_t span = 1;        // ... and how far they walk before they start again
    std::uint64_t step = 1;        // ... by this from request to request
};

using dialogue_ptr = std::unique_ptr<dialogue>;

// The dialogue of the connection with this number. Throws std::invalid_argument for work that is not known.
dialogue_ptr make_dialogue(const work& what, std::uint64_t connection);

dialogue_ptr make_http_dialogue(const work& what, std::uint64_t connection);
dialogue_ptr make_resp_dialogue(const work& what, std::uint64_t connection);
dialogue_ptr make_nats_dialogue(const work& what, std::uint64_t connection);
dialogue_ptr make_postgres_dialogue(const work& what);

inline outcome failed(std::string_view why, std::string_view bytes)
{
    return {outcome::kind::failed, 0, 0, std::string{why} + ": " + std::string{bytes.substr(0, 500)}};
}

// Where the reads of one connection go: from, from + step, ... below from + span, then again; each connection starts elsewhere.
class walk {
public:
    walk(const work& what, std::uint64_t connection) : what_(what), at_(connection * 7919 * what.step % what.span) {}
    std::uint64_t next() noexcept
    {
        const std::uint64_t here = what_.from + at_;
        at_ = (at_ + what_.step) % what_.span;
        return here;
    }

private:
    const work& what_;
    std::uint64_t at_;
};

}  // namespace pystream::bench
