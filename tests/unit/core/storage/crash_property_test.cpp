// Random work, power cuts and failing disks: whatever was acknowledged is there, and nothing is served that was not written last.
#include <random>

#include "tests/unit/core/storage/log_fixture.hpp"

using namespace pystream;
using namespace pystream::tests;

namespace {

// The seeds are few in every build so that the suite stays quick; a seed that ever failed is added to `known`.
constexpr std::uint64_t seed_count = 150;

class crash_run {
public:
    explicit crash_run(std::uint64_t seed) : random_(seed * 7919), test_(seed)
    {
        test_.options.segment_bytes = 300 + random_() % 3000;
        test_.value_bytes = random_() % 3 == 0 ? 5000 : random_() % 200;
        test_.create();
    }

    void run()
    {
        for (int round = 0; round < 12; ++round) {
            work();
            restart();
        }
    }

private:
    void work()
    {
        test_.files.clear_faults();
        if (random_() % 4 != 0) test_.files.power_off_at(1 + random_() % 30);
        for (int step = 0; step < 8 && !test_.log->failure() && !test_.files.is_off(); ++step) {
            inject();
            if (random_() % 6 == 0)
                checkpoint();
            else
                append();
            test_.files.set_space_bytes({});
        }
    }

    void inject()
    {
        switch (random_() % 12) {
        case 0: test_.files.fail(call::sync, 1 + random_() % 3, base::errc::io_failed); break;
        case 1: test_.files.fail(call::open, 1 + random_() % 3, base::errc::too_many_open_files); break;
        case 2: test_.files.set_space_bytes(random_() % 60'000); break;
        case 3: test_.files.fail(call::rename, 1, base::errc::io_failed); break;
        default: break;
        }
    }

    void append()
    {
        encoded_batches batches;
        base::offset at = test_.log->end();
        for (std::size_t i = 0; i < 1 + random_() % 3; ++i) {
            const std::size_t count = 1 + random_() % 4;
            for (std::size_t k = 0; k < count; ++k) ++test_.attempts[at.value() + static_cast<std::int64_t>(k)];
            test_.add_next(batches, at, count);
            at = at + static_cast<std::int64_t>(count);
        }
        const auto done = test_.log->append_and_sync(batches.bytes, batches.extents, at.value());
        if (done) acknowledged_ = at;
    }

    void checkpoint()
    {
        storage::checkpoint_job job = test_.log->prepare_checkpoint();
        auto done = job.run();
        test_.log->complete_checkpoint(std::move(job), std::move(done));
    }

    // A power cut, or only the process ends; maybe again and again while it recovers.
    void restart()
    {
        test_.log.reset();
        for (int tries = 0;; ++tries) {
            if (test_.files.is_off() || random_() % 2 == 0)
                test_.files.crash(random_() % 4 == 0 ? crash_keeps::only_durable : crash_keeps::any_part);
            test_.files.clear_faults();
            if (tries < 3 && random_() % 2 == 0) test_.files.power_off_at(1 + random_() % 10);
            if (test_.try_open()) break;
            BOOST_REQUIRE(tries < 10);
        }
        test_.files.clear_faults();
        BOOST_REQUIRE_MESSAGE(!test_.log->failure(), test_.log->failure()->internal);
        BOOST_REQUIRE(test_.log->end() >= acknowledged_);
        const log_content content = test_.read_all();
        BOOST_REQUIRE(content.damages.empty());
        for (const auto& value : content.values) BOOST_REQUIRE(value.has_value());
        acknowledged_ = test_.log->end();  // what recovery shows stays
    }

    std::mt19937_64 random_;
    log_fixture test_;
    base::offset acknowledged_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(crash_property_test)

BOOST_AUTO_TEST_CASE(no_acknowledged_batch_is_lost_and_none_is_mixed_up)
{
    for (std::uint64_t seed = 1; seed <= seed_count; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed)
        {
            crash_run{seed}.run();
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
