// What the load says to Redis: XADD, alone or in a pipeline that counts as one request, and XRANGE.
#include <stdexcept>

#include "tests/bench/load/dialogue.hpp"
#include "tests/bench/load/resp_reader.hpp"

namespace pystream::bench {
namespace {

std::string bulk(std::string_view text)
{
    return "$" + std::to_string(text.size()) + "\r\n" + std::string{text} + "\r\n";
}

class xadd_requests final : public dialogue {
public:
    explicit xadd_requests(const work& what) : batch_(what.batch)
    {
        const std::string command =
            "*5\r\n" + bulk("XADD") + bulk(what.target) + bulk("*") + bulk("v") + bulk(std::string(what.value_bytes, 'v'));
        for (std::size_t i = 0; i < batch_; ++i) request_ += command;
    }
    void append_request(std::string& out) override { out += request_; }
    outcome read_answer(std::string_view in) override
    {
        while (answers_ < batch_) {
            resp_value id;
            const scan state = read_resp(in.substr(bytes_), id);
            if (state == scan::more) return {};
            if (state == scan::malformed || id.type != '$' || id.null)
                return failed("not the id of an entry", in.substr(bytes_));
            bytes_ += id.bytes;
            ++answers_;
        }
        const outcome all{outcome::kind::done, bytes_, batch_, {}};
        answers_ = bytes_ = 0;
        return all;
    }

private:
    std::size_t batch_;
    std::string request_;
    std::size_t answers_ = 0;
    std::size_t bytes_ = 0;  // of those answers
};

class xrange_requests final : public dialogue {
public:
    xrange_requests(const work& what, std::uint64_t connection)
        : what_(what),
          ids_(what, connection),
          head_("*6\r\n" + bulk("XRANGE") + bulk(what.target)),
          rest_(bulk("+") + bulk("COUNT") + bulk(std::to_string(what.batch)))
    {
    }
    void append_request(std::string& out) override { out += head_ + bulk(std::to_string(ids_.next())) + rest_; }
    outcome read_answer(std::string_view in) override
    {
        resp_value entries;
        const scan state = read_resp(in, entries);
        if (state == scan::more) return {};
        if (state == scan::malformed || entries.type != '*' || entries.error_inside || entries.elements != what_.batch)
            return failed("not the entries that were asked for", in);
        return {outcome::kind::done, entries.bytes, what_.batch, {}};
    }

private:
    const work& what_;
    walk ids_;
    std::string head_;
    std::string rest_;
};

}  // namespace

dialogue_ptr make_resp_dialogue(const work& what, std::uint64_t connection)
{
    if (what.name == "xadd") return std::make_unique<xadd_requests>(what);
    if (what.name == "xrange") return std::make_unique<xrange_requests>(what, connection);
    throw std::invalid_argument{"unknown work " + what.name + " for Redis"};
}

}  // namespace pystream::bench
