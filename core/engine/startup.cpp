#include <string>
#include <utility>

#include "core/engine/await.hpp"
#include "core/engine/engine_impl.hpp"

namespace pystream::engine {
namespace {

using base::severity;
using base::topic_id;

std::string random_hex(base::random_source& random)
{
    std::array<unsigned char, topic_id::size_bytes> bytes{};
    random.fill(bytes);
    return topic_id{bytes}.to_hex();
}

// Makes every level that is missing; all of them are durable.
result<void> make_directories(io::file_system& files, const std::string& path)
{
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        const std::string level = path.substr(0, slash);
        auto there = files.exists(level);
        if (!there) return there.error();
        if (!*there) {
            if (auto made = files.create_directory(level); !made) return made;
            const std::size_t cut = level.rfind('/');
            if (auto synced = files.sync_directory(cut == level.npos ? "." : cut == 0 ? "/" : level.substr(0, cut)); !synced)
                return synced;
        }
        if (slash == path.npos) return {};
    }
}

std::string default_root(broker_id id)
{
    std::string number = std::to_string(id.value());
    return "broker-" + std::string(6 - std::min<std::size_t>(6, number.size()), '0') + number;
}

std::string root_path(const std::string& data_dir, const std::string& root)
{
    return root.starts_with('/') ? root : data_dir + "/" + root;
}

// Why a root is not what the metadata says it is; empty when all is well.
std::string root_problem(io::file_system& files, const std::string& root, const cluster::broker_row& row,
                         const std::string& cluster_id)
{
    const auto meta = cluster::read_broker_meta(files, root);
    if (!meta && meta.error().code == errc::not_found_on_disk) return "broker.meta is missing: is the disk mounted?";
    if (!meta) return "broker.meta cannot be read: " + std::string{base::to_string(meta.error().code)};
    if (meta->cluster_id != cluster_id) return "broker.meta belongs to another cluster";
    if (meta->id != row.id || meta->incarnation != row.incarnation)
        return "broker.meta belongs to another broker or an earlier root";
    return {};
}

// Data is served only from a directory that says it belongs to the topic.
std::optional<error> directory_problem(io::file_system& files, const std::string& root, const cluster::topic_row& topic)
{
    const auto meta = cluster::read_topic_meta(files, root, topic.name);
    if (!meta)
        return error{errc::partition_unavailable,
                     "topic.meta cannot be read: " + std::string{base::to_string(meta.error().code)}, meta.error().internal};
    if (meta->id != topic.id) return error{errc::partition_unavailable, "topic.meta belongs to another topic"};
    return std::nullopt;
}

}  // namespace

awaitable<result<void>> engine_impl::start()
{
    const auto begun = clock_.monotonic();
    auto locked = co_await run_on(pool_.executor(), [this]() -> result<std::unique_ptr<io::directory_lock>> {
        if (auto made = make_directories(files_, options_.data_dir); !made) return made.error();
        return files_.lock(options_.data_dir + "/LOCK");
    });
    if (!locked) co_return locked.error();
    lock_ = std::move(*locked);
    if (auto loaded = co_await load_metadata(); !loaded) co_return loaded;
    co_await open_brokers();
    co_await open_partitions();
    if (auto opened = co_await open_offsets(); !opened) co_return opened;
    ready_ = true;
    schedule_upkeep();
    for (const auto& [id, row] : std::map{metadata_.deleting}) co_await clean_deleted(row);
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.monotonic() - begun).count();
    logger_.write(severity::info, "engine started",
                  {{"cluster_id", metadata_.cluster_id}, {"topics", topics_.size()}, {"duration_ms", ms}});
    co_return result<void>{};
}

