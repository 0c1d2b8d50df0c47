// What the load says to PyStream, and to any other HTTP server: the same request again and again, keyed records, and fetches.
#include <charconv>
#include <stdexcept>

#include "tests/bench/load/dialogue.hpp"
#include "tests/bench/load/http_reader.hpp"

namespace pystream::bench {
namespace {

constexpr unsigned ok = 200;
constexpr unsigned created = 201;
constexpr std::uint64_t keys = 100'000;

void append_number(std::string& out, std::uint64_t value)
{
    char digits[20];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

std::string get_head(const work& what, std::string_view target)
{
    return "GET " + std::string{target} + " HTTP/1.1\r\nHost: " + what.host + "\r\n\r\n";
}

std::string post(const work& what, std::string_view target, std::string_view type, std::string_view body)
{
    return "POST " + std::string{target} + " HTTP/1.1\r\nHost: " + what.host + "\r\nContent-Type: " + std::string{type} +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body};
}

std::string json_batch(const work& what)
{
    std::string body = R"({"records":[)";
    for (std::size_t i = 0; i < what.batch; ++i) {
        if (i > 0) body += ',';
        body += R"({"value":")" + std::string(what.value_bytes, 'v') + R"("})";
    }
    return body + "]}";
}

// /records of the partition that this connection works on.
std::string partition_records(const work& what, std::uint64_t connection)
{
    return what.target + "/partitions/" + std::to_string(connection % what.partitions) + "/records";
}

class http_dialogue : public dialogue {
public:
    explicit http_dialogue(unsigned status_wanted) : status_wanted_(status_wanted) {}

    outcome read_answer(std::string_view in) final
    {
        switch (reader_.read(in)) {
        case scan::more: return {};
        case scan::malformed: return failed("not an HTTP answer", in);
        case scan::complete: break;
        }
        if (reader_.status() != status_wanted_) return failed("not the answer that was asked for", in);
        outcome found = count(reader_.body());
        found.bytes = reader_.bytes();
        reader_.reset();
        return found;
    }

private:
    virtual outcome count(std::string_view body) = 0;

    unsigned status_wanted_;
    http_reader reader_;
};

// The same bytes every time.
class fixed_requests final : public http_dialogue {
public:
    fixed_requests(std::string request, unsigned status, std::uint64_t records)
        : http_dialogue(status), request_(std::move(request)), records_(records)
    {
    }
    void append_request(std::string& out) override { out += request_; }

private:
    outcome count(std::string_view) override { return {outcome::kind::done, 0, records_, {}}; }

    std::string request_;
    std::uint64_t records_;
};

// One raw record with a key, by which the server chooses the partition. The keys come in no order.
class keyed_requests final : public http_dialogue {
public:
    keyed_requests(const work& what, std::uint64_t connection)
        : http_dialogue(created),
          request_(post(what, what.target + "/records?key=" + std::string(key_digits, '0'), "application/octet-stream",
                        std::string(what.value_bytes, 'v'))),
          key_at_(request_.find("?key=") + 5),
          state_(connection * 0x9e3779b97f4a7c15 + 1)
    {
    }
    void append_request(std::string& out) override
    {
        state_ = state_ * 6364136223846793005 + 1442695040888963407;
        std::uint64_t key = (state_ >> 33) % keys;
        for (std::size_t i = key_digits; i-- > 0; key /= 10) request_[key_at_ + i] = static_cast<char>('0' + key % 10);
        out += request_;
    }

private:
    static constexpr std::size_t key_digits = 8;

    outcome count(std::string_view) override { return {outcome::kind::done, 0, 1, {}}; }

    std::string request_;
    std::size_t key_at_;
    std::uint64_t state_;
};

// Pages of `batch` records, each of which must be full.
class fetch_requests final : public http_dialogue {
public:
    fetch_requests(const work& what, std::uint64_t connection)
        : http_dialogue(ok),
          what_(what),
          offsets_(what, connection),
          line_("GET " + partition_records(what, connection) + "?max_records=" + std::to_string(what.batch) +
                "&max_bytes=" + std::to_string(what.batch * what.value_bytes) + "&offset="),
          rest_(" HTTP/1.1\r\nHost: " + what.host + "\r\n\r\n")
    {
    }
    void append_request(std::string& out) override
    {
        offset_ = offsets_.next();
        out += line_;
        append_number(out, offset_);
        out += rest_;
    }

private:
    outcome count(std::string_view body) override
    {
        constexpr std::string_view name = "\"next_offset\":";
        const std::size_t at = body.rfind(name);
        std::uint64_t next = 0;
        if (at == std::string_view::npos) return failed("a page without next_offset", body);
        std::from_chars(body.data() + at + name.size(), body.data() + body.size(), next);
        if (next != offset_ + what_.batch) return failed("a page that is not full", body.substr(at));
        return {outcome::kind::done, 0, what_.batch, {}};
    }

    const work& what_;
    walk offsets_;
    std::uint64_t offset_ = 0;
    std::string line_;
    std::string rest_;
};

}  // namespace

dialogue_ptr make_http_dialogue(const work& what, std::uint64_t connection)
{
    constexpr std::string_view bytes = "application/octet-stream";
    const std::string value(what.value_bytes, 'v');
    if (what.name == "get") return std::make_unique<fixed_requests>(get_head(what, what.target), ok, 0);
    if (what.name == "post") return std::make_unique<fixed_requests>(post(what, what.target, bytes, value), created, 1);
    if (what.name == "single")
        return std::make_unique<fixed_requests>(post(what, partition_records(what, connection), bytes, value), created, 1);
    if (what.name == "batch")
        return std::make_unique<fixed_requests>(
            post(what, partition_records(what, connection), "application/json", json_batch(what)), created, what.batch);
    if (what.name == "keyed") return std::make_unique<keyed_requests>(what, connection);
    if (what.name == "fetch") return std::make_unique<fetch_requests>(what, connection);
    throw std::invalid_argument{"unknown work " + what.name + " for HTTP"};
}

}  // namespace pystream::bench
