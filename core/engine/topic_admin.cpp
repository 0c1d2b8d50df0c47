#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/limits.hpp"
#include "core/engine/await.hpp"
#include "core/engine/engine_impl.hpp"

namespace pystream::engine {
namespace {

namespace limits = base::limits;

// What a replica of a partition needs on its broker's disk.
struct place_to_make {
    std::string root;
    std::string directory;
};

// A directory of that name whose topic the metadata never knew (a try that was never acknowledged, or data that somebody put there) makes
// room: it is renamed, never removed.
result<void> make_room(io::file_system& files, const std::string& root, const std::string& name, base::random_source& random)
{
    std::array<unsigned char, base::topic_id::size_bytes> unknown{};
    random.fill(unknown);
    const auto meta = cluster::read_topic_meta(files, root, name);
    const base::topic_id id = meta ? meta->id : base::topic_id{unknown};
    return cluster::set_aside_topic(files, root, name, id);
}

result<void> make_topic_directory(io::file_system& files, const std::string& root, const cluster::topic_meta& meta,
                                  base::random_source& random)
{
    auto made = cluster::create_topic_directory(files, root, meta);
    if (made || made.error().code != errc::already_exists_on_disk) return made;
    if (auto room = make_room(files, root, meta.name, random); !room) return room;
    return cluster::create_topic_directory(files, root, meta);
}

error unavailable(std::string detail)
{
    return error{errc::brokers_unavailable, std::move(detail)};
}

}  // namespace

cluster::row_change engine_impl::change(std::string key, std::optional<std::string> value) const
{
    const auto known = revisions_.find(key);
    return {std::move(key), known == revisions_.end() ? 0 : known->second, std::move(value)};
}

// The one way to change metadata. Memory follows only what is applied.
awaitable<result<void>> engine_impl::transact(std::vector<cluster::row_change> changes)
{
    auto outcome = co_await await_callback<cluster::transaction_result>(
        [this, &changes](auto done) { store_.transact(changes, std::move(done)); });
    if (outcome.outcome == cluster::transaction_outcome::applied) {
        for (const auto& each : changes) {
            if (each.value)
                revisions_[each.key] = outcome.revision;
            else
                revisions_.erase(each.key);
        }
        co_return result<void>{};
    }
    error e = outcome.error;
    logger_.write(base::severity::error, "metadata not saved", {{"code", base::to_string(e.code)}, {"reason", e.internal}});
    if (outcome.outcome == cluster::transaction_outcome::unknown) {
        metadata_problem_ = "the outcome of a metadata change is unknown; restart the server to read what is stored";
        e.code = errc::outcome_unknown;
        e.detail = metadata_problem_;
        e.outcome_unknown = true;
    }
    co_return e;
}

std::optional<error> engine_impl::brokers_refusal() const
{
    for (const auto& [id, broker] : brokers_)
        if (!broker.problem.empty())
            return unavailable("broker " + std::to_string(id.value()) + " is not available: " + broker.problem);
    return std::nullopt;
}

// Every partition keeps a file open, so their number is bounded by what the process may open, too.
result<void> engine_impl::room_for(std::int32_t partitions) const
{
    const std::int64_t max = std::min<std::int64_t>(limits::partitions_total_max, options_.partitions_max);
    if (static_cast<std::int64_t>(metadata_.partitions.size()) + partitions <= max) return {};
    return base::invalid("/partitions", "this server may have up to " + std::to_string(max) + " partitions, and has " +
                                            std::to_string(metadata_.partitions.size()));
}

std::vector<cluster::partition_row> engine_impl::place(const cluster::topic_row& topic, std::int32_t from) const
{
    std::vector<broker_id> brokers;
    for (const auto& [id, row] : metadata_.brokers) brokers.push_back(id);
    std::vector<cluster::partition_row> rows;
    for (std::int32_t p = from; p < topic.partition_count; ++p) {
        auto replicas = cluster::place_modulo(partition_index{p}, brokers, topic.replication_factor);
        rows.push_back({topic.id, partition_index{p}, replicas, replicas.front(), leader_epoch{1}, replicas});
    }
    return rows;
}

// Directories and empty logs of the given partitions, durable, on the pool.
awaitable<result<std::vector<std::unique_ptr<storage::log>>>> engine_impl::create_logs(cluster::topic_row topic,
                                                                                       std::vector<cluster::partition_row> rows)
{
    using logs = std::vector<std::unique_ptr<storage::log>>;
    std::vector<place_to_make> places;
    for (const auto& row : rows) {
        const std::string& root = brokers_.at(row.leader).root;
        places.push_back({root, cluster::partition_directory(root, topic.name, row.index)});
    }
    const auto options = log_options_of(topics::resolve(topic.config, options_.topic_defaults));
    const bool whole = !rows.empty() && rows.front().index == partition_index{0};
    auto made = co_await run_on(pool_.executor(), [this, topic, places, options, whole]() -> result<logs> {
        const cluster::topic_meta meta{topic.id, topic.name, topic.partition_count};
        std::string root;
        logs created;
        for (const auto& place : places) {
            if (place.root != root) {
                root = place.root;
                auto ready =
                    whole ? make_topic_directory(files_, root, meta, random_) : cluster::write_topic_meta(files_, root, meta);
                if (!ready) return ready.error();
            }
            auto log = storage::log::create(files_, place.directory, options, logger_);
            if (!log) return log.error();
            created.push_back(std::move(*log));
        }
        return created;
    });
    co_return made;
}

awaitable<result<topic_description>> engine_impl::create_topic(create_topic_request request, bool internal)
{
    if (!internal) {
        if (auto refused = write_refusal()) co_return *refused;
        if (auto bad = topics::check_name(request.name, "/name"); !bad) co_return bad.error();
        if (topics::is_internal(request.name))
            co_return error{errc::internal_topic, "names that start with \"__\" belong to the server"};
    }
    cluster::topic_row row;
    row.name = request.name;
    row.partition_count = request.partitions.value_or(options_.default_partitions);
    row.replication_factor = request.replication_factor.value_or(options_.default_replication_factor);
    row.config = request.config;
    row.created_ms = clock_.wall_ns() / 1'000'000;
    if (row.partition_count < 1 || row.partition_count > limits::partitions_max)
        co_return base::invalid("/partitions", "must be 1 to " + std::to_string(limits::partitions_max));
    const auto brokers = static_cast<std::int32_t>(metadata_.brokers.size());
    if (row.replication_factor < 1 || row.replication_factor > brokers)
        co_return base::invalid("/replication_factor", "must be 1 to the number of brokers, " + std::to_string(brokers));

    const auto pass = co_await admin_.enter();
    if (topics_.contains(row.name)) co_return error{errc::topic_exists, "a topic of that name exists"};
    if (auto refused = brokers_refusal()) co_return *refused;
    if (auto full = room_for(row.partition_count); !full) co_return full.error();
    std::array<unsigned char, base::topic_id::size_bytes> id{};
    random_.fill(id);
    row.id = base::topic_id{id};
    auto rows = place(row, 0);
    auto logs = co_await create_logs(row, rows);
    result<void> saved;
    if (logs) {
        std::vector<cluster::row_change> changes{change(cluster::topic_key(row.name), cluster::encode(row))};
        for (const auto& each : rows)
            changes.push_back(change(cluster::partition_key(each.topic, each.index), cluster::encode(each)));
        saved = co_await transact(std::move(changes));
    } else {
        saved = logs.error();
    }
    if (!saved) {
        if (!saved.error().outcome_unknown) co_await discard_topic(row, rows);
        co_return saved.error();
    }
    auto topic = std::make_shared<topic_state>();
    topic->row = row;
    topic->config = topics::resolve(row.config, options_.topic_defaults);
    adopt(*topic, rows, std::move(*logs));
    topics_[row.name] = topic;
    topic_names_[row.id] = row.name;
    metadata_.topics[row.name] = row;
    logger_.write(base::severity::info, "topic created",
                  {{"topic", row.name}, {"topic_id", row.id.to_hex()}, {"partitions", row.partition_count}});
    co_return describe(*topic);
}

// New partitions become part of the running topic.
void engine_impl::adopt(topic_state& topic, const std::vector<cluster::partition_row>& rows,
                        std::vector<std::unique_ptr<storage::log>> logs)
{
    for (std::size_t i = 0; i < rows.size(); ++i) {
        metadata_.partitions[{rows[i].topic, rows[i].index}] = rows[i];
        topic.partitions.push_back(make_partition(topic, rows[i], std::move(logs[i])));
    }
}

// Nothing of a creation that surely failed is left behind.
awaitable<void> engine_impl::discard_topic(cluster::topic_row row, std::vector<cluster::partition_row> rows)
{
    std::set<std::string> roots;
    for (const auto& each : rows) roots.insert(brokers_.at(each.leader).root);
    co_await run_on(pool_.executor(), [this, row, roots] {
        for (const std::string& root : roots) {
            const auto meta = cluster::read_topic_meta(files_, root, row.name);
            if (meta && meta->id != row.id) continue;
            auto gone = cluster::set_aside_topic(files_, root, row.name, row.id);
            if (gone) gone = cluster::unlink_deleted(files_, root, row.id);
            if (!gone)
                logger_.write(base::severity::warning, "half-made topic left behind",
                              {{"topic", row.name}, {"reason", gone.error().internal}});
        }
        return true;
    });
}

awaitable<result<topic_description>> engine_impl::alter_topic(alter_topic_request request)
{
    if (auto refused = write_refusal()) co_return *refused;
    const auto pass = co_await admin_.enter();
    auto found = find_topic(request.name);
    if (!found) co_return found.error();
    const std::shared_ptr<topic_state> topic = *found;
    if (topics::is_internal(request.name)) co_return error{errc::internal_topic, "internal topics are not altered by users"};
    topics::topic_config config = topic->row.config;
    for (const auto& [key, value] : request.config)
        if (auto set = topics::set_config(config, key, value, "/config"); !set) co_return set.error();
    const std::int32_t to = request.partitions.value_or(topic->row.partition_count);
    if (to < topic->row.partition_count || to > limits::partitions_max)
        co_return base::invalid("/partitions", "partitions only grow: must be " + std::to_string(topic->row.partition_count) +
                                                   " to " + std::to_string(limits::partitions_max));
    const bool keyed =
        std::any_of(topic->partitions.begin(), topic->partitions.end(), [](const auto& each) { return each->log->has_keys(); });
    if (to > topic->row.partition_count && keyed && !request.reroute_keys)
        co_return error{errc::reroute_required,
                        "the topic has records with keys, and more partitions send keys elsewhere; say \"reroute_keys\": true "
                        "if that is meant"};
    auto changed = co_await change_topic(topic, to, config);
    if (!changed) co_return changed.error();
    co_return describe(*topic);
}

awaitable<result<void>> engine_impl::change_topic(std::shared_ptr<topic_state> topic, std::int32_t partitions,
                                                  topics::topic_config config)
{
    cluster::topic_row row = topic->row;
    row.config = config;
    row.partition_count = partitions;
    if (row == topic->row) co_return result<void>{};
    std::vector<cluster::partition_row> rows;
    std::vector<std::unique_ptr<storage::log>> logs;
    if (partitions > topic->row.partition_count) {
        if (auto refused = brokers_refusal()) co_return *refused;
        if (auto full = room_for(partitions - topic->row.partition_count); !full) co_return full.error();
        rows = place(row, topic->row.partition_count);
        auto made = co_await create_logs(row, rows);
        if (!made) co_return made.error();
        logs = std::move(*made);
    }
    std::vector<cluster::row_change> changes{change(cluster::topic_key(row.name), cluster::encode(row))};
    for (const auto& each : rows)
        changes.push_back(change(cluster::partition_key(each.topic, each.index), cluster::encode(each)));
    auto saved = co_await transact(std::move(changes));
    if (!saved) {
        topic->uncertain = saved.error().outcome_unknown;
        co_return saved;
    }
    topic->row = row;
    topic->config = topics::resolve(config, options_.topic_defaults);
    metadata_.topics[row.name] = row;
    for (const auto& each : topic->partitions)
        if (auto* leader = each->log->leader()) leader->set_options(log_options_of(topic->config));
    adopt(*topic, rows, std::move(logs));
    co_return saved;
}

awaitable<result<void>> engine_impl::delete_topic(std::string name)
{
    if (auto refused = write_refusal()) co_return *refused;
    const auto pass = co_await admin_.enter();
    auto found = find_topic(name);
    if (!found) co_return found.error();
    const std::shared_ptr<topic_state> topic = *found;
    if (topics::is_internal(name)) co_return error{errc::internal_topic, "internal topics are not deleted by users"};
    cluster::deleting_row deleting{topic->row.id, name, {}};
    for (const auto& [id, broker] : brokers_) deleting.brokers.push_back(id);
    std::vector<cluster::row_change> changes{change(cluster::deleting_key(deleting.id), cluster::encode(deleting)),
                                             change(cluster::topic_key(name), std::nullopt)};
    for (const auto& each : topic->partitions)
        changes.push_back(change(cluster::partition_key(each->log->row().topic, each->log->row().index), std::nullopt));
    auto saved = co_await transact(std::move(changes));
    if (!saved) {
        topic->uncertain = saved.error().outcome_unknown;
        co_return saved;
    }
    forget(*topic, deleting);
    logger_.write(base::severity::info, "topic deleted", {{"topic", name}, {"topic_id", deleting.id.to_hex()}});
    // Jobs open files by their path: none may be out when the name is given to a new topic.
    for (const auto& each : topic->partitions) co_await close(each);
    co_await set_aside(deleting);
    cleanings_out_ += 1;
    asio::co_spawn(loop_, clean_deleted(deleting), [this](std::exception_ptr) { cleanings_out_ -= 1; });
    co_return result<void>{};
}

// The topic is gone for everybody who asks from now on.
void engine_impl::forget(topic_state& topic, const cluster::deleting_row& deleting)
{
    metadata_.topics.erase(deleting.name);
    metadata_.deleting[deleting.id] = deleting;
    topics_.erase(deleting.name);
    topic_names_.erase(deleting.id);
    for (const auto& machine : offsets_) machine->forget_topic(deleting.id);
    for (const auto& each : topic.partitions) {
        metadata_.partitions.erase({deleting.id, each->log->row().index});
        each->log->retire();
        each->wake_readers(true);
    }
}

awaitable<void> engine_impl::close(std::shared_ptr<partition_state> partition)
{
    auto* leader = partition->log->leader();
    if (leader == nullptr) co_return;
    (void)co_await await_callback<result<void>>([leader](auto done) { leader->close(std::move(done)); });
}

// The name is free for a new topic. False where a broker could not do it: that is tried again at the next start.
awaitable<bool> engine_impl::set_aside(cluster::deleting_row row)
{
    bool all = true;
    for (const broker_id id : row.brokers) {
        auto moved = co_await run_on(pool_.executor(), [this, root = brokers_.at(id).root, row]() -> result<void> {
            const auto meta = cluster::read_topic_meta(files_, root, row.name);
            if (!meta || meta->id != row.id) return {};
            return cluster::set_aside_topic(files_, root, row.name, row.id);
        });
        if (moved) continue;
        all = false;
        logger_.write(base::severity::warning, "deleted topic still in place",
                      {{"topic", row.name}, {"reason", moved.error().internal}});
    }
    co_return all;
}

// Unlinks what is left of a deleted topic and then forgets it.
awaitable<void> engine_impl::clean_deleted(cluster::deleting_row row)
{
    for (const broker_id id : row.brokers) {
        const auto broker = brokers_.find(id);
        if (broker == brokers_.end() || !broker->second.problem.empty()) co_return;
    }
    const bool moved = co_await set_aside(row);
    if (!moved) co_return;
    for (const broker_id id : row.brokers) {
        const auto broker = brokers_.find(id);
        auto unlinked = co_await run_on(pool_.executor(), [this, root = broker->second.root, row] {
            return cluster::unlink_deleted(files_, root, row.id);
        });
        if (!unlinked) {
            logger_.write(base::severity::warning, "deleted topic not unlinked yet",
                          {{"topic", row.name}, {"reason", unlinked.error().internal}});
            co_return;
        }
    }
    const auto pass = co_await admin_.enter();
    std::vector<cluster::row_change> changes{change(cluster::deleting_key(row.id), std::nullopt)};
    auto saved = co_await transact(std::move(changes));
    if (saved) metadata_.deleting.erase(row.id);
}

}  // namespace pystream::engine