awaitable<result<void>> engine_impl::load_metadata()
{
    auto rows = co_await await_callback<result<cluster::loaded_rows>>([this](auto done) { store_.load(std::move(done)); });
    if (!rows && rows.error().code == errc::not_found_on_disk) {
        auto formed = co_await form_cluster();
        co_return formed;
    }
    if (!rows) co_return rows.error();
    auto decoded = cluster::decode_metadata(rows->rows);
    if (!decoded) co_return decoded.error();
    metadata_ = std::move(*decoded);
    for (const auto& row : rows->rows) revisions_[row.key] = row.revision;
    co_return result<void>{};
}

// A new cluster: only where no earlier one has left topics behind, since a lost cluster.meta must not be read as an empty one. A try that
// stopped between broker.meta and cluster.meta is taken up where it stopped.
awaitable<result<void>> engine_impl::form_cluster()
{
    cluster::broker_row row;
    row.id = broker_id{1};
    row.root = default_root(row.id);
    const std::string root = root_path(options_.data_dir, row.root);
    const cluster::broker_meta fresh{random_hex(random_), row.id, random_hex(random_)};
    auto meta = co_await run_on(pool_.executor(), [this, root, fresh]() -> result<cluster::broker_meta> {
        if (const auto found = cluster::list_topics(files_, root); found && !found->empty())
            return error{errc::corrupt_metadata, "cluster.meta is missing although topics exist",
                         options_.data_dir + "/cluster.meta is missing but " + root + "/topics is not empty"};
        const auto before = cluster::read_broker_meta(files_, root);
        const cluster::broker_meta chosen = before ? *before : fresh;
        auto made = cluster::initialise_root(files_, root, chosen);
        if (!made) return made.error();
        return chosen;
    });
    if (!meta) co_return meta.error();
    row.incarnation = meta->incarnation;
    std::vector<cluster::row_change> changes;
    changes.push_back(change(std::string{cluster::cluster_key}, cluster::encode_cluster(meta->cluster_id)));
    changes.push_back(change(cluster::broker_key(row.id), cluster::encode(row)));
    auto saved = co_await transact(std::move(changes));
    if (!saved) co_return saved;
    metadata_.cluster_id = meta->cluster_id;
    metadata_.brokers[row.id] = row;
    co_return saved;
}

awaitable<void> engine_impl::open_brokers()
{
    for (const auto& [id, row] : metadata_.brokers) {
        broker_state& broker = brokers_[id];
        broker.row = row;
        broker.root = root_path(options_.data_dir, row.root);
        broker.problem = co_await run_on(pool_.executor(), [this, root = broker.root, row] {
            return root_problem(files_, root, row, metadata_.cluster_id);
        });
        broker.lane = std::make_unique<asio_commit_lane>(loop_, files_, broker.root, options_.make_threads);
        if (!broker.problem.empty()) {
            logger_.write(severity::error, "broker unavailable", {{"broker", id.value()}, {"reason", broker.problem}});
            continue;
        }
        co_await sort_out_leftovers(broker);
    }
}

// Topic directories that the metadata does not know: half-made ones go, data stays and is listed.
awaitable<void> engine_impl::sort_out_leftovers(broker_state& broker)
{
    auto found = co_await run_on(pool_.executor(), [this, root = broker.root] { return cluster::list_topics(files_, root); });
    if (!found) co_return;
    for (const cluster::found_topic& each : *found) {
        const auto known = metadata_.topics.find(each.directory_name);
        if (known != metadata_.topics.end() && known->second.id == each.id && each.problem.empty()) continue;
        if (known != metadata_.topics.end() && !each.problem.empty()) continue;  // the topic's own: its partitions say so
        if (metadata_.deleting.contains(each.id)) continue;
        const auto removed = co_await run_on(
            pool_.executor(), [this, root = broker.root, each] { return cluster::remove_if_empty(files_, root, each); });
        if (removed && *removed) continue;
        unassigned_.push_back(each.path);
        logger_.write(severity::warning, "data without a topic is left alone", {{"path", each.path}, {"reason", each.problem}});
    }
}

storage::log_options engine_impl::log_options_of(const topics::effective_config& config) const
{
    return {static_cast<std::uint64_t>(config.segment_bytes), config.segment_ms};
}

