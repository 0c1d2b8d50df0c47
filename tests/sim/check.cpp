#include "tests/sim/check.hpp"

#include <charconv>
#include <set>

#include "tests/sim/clients.hpp"

namespace pystream::sim {
namespace {

std::string text_of(const base::error& e)
{
    return std::string{base::to_string(e.code)} + " (" + e.detail + "; " + e.internal + ")";
}

std::optional<record_id> parse(std::string_view value)
{
    record_id id;
    const char* const end = value.data() + value.size();
    const auto first = std::from_chars(value.data(), end, id.request);
    if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '/') return std::nullopt;
    const auto second = std::from_chars(first.ptr + 1, end, id.index);
    if (second.ec != std::errc{} || second.ptr == end || *second.ptr != '/') return std::nullopt;
    return id;
}

struct content {
    std::vector<record_id> records;
    std::vector<std::size_t> batch_sizes;
    std::int64_t last_timestamp_ns = 0;
    base::leader_epoch last_epoch;
    std::string problem;
    std::optional<base::error> refused;
};

// Decodes the runs of one fetch; every offset follows the one before.
void take(content& into, const engine::fetch_result& fetched, const model& known)
{
    for (const auto& run : fetched.runs) {
        std::string_view rest = run.bytes;
        while (!rest.empty() && into.problem.empty()) {
            const auto header = storage::decode_header(rest);
            if (!header) return void(into.problem = "a batch that was served cannot be decoded");
            storage::record_cursor cursor(rest);
            storage::decoded_record record;
            if (header->epoch < into.last_epoch) return void(into.problem = "an epoch goes back");
            into.last_epoch = header->epoch;
            std::size_t count = 0;
            for (auto more = cursor.next(record); more && *more; more = cursor.next(record), ++count) {
                if (record.offset.value() != static_cast<std::int64_t>(into.records.size()))
                    return void(into.problem = "offset " + std::to_string(record.offset.value()) + " instead of " +
                                               std::to_string(into.records.size()));
                if (record.timestamp_ns < into.last_timestamp_ns) return void(into.problem = "a timestamp goes back");
                into.last_timestamp_ns = record.timestamp_ns;
                const auto id = record.value ? parse(*record.value) : std::nullopt;
                if (!id || id->request >= known.requests.size() ||
                    *record.value != value_of(*id, known.requests[id->request].value_bytes))
                    return void(into.problem =
                                    "a value that nobody wrote: " + std::string{record.value.value_or("null")}.substr(0, 60));
                into.records.push_back(*id);
            }
            into.batch_sizes.push_back(count);
            rest.remove_prefix(header->length_bytes);
        }
    }
}

content read_all(machine& on, const model& known, const std::string& topic, int partition)
{
    content found;
    for (;;) {
        engine::fetch_request request;
        request.topic = topic;
        request.partition = base::partition_index{partition};
        request.position = {engine::fetch_position::kind::at, base::offset{static_cast<std::int64_t>(found.records.size())}, 0};
        request.bytes_max = 4096;
        const auto fetched = on.run(on.engine().fetch(request));
        if (!fetched) {
            found.refused = fetched.error();
            return found;
        }
        const std::size_t before = found.records.size();
        take(found, *fetched, known);
        if (!found.problem.empty() || static_cast<std::int64_t>(found.records.size()) >= fetched->high_watermark.value())
            return found;
        if (found.records.size() == before) {
            found.problem = "a fetch below the high watermark is empty";
            return found;
        }
    }
}

// Each batch is one whole request, at the offset that was answered, once.
std::string check_batches(const content& found, const model& known, const std::string& topic, std::uint32_t born, int partition)
{
    std::set<std::uint32_t> met;
    std::size_t at = 0;
    for (const std::size_t size : found.batch_sizes) {
        const record_id first = found.records[at];
        const produced& request = known.requests[first.request];
        const std::string who = "request " + std::to_string(first.request) + " at offset " + std::to_string(at);
        if (request.topic != topic || request.born != born || request.partition != partition)
            return who + " was for another partition";
        if (!met.insert(first.request).second) return who + " is there twice";
        if (request.state == fate::refused) return who + " was refused with outcome none";
        if (request.records != size) return who + " is there in part";
        if (request.state == fate::stored && request.base != static_cast<std::int64_t>(at))
            return who + " was acknowledged at " + std::to_string(request.base);
        for (std::size_t i = 0; i < size; ++i)
            if (found.records[at + i] != record_id{first.request, static_cast<std::uint32_t>(i)}) return who + " is mixed up";
        at += size;
    }
    return {};
}

std::vector<std::uint32_t> acknowledged_in(const model& known, const std::string& topic, std::uint32_t born, int partition)
{
    std::vector<std::uint32_t> ids;
    for (std::uint32_t id = 0; id < known.requests.size(); ++id) {
        const produced& request = known.requests[id];
        if (request.state == fate::stored && request.topic == topic && request.born == born && request.partition == partition)
            ids.push_back(id);
    }
    return ids;
}

std::string check_acknowledged(const content& found, const model& known, const std::vector<std::uint32_t>& ids)
{
    for (const std::uint32_t id : ids) {
        const auto at = static_cast<std::size_t>(known.requests[id].base);
        if (at >= found.records.size() || found.records[at].request != id)
            return "request " + std::to_string(id) + " was acknowledged at " + std::to_string(at) + " and is not there (" +
                   std::to_string(found.records.size()) + " records)";
    }
    return {};
}

std::string settle_topic(const std::string& name, topic_model& topic, const engine::topic_description* there)
{
    if (there == nullptr) {
        if (topic.exists && !topic.may_vanish) return "topic " + name + " is gone";
    } else if (!topic.exists) {
        if (!topic.may_appear) return "topic " + name + " exists, and nobody made it or it was deleted";
        topic.partitions = topic.appears_with;
        topic.id = there->id.to_hex();
    } else if (topic.id && *topic.id != there->id.to_hex()) {
        return "topic " + name + " is another one";
    }
    if (there != nullptr && there->partitions != topic.partitions && there->partitions != topic.may_grow_to)
        return "topic " + name + " has " + std::to_string(there->partitions) + " partitions instead of " +
               std::to_string(topic.partitions);
    topic.exists = there != nullptr;
    if (there != nullptr) topic.partitions = there->partitions;
    topic.may_appear = topic.may_vanish = false;
    topic.may_grow_to = 0;
    return {};
}

std::string check_topics(machine& on, model& known)
{
    for (auto& [name, topic] : known.topics) {
        const auto there = on.engine().describe_topic(name);
        if (auto wrong = settle_topic(name, topic, there ? &*there : nullptr); !wrong.empty()) return wrong;
        if (!topic.exists) continue;
        for (int p = 0; p < topic.partitions; ++p) {
            const auto read = read_partition(on, known, name, p);
            if (!read.contradiction.empty()) return read.contradiction;
            if (read.refused) return name + "/" + std::to_string(p) + " cannot be read: " + text_of(*read.refused);
            const auto described = on.engine().describe_partition(name, base::partition_index{p});
            if (!described->problem.empty()) return name + "/" + std::to_string(p) + ": " + described->problem;
            if (described->end != described->high_watermark) return name + ": the end is not the high watermark after a start";
        }
    }
    return {};
}

std::string show(const positions& at)
{
    std::string text = "{";
    for (const auto& [where, offset] : at)
        text += where.first.substr(0, 4) + "/" + std::to_string(where.second) + "=" + std::to_string(offset) + " ";
    return text + "}";
}

}  // namespace

