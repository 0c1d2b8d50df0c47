#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>
#include <string>

#include "core/groups/committed_offsets.hpp"

// Random requests and outcomes against a model that keeps a list of everything and recomputes each answer from it.

using namespace pystream;
using namespace pystream::groups;
using base::offset;
using base::partition_index;

namespace {

constexpr std::int64_t high_watermark = 20;
const base::topic_id topics[] = {*base::topic_id::from_hex(std::string(32, 'a')),
                                 *base::topic_id::from_hex(std::string(32, 'b'))};
const std::string groups_used[] = {"g", "G", "g.1"};

using state = std::map<offset_key, committed>;
using changes = std::vector<std::pair<offset_key, std::optional<committed>>>;

struct pending_write {
    std::uint64_t ticket;
    changes made;
    std::vector<offset_record> records;
};

void carry_out(state& to, const changes& made)
{
    for (const auto& [key, value] : made) {
        to.erase(key);
        if (value) to[key] = *value;
    }
}

struct model {
    state durable;
    std::vector<pending_write> pending;
    std::vector<offset_record> log;

    state with_pending() const
    {
        state all = durable;
        for (const pending_write& write : pending) carry_out(all, write.made);
        return all;
    }
};

std::vector<commit_entry> random_entries(std::mt19937& random)
{
    std::vector<commit_entry> entries;
    for (unsigned n = 1 + random() % 3; n > 0; --n) {
        commit_entry one{topics[random() % 2], partition_index{static_cast<int>(random() % 2)},
                         offset{static_cast<std::int64_t>(random() % 23) - 1}, std::nullopt, offset{high_watermark}};
        if (random() % 3 == 0) one.metadata = std::string(random() % 4, 'm');
        entries.push_back(one);
    }
    return entries;
}

// The rule, said as plainly as can be.
bool acceptable(const model& m, const std::string& group, const std::vector<commit_entry>& entries, bool reset)
{
    const state now = m.with_pending();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const commit_entry& e = entries[i];
        if (e.offset < offset{0} || e.offset > offset{high_watermark}) return false;
        for (std::size_t j = 0; j < i; ++j)
            if (entries[j].topic == e.topic && entries[j].partition == e.partition) return false;
        const auto stored = now.find({group, e.topic, e.partition});
        if (!reset && stored != now.end() && e.offset < stored->second.offset) return false;
    }
    return true;
}

void commit_step(committed_offsets& machine, model& m, std::mt19937& random, std::int64_t now_ms)
{
    const std::string group = groups_used[random() % 3];
    const bool reset = random() % 4 == 0;
    const auto entries = random_entries(random);
    const auto prepared = machine.prepare_commit(group, entries, reset, now_ms);
    BOOST_REQUIRE(prepared.has_value() == acceptable(m, group, entries, reset));
    if (!prepared) return;
    changes made;
    for (const commit_entry& e : entries)
        made.emplace_back(offset_key{group, e.topic, e.partition}, committed{e.offset, e.metadata, now_ms});
    m.pending.push_back({prepared->ticket, made, prepared->records});
}

void delete_step(committed_offsets& machine, model& m, std::mt19937& random)
{
    const std::string group = groups_used[random() % 3];
    std::map<offset_key, int> touched;
    for (const auto& [key, value] : m.durable) touched[key];
    for (const pending_write& write : m.pending)
        for (const auto& [key, value] : write.made) touched[key];
    std::erase_if(touched, [&](const auto& one) { return one.first.group != group; });
    const auto prepared = machine.prepare_delete(group);
    BOOST_REQUIRE(prepared.has_value() == !touched.empty());
    if (!prepared) return;
    changes made;
    for (const auto& [key, unused] : touched) made.emplace_back(key, std::nullopt);
    m.pending.push_back({prepared->ticket, made, prepared->records});
}

void outcome_step(committed_offsets& machine, model& m, std::mt19937& random)
{
    if (m.pending.empty()) return;
    const bool fails = random() % 3 == 0;
    const auto told = m.pending.begin() + static_cast<std::ptrdiff_t>(fails ? random() % m.pending.size() : 0);
    if (fails) {
        machine.failed(told->ticket);
    } else {
        machine.applied(told->ticket);
        carry_out(m.durable, told->made);
        m.log.insert(m.log.end(), told->records.begin(), told->records.end());
    }
    m.pending.erase(told);
}

void check_same(const committed_offsets& machine, const state& wanted)
{
    state found;
    std::vector<std::string> names;
    for (const std::string& group : machine.group_names()) {
        BOOST_REQUIRE(machine.has_group(group));
        for (const auto& [key, value] : machine.of_group(group)) found[key] = value;
    }
    BOOST_REQUIRE((found == wanted));
    for (const std::string& group : groups_used) {
        const bool any = std::any_of(wanted.begin(), wanted.end(), [&](const auto& one) { return one.first.group == group; });
        BOOST_REQUIRE(machine.has_group(group) == any);
    }
    for (const auto& [key, value] : wanted) BOOST_REQUIRE((machine.find(key) == value));
}

void run(unsigned seed)
{
    std::mt19937 random{seed};
    committed_offsets machine;
    model m;
    for (int step = 0; step < 400; ++step) {
        const unsigned kind = random() % 10;
        if (kind < 5)
            commit_step(machine, m, random, step);
        else if (kind == 5)
            delete_step(machine, m, random);
        else
            outcome_step(machine, m, random);
        check_same(machine, m.durable);
    }
    committed_offsets restarted;
    for (const offset_record& record : m.log)
        BOOST_REQUIRE(
            restarted.replay(record.key, record.value ? std::optional<std::string_view>{*record.value} : std::nullopt));
    check_same(restarted, m.durable);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(committed_offsets_model)

BOOST_AUTO_TEST_CASE(agrees_with_a_naive_model)
{
    for (unsigned seed = 1; seed <= 100; ++seed) BOOST_TEST_CONTEXT("seed " << seed) run(seed);
}

BOOST_AUTO_TEST_SUITE_END()