std::shared_ptr<partition_state> engine_impl::make_partition(const topic_state& topic, cluster::partition_row row,
                                                             result<std::unique_ptr<storage::log>> opened)
{
    auto state = std::make_shared<partition_state>();
    std::shared_ptr<cluster::replica> leader;
    std::string problem;
    topics::partition::position at;
    broker_state& broker = brokers_.at(row.leader);
    if (opened) {
        const storage::log& log = **opened;
        at = {log.end(), log.end(), log.last_timestamp_ns(), log.has_keys()};
        counters_.damages += log.damages().size();
        leader = std::make_shared<cluster::local_replica>(row.leader, std::move(*opened), *broker.lane, pool_);
    } else {
        problem = opened.error().detail.empty() ? std::string{base::to_string(opened.error().code)} : opened.error().detail;
        logger_.write(severity::error, "partition unavailable",
                      {{"topic", topic.row.name},
                       {"partition", row.index.value()},
                       {"reason", problem},
                       {"internal", opened.error().internal}});
    }
    cluster::replicated_partition::events on;
    on.high_watermark_raised = [weak = std::weak_ptr{state}] {
        if (auto self = weak.lock()) self->wake_readers(false);
    };
    on.append_failed = [this, &broker, name = topic.row.name, index = row.index](const error& why) {
        note_append_failure(broker, name, index, why);
    };
    on.appended = [this, &broker](std::uint64_t records, std::uint64_t bytes, std::uint64_t batches) {
        counters_.records_appended += records;
        counters_.bytes_appended += bytes;
        counters_.batches_appended += batches;
        broker.write_problem.clear();
    };
    state->log = std::make_shared<cluster::replicated_partition>(std::move(row), std::move(leader), std::move(problem),
                                                                 tail_cache_, at, std::move(on));
    return state;
}

// All logs at once on the pool; a log that cannot be opened takes its partition away and nothing else.
awaitable<void> engine_impl::open_partitions()
{
    struct opening {
        std::shared_ptr<topic_state> topic;
        cluster::partition_row row;
        std::optional<result<std::unique_ptr<storage::log>>> log;
    };
    std::vector<opening> all;
    for (const auto& [name, row] : metadata_.topics) {
        auto topic = std::make_shared<topic_state>();
        topic->row = row;
        topic->config = topics::resolve(row.config, options_.topic_defaults);
        for (std::int32_t p = 0; p < row.partition_count; ++p)
            all.push_back({topic, metadata_.partitions.at({row.id, partition_index{p}}), std::nullopt});
        topics_[name] = topic;
        topic_names_[row.id] = name;
    }
    auto all_done = std::make_shared<waiter>(deadlines_);
    std::size_t left = all.size();
    for (opening& each : all) {
        const broker_state& broker = brokers_.at(each.row.leader);
        auto open = [this, &broker, &each]() -> result<std::unique_ptr<storage::log>> {
            if (!broker.problem.empty()) return error{errc::partition_unavailable, broker.problem};
            if (auto wrong = directory_problem(files_, broker.root, each.topic->row)) return *wrong;
            const auto directory = cluster::partition_directory(broker.root, each.topic->row.name, each.row.index);
            return storage::log::open(files_, directory, log_options_of(each.topic->config), logger_);
        };
        cluster::run_on_pool(pool_, std::move(open), [&each, &left, all_done](result<std::unique_ptr<storage::log>> log) {
            each.log.emplace(std::move(log));
            if (--left == 0) all_done->notify();
        });
    }
    if (left != 0) co_await all_done->wait(monotonic_time::max(), false);
    std::vector<cluster::partition_row> cut;
    for (opening& each : all)
        if (*each.log && (**each.log)->recovery().torn_bytes_cut > 0) cut.push_back(each.row);
    const auto raised = co_await raise_epochs(std::move(cut));
    for (opening& each : all) {
        each.row = metadata_.partitions.at({each.row.topic, each.row.index});
        if (!raised && *each.log && (**each.log)->recovery().torn_bytes_cut > 0) *each.log = raised.error();
        each.topic->partitions.push_back(make_partition(*each.topic, each.row, std::move(*each.log)));
    }
}

