#include "server/session.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "server/request_parser.hpp"
#include "server/response_head.hpp"

namespace pystream::server {
namespace {

using api::http_errc;
namespace asio = boost::asio;
using engine::awaitable;
using phase = connection::phase;

constexpr std::size_t small_body_bytes_max = 2 * 1024;  // copied behind the head: one buffer is cheaper to send than two
constexpr std::string_view budget_used_up = "The server holds as many bytes of requests and answers as it may.";

class session {
public:
    session(tcp_socket socket, session_context& context, asio::cancellation_signal& gone, bool beyond_limit)
        : connection_(std::move(socket), context, gone),
          context_(context),
          beyond_limit_(beyond_limit),
          scanner_(context.options.head),
          request_bytes_(context.budget),
          answer_bytes_(context.budget)
    {
    }

    awaitable<void> run();

private:
    void begin_request();
    bool head_complete();
    void admit();
    awaitable<void> read_body();
    awaitable<void> read_fixed();
    awaitable<void> read_chunked();
    void begin_handling();
    api::response refuse();
    api::response too_large();
    api::response unforeseen(const std::exception& what);
    std::string_view begin_answer(api::response& answer);
    void finish_request(unsigned status);

    api::request& request() noexcept { return parser_->request(); }
    const head_facts& facts() const noexcept { return parser_->facts(); }
    void refuse_with(http_errc code, std::string_view detail) { refused_ = refusal{code, detail}; }
    void input_ended(connection::end why);
    bool ended() const noexcept { return gone_ || refused_.has_value(); }
    const session_options& options() const noexcept { return context_.options; }

    connection connection_;
    session_context& context_;
    bool beyond_limit_;
    bool first_ = true;   // no request has been served on this connection
    bool gone_ = false;   // no more bytes can be exchanged
    bool close_ = false;  // after the answer at hand

    // The request at hand.
    head_scanner scanner_;
    std::optional<request_parser> parser_;
    std::optional<refusal> refused_;  // what is to be answered instead of calling the handler
    api::method verb_ = api::method::other;
    std::string request_id_;
    std::size_t body_bytes_max_ = 0;
    bool exempt_ = false;
    byte_reservation request_bytes_;
    byte_reservation answer_bytes_;
    base::clock::monotonic_time request_started_;

