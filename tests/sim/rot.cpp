#include "tests/sim/rot.hpp"

#include <random>
#include <vector>

#include "tests/sim/check.hpp"

namespace pystream::sim {
namespace {

using base::errc;
using tests::simulated_file_system;

void find_files(simulated_file_system& files, const std::string& directory, std::vector<std::string>& out)
{
    for (const auto& entry : *files.list(directory)) {
        const std::string path = directory + "/" + entry.name;
        if (entry.kind == io::entry_kind::directory)
            find_files(files, path, out);
        else if (entry.name != "LOCK" && !files.content(path)->empty())
            out.push_back(path);
    }
}

// Metadata is JSON without a checksum, to be edited by hand: there only bytes that cannot be JSON are damage that can be seen.
std::string rotten(std::string bytes, bool metadata, std::mt19937_64& random)
{
    constexpr std::size_t sector_bytes = 512;
    if (metadata || random() % 3 == 0) {
        const std::size_t begin = random() % bytes.size() / sector_bytes * sector_bytes;
        const std::size_t count = std::min(sector_bytes, bytes.size() - begin);
        bytes.replace(begin, count, count, metadata ? '\0' : static_cast<char>(random() % 256));
        return bytes;
    }
    for (std::uint64_t i = 1 + random() % 4; i > 0; --i) {
        char& each = bytes[random() % bytes.size()];
        each = static_cast<char>(each ^ static_cast<char>(1 + random() % 255));
    }
    return bytes;
}

bool is_damage_report(errc code)
{
    return code == errc::corrupt_record || code == errc::partition_unavailable || code == errc::partition_failed;
}

// From offset to offset, over what is reported as damaged.
std::string read_over_damage(machine& on, const model& known, const std::string& topic, int partition)
{
    const std::vector<record_id>& seen = known.topics.at(topic).seen.at(partition);
    const auto size = static_cast<std::int64_t>(seen.size());
    for (std::int64_t at = 0; at < size;) {
        engine::fetch_request request;
        request.topic = topic;
        request.partition = base::partition_index{partition};
        request.position = {engine::fetch_position::kind::at, base::offset{at}, 0};
        const auto fetched = on.run(on.engine().fetch(request));
        const std::string where = topic + "/" + std::to_string(partition) + " at " + std::to_string(at);
        if (!fetched) {
            if (!is_damage_report(fetched.error().code))
                return where + ": " + std::string{base::to_string(fetched.error().code)};
            if (fetched.error().code != errc::corrupt_record) return {};
            if (fetched.error().expected.value_or(0) <= at) return where + ": damage that does not say where to go on";
            at = *fetched.error().expected;
            continue;
        }
        const std::int64_t before = at;
        for (const auto& run : fetched->runs)
            for (std::string_view rest = run.bytes; !rest.empty();
                 rest.remove_prefix(storage::decode_header(rest)->length_bytes)) {
                storage::record_cursor cursor(rest);
                storage::decoded_record record;
                for (auto more = cursor.next(record); more && *more; more = cursor.next(record)) {
                    if (record.offset.value() < at) continue;
                    if (record.offset.value() != at || at >= size) return where + ": offsets are wrong";
                    const record_id id = seen[static_cast<std::size_t>(at++)];
                    if (record.value != value_of(id, known.requests[id.request].value_bytes))
                        return where + ": another value is served";
                }
            }
        if (at == before) return where + ": nothing is served and no damage reported";
    }
    return {};
}

std::string check_one(simulated_file_system& files, const std::string& path, model known, std::uint64_t seed)
{
    machine on(files, seed);
    if (const auto started = on.run(on.engine().start()); !started) {
        const bool fits = path.ends_with(".meta") && started.error().code == errc::corrupt_metadata;
        return fits ? std::string{} : "no start: " + started.error().internal;
    }
    for (const auto& [name, topic] : known.topics)
        for (int p = 0; topic.exists && p < topic.partitions; ++p)
            if (auto wrong = read_over_damage(on, known, name, p); !wrong.empty()) return wrong;
    for (const auto& [group, about] : std::map{known.groups})
        if (!on.engine().committed_offsets(group, {})) known.groups.erase(group);  // said, not invented
    return check_groups(on, known, false);
}

}  // namespace

std::string check_rot(const simulated_file_system& files, const model& given, std::uint64_t seed, int times)
{
    std::mt19937_64 random(seed);
    model known = given;
    const auto sound = files.clone(random());
    {
        machine on(*sound, random());
        if (!on.run(on.engine().start())) return "no start without faults";
        if (auto wrong = check_everything(on, known); !wrong.empty()) return wrong;
        on.stop();
    }
    sound->crash(tests::crash_keeps::only_durable);
    std::vector<std::string> paths;
    find_files(*sound, "/data", paths);
    for (int i = 0; i < times; ++i) {
        const auto copy = sound->clone(random());
        const std::string& path = paths[random() % paths.size()];
        copy->set_content(path, rotten(*copy->content(path), path.ends_with(".meta"), random));
        if (auto wrong = check_one(*copy, path, known, random()); !wrong.empty())
            return "bytes of " + path + " changed: " + wrong;
    }
    return {};
}

}  // namespace pystream::sim
