#include "tests/sim/clients.hpp"

#include "tests/support/engine_fixture.hpp"

namespace pystream::sim {

template <class T>
void clients::ask(engine::awaitable<T> call, std::function<void(const T&)> note)
{
    open_.push_back([this, state = on_.begin(std::move(call)), note = std::move(note)] {
        if (!state->value) return false;
        if (state->failed) throw std::runtime_error("a call of the engine ended with an exception");
        last_error_.reset();
        if (!*state->value) last_error_ = state->value->error();
        note(*state->value);
        return true;
    });
}

void clients::poll()
{
    std::erase_if(open_, [](const auto& answered) { return answered(); });
}

std::optional<base::error> clients::finish()
{
    on_.settle();
    poll();
    return last_error_;
}

void clients::produce(const std::string& topic, int partition, std::uint32_t records, std::uint32_t value_bytes)
{
    const auto id = static_cast<std::uint32_t>(known_.requests.size());
    known_.requests.push_back({topic, known_.topics[topic].born, partition, records, value_bytes});
    engine::produce_request request;
    request.topic = topic;
    request.partition = base::partition_index{partition};
    request.expected_offset = std::exchange(expected_, std::nullopt);
    for (std::uint32_t i = 0; i < records; ++i) {
        const std::string value = value_of({id, i}, value_bytes);
        storage::record_view record;
        record.value = value;
        request.records.add(record);
    }
    using answer = base::result<engine::produce_result>;
    ask<answer>(on_.engine().produce(std::move(request)), [this, id](const answer& got) {
        produced& asked = known_.requests[id];
        if (got) {
            asked.state = fate::stored;
            asked.base = got->results.front().at.value();
        } else if (!got.error().outcome_unknown) {
            asked.state = fate::refused;
        }
    });
}

void clients::commit(const std::string& group, const std::string& topic, int partition, std::int64_t at)
{
    group_model& about = known_.groups[group];
    const auto described = on_.engine().describe_topic(topic);
    if (about.open || !described) return;
    // Two lines where there are two partitions: a request is there whole or not at all.
    engine::commit_request request{group, {}, true};
    positions changes;
    for (const int p : {partition, 0}) {
        const auto place = on_.engine().describe_partition(topic, base::partition_index{p});
        if (!place || changes.contains({described->id.to_hex(), p})) continue;
        const std::int64_t to = std::min(at, place->high_watermark.value());
        request.offsets.push_back({topic, base::partition_index{p}, base::offset{to}, {}});
        changes[{described->id.to_hex(), p}] = to;
    }
    about.open = changes;
    using answer = base::result<std::vector<engine::committed_line>>;
    ask<answer>(on_.engine().commit_offsets(std::move(request)), [this, group](const answer& got) {
        group_model& of = known_.groups[group];
        const auto before = of.possible;
        if (got) of.possible.clear();
        if (got || got.error().outcome_unknown)
            for (const positions& each : before) of.possible.push_back(with(each, *of.open));
        of.open.reset();
    });
}

void clients::create(const std::string& topic, int partitions)
{
    topic_model& about = known_.topics[topic];
    about = {};
    about.born = ++known_.births;
    about.may_appear = administering_ = true;
    about.appears_with = partitions;
    engine::create_topic_request request;
    request.name = topic;
    request.partitions = partitions;
    using answer = base::result<engine::topic_description>;
    ask<answer>(on_.engine().create_topic(std::move(request)), [this, topic](const answer& got) {
        topic_model& made = known_.topics[topic];
        administering_ = false;
        if (got || !got.error().outcome_unknown) made.may_appear = false;
        if (!got) return;
        made.exists = true;
        made.partitions = got->partitions;
        made.id = got->id.to_hex();
    });
}

void clients::remove(const std::string& topic)
{
    known_.topics[topic].may_vanish = administering_ = true;
    using answer = base::result<void>;
    ask<answer>(on_.engine().delete_topic(topic), [this, topic](const answer& got) {
        topic_model& about = known_.topics[topic];
        administering_ = false;
        if (got || !got.error().outcome_unknown) about.may_vanish = false;
        if (got) about.exists = false;
    });
}

void clients::grow(const std::string& topic, int partitions)
{
    known_.topics[topic].may_grow_to = partitions;
    administering_ = true;
    engine::alter_topic_request request;
    request.name = topic;
    request.partitions = partitions;
    using answer = base::result<engine::topic_description>;
    ask<answer>(on_.engine().alter_topic(std::move(request)), [this, topic](const answer& got) {
        topic_model& about = known_.topics[topic];
        administering_ = false;
        if (got) about.partitions = got->partitions;
        if (got || !got.error().outcome_unknown) about.may_grow_to = 0;
    });
}

std::optional<base::error> clients::produce_now(const std::string& topic, int partition, std::uint32_t records,
                                                std::uint32_t value_bytes)
{
    produce(topic, partition, records, value_bytes);
    return finish();
}

std::optional<base::error> clients::commit_now(const std::string& group, const std::string& topic, int partition)
{
    commit(group, topic, partition, 1'000'000);
    return finish();
}

}  // namespace pystream::sim