reading read_partition(machine& on, model& known, const std::string& topic, int partition)
{
    topic_model& about = known.topics[topic];
    // Before the question: what is acknowledged while it is answered may be in the answer or not.
    const auto acknowledged = acknowledged_in(known, topic, about.born, partition);
    const content found = read_all(on, known, topic, partition);
    const std::string where = topic + "/" + std::to_string(partition) + ": ";
    if (!found.problem.empty()) return {where + found.problem, {}};
    if (found.refused) return {{}, found.refused};
    std::vector<record_id>& seen = about.seen[partition];
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (i >= found.records.size() || seen[i] != found.records[i])
            return {where + "offset " + std::to_string(i) + " was seen and is gone or another record now", {}};
    seen = found.records;
    if (auto wrong = check_batches(found, known, topic, about.born, partition); !wrong.empty()) return {where + wrong, {}};
    if (auto wrong = check_acknowledged(found, known, acknowledged); !wrong.empty()) return {where + wrong, {}};
    return {};
}

std::string check_groups(machine& on, model& known, bool settle)
{
    std::set<std::string> ids;
    for (const auto& [name, topic] : known.topics)
        if (const auto there = on.engine().describe_topic(name)) ids.insert(there->id.to_hex());
    for (auto& [group, about] : known.groups) {
        if (about.open) continue;
        const auto lines = on.engine().committed_offsets(group, {});
        if (!lines) return "group " + group + ": " + text_of(lines.error());
        positions actual;
        for (const auto& line : *lines)
            actual[{on.engine().describe_topic(line.topic)->id.to_hex(), line.partition.value()}] = line.at->value();
        bool fits = false;
        std::string expected;
        for (positions each : about.possible) {
            std::erase_if(each, [&](const auto& line) { return !ids.contains(line.first.first); });
            fits = fits || each == actual;
            expected += show(each);
        }
        if (!fits) return "group " + group + " has " + show(actual) + " instead of " + expected;
        if (settle) about.possible = {actual};
    }
    return {};
}

std::string check_everything(machine& on, model& known)
{
    // Whoever got no answer before the crash gets none any more.
    for (auto& [group, about] : known.groups)
        if (about.open) {
            const auto before = about.possible;
            for (const positions& each : before) about.possible.push_back(with(each, *about.open));
            about.open.reset();
        }
    if (auto wrong = check_topics(on, known); !wrong.empty()) return wrong;
    if (!on.engine().health().ready) return "not ready after a start without faults";
    return check_groups(on, known, true);
}

std::string check_service(machine& on, model& known)
{
    clients all(on, known);
    for (const auto& [name, topic] : std::map{known.topics}) {
        if (!topic.exists) continue;
        for (int p = 0; p < topic.partitions; ++p) {
            all.expect_offset(static_cast<std::int64_t>(topic.seen.at(p).size()));
            const auto refused = all.produce_now(name, p, 1 + static_cast<std::uint32_t>(p), 40);
            if (refused) return name + "/" + std::to_string(p) + " takes no record after a start: " + text_of(*refused);
            const auto failed = all.commit_now("g" + std::to_string(p % 2), name, p);
            if (failed) return name + "/" + std::to_string(p) + " takes no commit after a start: " + text_of(*failed);
        }
    }
    return check_topics(on, known);
}

}  // namespace pystream::sim
