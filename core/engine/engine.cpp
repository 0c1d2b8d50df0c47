#include "core/engine/engine.hpp"

#include <utility>

#include "core/engine/engine_impl.hpp"

namespace pystream::engine {

engine_impl::engine_impl(loop_executor loop, io::file_system& files, const base::clock& clock, base::random_source& random,
                         base::logger& logger, engine_options options)
    : loop_(loop),
      files_(files),
      clock_(clock),
      random_(random),
      logger_(logger),
      options_(std::move(options)),
      pool_(loop, options_.make_threads(options_.worker_threads)),
      deadlines_(loop, clock),
      admin_(deadlines_),
      upkeep_timer_(loop),
      tail_cache_(options_.tail_cache_bytes),
      read_budget_(options_.read_bytes_max),
      store_(files, options_.data_dir + "/cluster.meta", pool_)
{
}

engine::engine(loop_executor loop, io::file_system& files, const base::clock& clock, base::random_source& random,
               base::logger& logger, engine_options options)
    : impl_(std::make_unique<engine_impl>(std::move(loop), files, clock, random, logger, std::move(options)))
{
}

engine::~engine() = default;

awaitable<result<void>> engine::start()
{
    return impl_->start();
}
awaitable<void> engine::stop()
{
    return impl_->stop();
}
void engine::begin_drain()
{
    impl_->begin_drain();
}

awaitable<result<topic_description>> engine::create_topic(create_topic_request request)
{
    return impl_->create_topic(std::move(request), false);
}

awaitable<result<topic_description>> engine::alter_topic(alter_topic_request request)
{
    return impl_->alter_topic(std::move(request));
}

awaitable<result<void>> engine::delete_topic(std::string name)
{
    return impl_->delete_topic(std::move(name));
}

result<topic_description> engine::describe_topic(std::string_view name) const
{
    return impl_->describe_topic(name);
}

result<std::vector<topic_description>> engine::list_topics(std::string_view prefix, std::string_view after,
                                                           std::size_t limit) const
{
    return impl_->list_topics(prefix, after, limit);
}

result<partition_description> engine::describe_partition(std::string_view topic, partition_index partition) const
{
    return impl_->describe_partition(topic, partition);
}

awaitable<result<produce_result>> engine::produce(produce_request request)
{
    return impl_->produce(std::move(request));
}

awaitable<result<fetch_result>> engine::fetch(fetch_request request)
{
    return impl_->fetch(std::move(request));
}

awaitable<result<offset_lookup>> engine::find_offset(std::string topic, partition_index partition, fetch_position position)
{
    return impl_->find_offset(std::move(topic), partition, position);
}

awaitable<result<std::vector<committed_line>>> engine::commit_offsets(commit_request request)
{
    return impl_->commit_offsets(std::move(request));
}

result<std::vector<committed_line>> engine::committed_offsets(std::string_view group,
                                                              const std::vector<std::string>& topics) const
{
    return impl_->committed_offsets(group, topics);
}

result<std::vector<std::string>> engine::list_groups(std::string_view prefix, std::string_view after, std::size_t limit) const
{
    return impl_->list_groups(prefix, after, limit);
}

bool engine::group_exists(std::string_view group) const
{
    return impl_->group_exists(group);
}

awaitable<result<void>> engine::delete_group(std::string group)
{
    return impl_->delete_group(std::move(group));
}

cluster_description engine::describe_cluster() const
{
    return impl_->describe_cluster();
}

health_report engine::health() const
{
    return impl_->health();
}

engine_counters engine::counters() const
{
    return impl_->counters();
}

asio::any_io_executor engine::worker_executor() const
{
    return impl_->worker_executor();
}

}  // namespace pystream::engine
