#include "api/metrics_text.hpp"

#include <charconv>
#include <iterator>
#include <limits>

#include "api/json_writer.hpp"

namespace pystream::api {
namespace {

constexpr double microseconds_per_second = 1e6;
constexpr double nanoseconds_per_second = 1e9;

enum class kind : std::uint8_t { counter, gauge, histogram };

std::string_view to_string(kind type) noexcept
{
    switch (type) {
    case kind::counter: return "counter";
    case kind::gauge: return "gauge";
    case kind::histogram: return "histogram";
    }
    return "untyped";
}

void append_number(std::string& out, double value)
{
    // Not 5e-04: a bound is part of a series' identity, and people write 0.0005.
    char digits[std::numeric_limits<double>::max_exponent10 + 32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed).ptr;
    out.append(digits, end);
}

class exposition {
public:
    void family(std::string_view name, kind type, std::string_view help)
    {
        name_ = name;
        out_.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name).append(" ");
        out_.append(to_string(type)).append("\n");
    }
    // `suffix` as in _bucket; `labels` as in {le="1"}.
    void sample(std::uint64_t value, std::string_view labels = {}, std::string_view suffix = {})
    {
        begin(labels, suffix);
        append_integer(out_, static_cast<std::int64_t>(value));
        out_ += '\n';
    }
    void sample_real(double value, std::string_view labels = {}, std::string_view suffix = {})
    {
        begin(labels, suffix);
        append_number(out_, value);
        out_ += '\n';
    }
    void counter(std::string_view name, std::string_view help, std::uint64_t value)
    {
        family(name, kind::counter, help);
        sample(value);
    }
    void gauge(std::string_view name, std::string_view help, std::uint64_t value)
    {
        family(name, kind::gauge, help);
        sample(value);
    }
    std::string take() { return std::move(out_); }

private:
    void begin(std::string_view labels, std::string_view suffix)
    {
        out_.append(name_).append(suffix).append(labels).append(" ");
    }

    std::string out_;
    std::string_view name_;
};

void write_engine(exposition& out, const engine::engine_counters& engine)
{
    out.counter("pystream_records_appended_total", "Records made durable.", engine.records_appended);
    out.counter("pystream_bytes_appended_total", "Bytes of record batches made durable.", engine.bytes_appended);
    out.counter("pystream_batches_appended_total", "Record batches made durable.", engine.batches_appended);
    out.counter("pystream_append_failures_total", "Record batches that could not be made durable.", engine.append_failures);
    out.counter("pystream_commit_cycles_total", "Group commits: one write and sync of all that was waiting.",
                engine.commit_cycles);
    out.family("pystream_commit_cycle_seconds_total", kind::counter, "Time spent in group commits.");
    out.sample_real(static_cast<double>(engine.commit_cycle_ns_total) / nanoseconds_per_second);
    out.counter("pystream_syncs_total", "Calls that made files durable.", engine.syncs);
    out.counter("pystream_fetches_hot_total", "Fetches served from memory.", engine.fetches_hot);
    out.counter("pystream_fetches_cold_total", "Fetches served from the disk.", engine.fetches_cold);
    out.counter("pystream_bytes_read_cold_total", "Bytes read from the disk for fetches.", engine.bytes_read_cold);
    out.counter("pystream_offset_commits_total", "Offsets committed by groups.", engine.offset_commits);
    out.counter("pystream_damages_total", "Damaged stretches of log that were found.", engine.damages);
    out.gauge("pystream_pending_bytes", "Bytes accepted and not durable yet.", engine.pending_bytes);
    out.gauge("pystream_tail_cache_bytes", "Bytes of recent batches kept in memory.", engine.tail_cache_bytes);
    out.gauge("pystream_waiting_readers", "Fetches that wait for records.", engine.waiting_readers);
}

void write_requests(exposition& out, const server_counters& server)
{
    static constexpr std::string_view classes[] = {
        "", R"({class="1xx"})", R"({class="2xx"})", R"({class="3xx"})", R"({class="4xx"})", R"({class="5xx"})"};
    out.family("pystream_http_responses_total", kind::counter, "Answers by class of status.");
    for (std::size_t i = 2; i < std::size(classes); ++i) out.sample(server.responses_by_class[i], classes[i]);

    out.family("pystream_http_request_duration_seconds", kind::histogram, "From the whole request to the whole answer.");
    for (std::size_t i = 0; i < std::size(server.duration_bounds_seconds); ++i) {
        std::string label = "{le=\"";
        append_number(label, server_counters::duration_bounds_seconds[i]);
        out.sample(server.durations[i], label + "\"}", "_bucket");
    }
    const auto all = server.durations[std::size(server.durations) - 1];
    out.sample(all, R"({le="+Inf"})", "_bucket");
    out.sample_real(server.duration_seconds_total, {}, "_sum");
    out.sample(all, {}, "_count");
}

void write_server(exposition& out, const server_counters& server)
{
    out.counter("pystream_connections_accepted_total", "Connections accepted.", server.connections_accepted);
    out.counter("pystream_connections_refused_total", "Connections refused because there were too many.",
                server.connections_refused);
    out.gauge("pystream_connections_open", "Connections open now.", server.connections_open);
    out.counter("pystream_http_requests_total", "Requests read.", server.requests);
    out.gauge("pystream_http_requests_in_flight", "Requests that are being answered.", server.requests_in_flight);
    out.gauge("pystream_http_bytes_in_flight", "Memory of requests and answers under way.", server.bytes_in_flight);
    out.counter("pystream_http_bytes_received_total", "Bytes received.", server.bytes_received);
    out.counter("pystream_http_bytes_sent_total", "Bytes sent.", server.bytes_sent);
    out.counter("pystream_http_timeouts_total", "Connections closed by a deadline.", server.timeouts);
    out.counter("pystream_http_protocol_errors_total", "Requests that were not HTTP as it should be.", server.protocol_errors);
    out.family("pystream_loop_lag_seconds", kind::gauge, "The longest turn of the event loop in the last ten seconds.");
    out.sample_real(static_cast<double>(server.loop_lag_max_us) / microseconds_per_second);
    out.gauge("pystream_uptime_seconds", "Seconds since the start.", server.uptime_seconds);
}

void write_cluster(exposition& out, const metrics_input& input)
{
    out.gauge("pystream_ready", "1 when the server is ready.", input.ready ? 1 : 0);
    out.gauge("pystream_topics", "Topics.", static_cast<std::uint64_t>(input.cluster.topics));
    out.gauge("pystream_partitions", "Partitions.", static_cast<std::uint64_t>(input.cluster.partitions));
    out.gauge("pystream_partitions_under_replicated", "Partitions with fewer active replicas than assigned.",
              input.cluster.under_replicated.size());
    out.gauge("pystream_partitions_leaderless", "Partitions without a leader that can serve.", input.cluster.leaderless.size());
    out.gauge("pystream_partitions_failed", "Partitions that failed or hold damaged records.", input.cluster.failed.size());
    out.family("pystream_build_info", kind::gauge, "1, with the version of this program.");
    out.sample(1, "{version=\"" + input.version + "\"}");
}

}  // namespace

std::string metrics_text(const metrics_input& input)
{
    exposition out;
    write_engine(out, input.engine);
    write_server(out, input.server);
    write_requests(out, input.server);
    write_cluster(out, input);
    return out.take();
}

}  // namespace pystream::api