    std::string out_;  // the answer's head, kept for its memory
};

awaitable<void> session::run()
{
    while (!close_ && !gone_) {
        begin_request();
        while (!ended() && !head_complete()) {
            const connection::end why = co_await connection_.fill();
            input_ended(why);
        }
        if (!ended()) admit();
        if (!ended() && facts().has_body()) co_await read_body();
        if (gone_) co_return;
        api::response answer;
        if (refused_) {
            answer = refuse();
        } else {
            begin_handling();
            try {
                answer = co_await context_.service.handle(std::move(request()));
            } catch (const std::exception& e) {
                answer = unforeseen(e);
            }
            --context_.stats.values.requests_in_flight;
        }
        const std::string_view body = begin_answer(answer);
        if (!connection_.write_now(out_, body)) co_await connection_.write_rest();
        gone_ = connection_.broken();
        finish_request(answer.status);
    }
    if (!gone_) co_await connection_.linger();
}

void session::begin_request()
{
    scanner_.reset();
    parser_.emplace(options().head);
    refused_.reset();
    verb_ = api::method::other;
    exempt_ = false;
    if (beyond_limit_)
        connection_.enter(phase::head, options().reserve_timeout);
    else if (first_ || !connection_.buffered().empty())
        connection_.enter(phase::head, options().head_timeout);
    else
        connection_.enter(phase::idle, options().idle_timeout);
}

// True when the head is there and understood, or refused.
bool session::head_complete()
{
    const std::string_view bytes = connection_.buffered();
    const auto head_bytes = scanner_.scan(bytes, refused_);
    if (!head_bytes) return refused_.has_value();
    refused_ = parser_->take_head(bytes.substr(0, *head_bytes));
    connection_.consume(*head_bytes);
    verb_ = request().verb;
    return true;
}

void session::input_ended(connection::end why)
{
    switch (why) {
    case connection::end::none: return;
    case connection::end::gone: gone_ = true; return;
    case connection::end::late: return refuse_with(http_errc::request_timeout, "The request did not arrive in time.");
    case connection::end::cut_short: return refuse_with(http_errc::bad_request, "The connection ended inside the request.");
    }
}

// Everything that can be said before the body: nothing of a refused body is read, and no 100 is sent for it.
void session::admit()
{
    const api::admission admitted = context_.service.admit(request());
    exempt_ = admitted.exempt_from_load;
    body_bytes_max_ = admitted.body_bytes_max;
    if (beyond_limit_ && !exempt_)
        refuse_with(http_errc::too_many_connections, "There are too many connections.");
    else if (facts().content_length > body_bytes_max_ || (facts().has_body() && body_bytes_max_ == 0))
        refuse_with(http_errc::body_too_large, {});
    else if (!exempt_ && !request_bytes_.try_grow(facts().content_length))
        refuse_with(http_errc::server_busy, budget_used_up);
}

awaitable<void> session::read_body()
{
    if (facts().expect_continue && !facts().http_1_0) {
        if (!connection_.write_now("HTTP/1.1 100 Continue\r\n\r\n", {})) co_await connection_.write_rest();
        gone_ = connection_.broken();
        if (gone_) co_return;
    }
    connection_.enter(phase::body, options().body_timeout);
    if (facts().chunked)
        co_await read_chunked();
    else
        co_await read_fixed();
}

awaitable<void> session::read_fixed()
{
    std::string& body = request().body;
    const auto length = static_cast<std::size_t>(facts().content_length);
    const std::string_view here = connection_.buffered().substr(0, length);
    body.reserve(length);
    body.assign(here);
    connection_.consume(here.size());
    if (here.size() == length) co_return;
    body.resize(length);
    const auto why = co_await connection_.read_all(asio::buffer(body) + here.size());
    input_ended(why);
}

awaitable<void> session::read_chunked()
{
    while (!ended()) {
        std::string_view in = connection_.buffered();
        const std::size_t before = in.size();
        const auto state = parser_->take_chunks(in, body_bytes_max_);
        const std::size_t taken = before - in.size();
        connection_.consume(taken);
        if (!exempt_ && !request_bytes_.try_grow(taken)) co_return refuse_with(http_errc::server_busy, budget_used_up);
        if (state == request_parser::state::done) co_return;
        if (state == request_parser::state::malformed)
            co_return refuse_with(http_errc::bad_request, "The chunked body is malformed.");
        if (state == request_parser::state::too_large) co_return refuse_with(http_errc::body_too_large, {});
        const auto why = co_await connection_.fill();
        connection_.extend_deadline(request().body.size(), options().body_timeout);
        input_ended(why);
    }
}

void session::begin_handling()
{
    if (verb_ == api::method::get)
        connection_.enter_watched_handling(!facts().http_1_0);
    else
        connection_.enter(phase::handling, connection::no_timeout);
    request_started_ = context_.clock.monotonic();
    if (request().request_id.empty()) request().request_id = context_.next_request_id();
    request_id_ = request().request_id;
    ++context_.stats.values.requests_in_flight;
}

// Says the limit of this kind of request. A length that no number can hold is refused before the request is admitted.
api::response session::too_large()
{
    const std::size_t limit = context_.service.admit(request()).body_bytes_max;
    base::error facts;
    facts.detail =
        limit == 0 ? "A request of this kind has no body." : "The body may have up to " + std::to_string(limit) + " bytes.";
    facts.expected = static_cast<std::int64_t>(limit);
    return api::make_problem(http_errc::body_too_large, facts, request_id_);
}

// No memory was left, or a bug, which is no reason to stop serving others. A write may have happened before its handler failed.
api::response session::unforeseen(const std::exception& what)
{
    base::error failed{base::errc::internal};
    failed.outcome_unknown = api::may_change(verb_);
    if (dynamic_cast<const std::bad_alloc*>(&what) != nullptr) {
        context_.logger.write(base::severity::error, "out of memory", {{"request_id", request_id_}});
        failed.detail = "The server is out of memory.";
        return api::make_problem(http_errc::server_busy, failed, request_id_);
    }
    context_.logger.write(base::severity::error, "handler threw", {{"what", what.what()}, {"request_id", request_id_}});
    return api::make_problem(failed, request_id_);
}

api::response session::refuse()
{
    request_started_ = context_.clock.monotonic();
    request_id_ = request().request_id.empty() ? context_.next_request_id() : request().request_id;
    const http_errc code = refused_->code;
    const bool about_load =
        code == http_errc::server_busy || code == http_errc::too_many_connections || code == http_errc::request_timeout;
    if (!about_load) ++context_.stats.values.protocol_errors;
    api::response answer =
        code == http_errc::body_too_large ? too_large() : api::make_problem(code, refused_->detail, request_id_);
    // Only a request whose end is known leaves the connection usable.
    answer.close = code != http_errc::server_busy || facts().has_body();
    return answer;
}

// Makes the head, and returns what of the body is to be written behind it.
std::string_view session::begin_answer(api::response& answer)
{
    request_bytes_.release();
    const bool can_be_dropped = verb_ == api::method::get && !exempt_ && answer.body.size() > options().answer_bytes_spared;
    if (!can_be_dropped)
        answer_bytes_.grow(answer.body.size());
    else if (!answer_bytes_.try_grow(answer.body.size()))
        answer = api::make_problem(http_errc::server_busy, budget_used_up, request_id_);

    close_ = answer.close || !facts().keep_alive || beyond_limit_ || context_.draining;
    out_.clear();
    append_response_head(out_, answer, {context_.date(), request_id_, close_, facts().http_1_0});
    const bool with_body = status_has_body(answer.status) && verb_ != api::method::head;
    std::string_view body = with_body ? body_of(answer) : std::string_view{};
    if (body.size() <= small_body_bytes_max) {
        out_.append(body);
        body = {};
    }
    connection_.enter(phase::writing, options().write_timeout);
    return body;
}

void session::finish_request(unsigned status)
{
    first_ = false;
    answer_bytes_.release();
    const auto took = context_.clock.monotonic() - request_started_;
    ++context_.stats.values.requests;
    context_.stats.count_answer(status, took);
    if (!context_.logger.enabled(base::severity::debug)) return;
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
    context_.logger.write(base::severity::debug, "request",
                          {{"status", status}, {"took_us", micros}, {"request_id", request_id_}});
}

awaitable<void> run_session(tcp_socket socket, session_context& context, std::shared_ptr<asio::cancellation_signal> gone,
                            bool beyond_limit)
{
    try {
        co_await asio::this_coro::throw_if_cancelled(false);
        session connection{std::move(socket), context, *gone, beyond_limit};
        co_await connection.run();
    } catch (const std::bad_alloc&) {  // the connection is the least that can be given up
        context.logger.write(base::severity::error, "connection dropped", {{"reason", "out of memory"}});
    }
}

}  // namespace

void start_session(asio::io_context& loop, tcp_socket socket, session_context& context, bool beyond_limit)
{
    auto gone = std::make_shared<asio::cancellation_signal>();
    asio::co_spawn(loop, run_session(std::move(socket), context, gone, beyond_limit),
                   asio::bind_cancellation_slot(gone->slot(), [gone](const std::exception_ptr&) {}));
}

}  // namespace pystream::server
