#pragma once

#include <functional>
#include <list>
#include <optional>
#include <string>

#include "tests/sim/machine.hpp"
#include "tests/sim/model.hpp"

namespace pystream::sim {

// Clients of one life of the engine: they ask, and write what they were answered into the model.
class clients {
public:
    clients(machine& on, model& known) : on_(on), known_(known) {}

    // The next produce is refused unless this is the partition's next offset.
    void expect_offset(std::int64_t next) { expected_ = base::offset{next}; }
    void produce(const std::string& topic, int partition, std::uint32_t records, std::uint32_t value_bytes);
    void commit(const std::string& group, const std::string& topic, int partition, std::int64_t at);
    // One change of topics at a time; the next waits until administering() is false.
    void create(const std::string& topic, int partitions);
    void remove(const std::string& topic);
    void grow(const std::string& topic, int partitions);
    bool administering() const noexcept { return administering_; }

    // Notes what has been answered.
    void poll();

    std::optional<base::error> produce_now(const std::string& topic, int partition, std::uint32_t records,
                                           std::uint32_t value_bytes);
    std::optional<base::error> commit_now(const std::string& group, const std::string& topic, int partition);

private:
    // Asks, and gives the answer to `note` when it is there.
    template <class T>
    void ask(engine::awaitable<T> call, std::function<void(const T&)> note);
    std::optional<base::error> finish();

    machine& on_;
    model& known_;
    std::list<std::function<bool()>> open_;  // true: answered and noted
    std::optional<base::error> last_error_;
    std::optional<base::offset> expected_;
    bool administering_ = false;
};

}  // namespace pystream::sim
