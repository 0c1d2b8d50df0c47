#include "tests/sim/scenario.hpp"

#include <memory>
#include <random>

#include "tests/sim/check.hpp"
#include "tests/sim/clients.hpp"
#include "tests/sim/faults.hpp"
#include "tests/sim/rot.hpp"

namespace pystream::sim {
namespace {

using tests::crash_keeps;
using tests::simulated_file_system;

constexpr int rots = 20;

std::uint64_t point_now = 0;

std::uint64_t mix(std::uint64_t a, std::uint64_t b)
{
    std::uint64_t x = a * 0x9e3779b97f4a7c15U + b + 1;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

crash_keeps any_end(std::mt19937_64& random)
{
    switch (random() % 8) {
    case 0:
    case 1: return crash_keeps::everything;
    case 2:
    case 3: return crash_keeps::only_durable;
    default: return crash_keeps::any_part;
    }
}

// What follows a crash: starts that are cut short or meet faults, then one that must succeed, and all promises.
class aftermath {
public:
    aftermath(std::unique_ptr<simulated_file_system> files, model known, std::uint64_t seed, scenario_outcome& out)
        : files_(std::move(files)), known_(std::move(known)), random_(seed), out_(out)
    {
    }

    std::string run()
    {
        files_->crash(any_end(random_));
        for (int tries = 0; tries < 3 && random_() % 3 == 0; ++tries) start_badly();
        if (auto wrong = start_well(random_() % 3 == 0); !wrong.empty()) return wrong;
        if (random_() % 3 != 0) return {};
        // What was shown after the first start is still there after a power cut: it was made durable, not only read from the cache.
        files_->crash(random_() % 2 == 0 ? crash_keeps::only_durable : crash_keeps::any_part);
        auto wrong = start_well(false);
        return wrong.empty() ? wrong : "after one more power cut: " + wrong;
    }

private:
    void start_badly()
    {
        trouble faults(random_());
        if (random_() % 2 == 0) {
            files_->power_off_at(1 + random_() % 40);
        } else {
            faults.begin_any();
            files_->set_fault_policy([&](tests::call kind, const std::string&) { return faults.fault(kind); });
        }
        {
            machine on(*files_, random_());
            (void)on.run(on.engine().start());
            on.settle();
            ++out_.recoveries;
        }
        const bool off = files_->is_off();
        files_->set_fault_policy(nullptr);
        const crash_keeps keeps = any_end(random_);
        files_->crash(off && keeps == crash_keeps::everything ? crash_keeps::any_part : keeps);
    }

    std::string start_well(bool serve)
    {
        machine on(*files_, random_());
        ++out_.recoveries;
        if (const auto started = on.run(on.engine().start()); !started)
            return "no start without faults: " + started.error().detail + " " + started.error().internal;
        if (auto wrong = check_everything(on, known_); !wrong.empty()) return wrong;
        std::string wrong = serve ? check_service(on, known_) : std::string{};
        on.settle();
        return wrong;
    }

    std::unique_ptr<simulated_file_system> files_;
    model known_;
    std::mt19937_64 random_;
    scenario_outcome& out_;
};

class scenario {
public:
    explicit scenario(const scenario_options& options)
        : options_(options), random_(mix(options.seed, 0)), faults_(mix(options.seed, 1)), files_(mix(options.seed, 2))
    {
        files_.set_fault_policy([this](tests::call kind, const std::string&) { return faults_.fault(kind); });
        files_.set_change_listener([this] { power_may_go(); });
    }

    scenario_outcome run()
    {
        const int lives = 2 + static_cast<int>(random_() % 3);
        for (int i = 0; i < lives && out_.failure.empty(); ++i) live(i == 0);
        files_.set_change_listener(nullptr);
        if (out_.failure.empty() && !options_.only_point) fail(check_rot(files_, known_, mix(options_.seed, 3), rots));
        out_.rots = rots;
        for (const produced& each : known_.requests) out_.acknowledged += each.state == fate::stored ? 1 : 0;
        return std::move(out_);
    }

private:
    void fail(std::string why)
    {
        if (out_.failure.empty()) out_.failure = std::move(why);
    }

    void power_may_go()
    {
        if (clients_ != nullptr) clients_->poll();
        ++point_;
        if (!out_.failure.empty()) return;
        const std::uint64_t seed = mix(options_.seed, 1000 + point_);
        if (options_.only_point ? *options_.only_point != point_ : forming_ && seed % 8 != 0) return;
        point_now = point_;
        std::string wrong;
        try {
            wrong = aftermath(files_.clone(seed), known_, seed, out_).run();
        } catch (const std::exception& e) {
            wrong = e.what();
        }
        ++out_.points;
        point_now = 0;
        if (wrong.empty()) return;
        fail(std::move(wrong));
        out_.failed_point = point_;
    }

    void live(bool first)
    {
        forming_ = first;
        machine on(files_, random_());
        ++out_.recoveries;
        if (const auto started = on.run(on.engine().start()); !started)
            return fail("no start: " + started.error().detail + " " + started.error().internal);
        forming_ = false;
        if (auto wrong = check_everything(on, known_); !wrong.empty()) return fail(wrong);
        clients all(on, known_);
        clients_ = &all;
        const int steps = 12 + static_cast<int>(random_() % 20);
        for (int i = 0; i < steps && out_.failure.empty(); ++i) step(on, all);
        end(on, all);
        clients_ = nullptr;
    }

    void step(machine& on, clients& all)
    {
        if (faults_.lasts() ? random_() % 4 == 0 : random_() % 9 == 0) faults_.lasts() ? faults_.end() : faults_.begin_any();
        ask(on, all);
        for (std::uint64_t i = random_() % 6; i > 0; --i) on.step_if_ready();
        all.poll();
        if (auto wrong = check_groups(on, known_, false); !wrong.empty()) fail("while it runs: " + wrong);
    }

    void ask(machine& on, clients& all)
    {
        const std::string topic = "t" + std::to_string(random_() % 2);
        const topic_model about = known_.topics[topic];
        const std::uint64_t choice = random_() % 16;
        if (!about.exists || choice == 0) {
            if (all.administering() || about.may_appear || about.may_vanish) return;
            if (!about.exists) return all.create(topic, 1 + static_cast<int>(random_() % 2));
            return random_() % 2 == 0 || about.partitions > 2 ? all.remove(topic) : all.grow(topic, about.partitions + 1);
        }
        const int partition = static_cast<int>(random_() % static_cast<std::uint64_t>(about.partitions));
        if (choice < 10) {
            const std::uint32_t bytes = random_() % 8 == 0 ? 3000 : static_cast<std::uint32_t>(random_() % 300);
            return all.produce(topic, partition, 1 + static_cast<std::uint32_t>(random_() % 3), bytes);
        }
        if (choice < 13)
            return all.commit("g" + std::to_string(random_() % 3), topic, partition, static_cast<std::int64_t>(random_() % 20));
        // A reader drives the others on while it waits; its topic may go meanwhile.
        if (all.administering()) return;
        if (auto wrong = read_partition(on, known_, topic, partition).contradiction; !wrong.empty()) fail("a reader: " + wrong);
    }

    void end(machine& on, clients& all)
    {
        crash_keeps keeps = any_end(random_);
        if (random_() % 3 == 0) {
            faults_.end();
            on.stop();
            all.poll();
            keeps = random_() % 2 == 0 ? crash_keeps::only_durable : crash_keeps::everything;
        }
        on.settle();  // with whatever trouble there is
        all.poll();
        faults_.end();
        files_.crash(keeps);
    }

    scenario_options options_;
    std::mt19937_64 random_;
    trouble faults_;
    simulated_file_system files_;
    model known_;
    clients* clients_ = nullptr;
    scenario_outcome out_;
    std::uint64_t point_ = 0;
    bool forming_ = false;
};

}  // namespace

scenario_outcome run_scenario(const scenario_options& options)
{
    return scenario(options).run();
}

std::uint64_t current_point() noexcept
{
    return point_now;
}

}  // namespace pystream::sim