// A leader that has cut its own log goes on in a new epoch, durable before the first append, so that (epoch, offset) names one content.
awaitable<result<void>> engine_impl::raise_epochs(std::vector<cluster::partition_row> cut)
{
    if (cut.empty()) co_return result<void>{};
    std::vector<cluster::row_change> changes;
    for (auto& row : cut) {
        row.epoch = leader_epoch{row.epoch.value() + 1};
        changes.push_back(change(cluster::partition_key(row.topic, row.index), cluster::encode(row)));
    }
    auto saved = co_await transact(std::move(changes));
    if (!saved) co_return saved;
    for (auto& row : cut) metadata_.partitions[{row.topic, row.index}] = row;
    co_return saved;
}

awaitable<result<void>> engine_impl::open_offsets()
{
    for (std::int32_t i = 0; i < groups::offsets_partition_count; ++i)
        offsets_.push_back(std::make_unique<groups::committed_offsets>());
    if (!topics_.contains(groups::offsets_topic_name)) {
        if (brokers_refusal()) co_return result<void>{};
        create_topic_request request;
        request.name = std::string{groups::offsets_topic_name};
        request.partitions = groups::offsets_partition_count;
        request.replication_factor = 1;
        auto created = co_await create_topic(std::move(request), true);
        if (!created) co_return created.error();
    }
    for (std::size_t i = 0; i < offsets_.size(); ++i)
        if (auto replayed = co_await replay_offsets(i); !replayed) {
            offsets_problems_[i] = replayed.error();
            logger_.write(severity::error, "committed offsets unavailable",
                          {{"partition", i}, {"reason", replayed.error().detail}, {"internal", replayed.error().internal}});
        }
    // Offsets of topics that are no more belong to nobody: ids never come back.
    for (const auto& machine : offsets_)
        machine->forget_topics_unless([this](const base::topic_id& id) { return topic_names_.contains(id); });
    co_return result<void>{};
}

// Reads one partition of the internal topic from start to end into its machine.
awaitable<result<void>> engine_impl::replay_offsets(std::size_t index)
{
    const auto& topic = *topics_.find(groups::offsets_topic_name)->second;
    const std::shared_ptr<partition_state> from = topic.partitions[index];
    if (auto refused = from->log->read_refusal()) co_return *refused;
    constexpr std::uint64_t step_bytes = 1 << 20;
    offset at = from->log->start();
    while (at < from->log->high_watermark()) {
        auto found = co_await read(from, at, step_bytes);
        if (!found) co_return found.error();
        for (const storage::batch_run& run : found->runs) {
            if (auto replayed = replay_run(*offsets_[index], run); !replayed) co_return replayed;
            at = run.end;
        }
    }
    co_return result<void>{};
}

void engine_impl::begin_drain()
{
    draining_ = true;
    for (const auto& [name, topic] : topics_)
        for (const auto& partition : topic->partitions) partition->wake_readers(true);
}

awaitable<void> engine_impl::stop()
{
    begin_drain();
    upkeep_timer_.cancel();
    co_await drain_writes();
    checkpoint_quiet(true);
    while (checkpoints_out_ > 0 || cleanings_out_ > 0)
        co_await std::make_shared<waiter>(deadlines_)->wait(clock_.monotonic() + std::chrono::milliseconds{2}, false);
    ready_ = false;
    const auto pass = co_await admin_.enter();  // whoever changes metadata is done with its files
    deadlines_.stop();
    for (auto& [id, broker] : brokers_)
        if (broker.lane) broker.lane->join();
    lock_.reset();
    logger_.write(severity::info, "engine stopped", {});
}

}  // namespace pystream::engine
