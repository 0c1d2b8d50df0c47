// The decision between torn tail and damage as a table: docs/recovery.md.
#include "core/storage/active_scan.hpp"

#include <boost/test/unit_test.hpp>

using namespace pystream;
using namespace pystream::storage;

namespace {

active_scan whole_to(std::int64_t end)
{
    active_scan scan;
    scan.end = {1000, base::offset{end}};
    scan.file_bytes = 1000;
    return scan;
}

active_scan with_tail(std::int64_t end, bool zeros)
{
    active_scan scan = whole_to(end);
    scan.file_bytes = 1100;
    scan.fault = "something";
    scan.zero_tail = zeros;
    return scan;
}

active_scan with_gap(std::int64_t from, std::int64_t watermark_behind)
{
    active_scan scan = whole_to(20);
    scan.gaps.push_back({{500, base::offset{from}}, {600, base::offset{from + 2}}, "something"});
    scan.all.high_watermark = base::offset{watermark_behind};
    return scan;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(active_scan_test)

BOOST_AUTO_TEST_CASE(nothing_wrong)
{
    BOOST_TEST((judge(whole_to(10), base::offset{10}) == verdict::whole));
    BOOST_TEST((judge(whole_to(10), base::offset{3}) == verdict::whole));
    BOOST_TEST((judge(whole_to(10), {}) == verdict::whole));
}

BOOST_AUTO_TEST_CASE(an_end_below_the_recovery_point_is_damage)
{
    BOOST_TEST((judge(whole_to(10), base::offset{11}) == verdict::damaged));
    BOOST_TEST((judge(with_tail(10, true), base::offset{11}) == verdict::damaged));
    BOOST_TEST((judge(with_tail(10, false), base::offset{11}) == verdict::damaged));
}

BOOST_AUTO_TEST_CASE(bytes_at_the_end_at_or_above_the_recovery_point_are_torn)
{
    BOOST_TEST((judge(with_tail(10, false), base::offset{10}) == verdict::torn_tail));
    BOOST_TEST((judge(with_tail(10, true), base::offset{10}) == verdict::torn_tail));
    BOOST_TEST((judge(with_tail(10, false), base::offset{0}) == verdict::torn_tail));
}

BOOST_AUTO_TEST_CASE(a_gap_is_damage_when_a_batch_behind_records_a_watermark_above_it)
{
    BOOST_TEST((judge(with_gap(10, 11), base::offset{0}) == verdict::damaged));
    BOOST_TEST((judge(with_gap(10, 10), base::offset{0}) == verdict::torn_tail));
    BOOST_TEST((judge(with_gap(10, 9), base::offset{10}) == verdict::torn_tail));
    BOOST_TEST((judge(with_gap(10, 0), base::offset{11}) == verdict::damaged));
}

BOOST_AUTO_TEST_CASE(proof_may_stand_off_the_way)
{
    active_scan scan = with_tail(10, false);
    scan.stray_proof = true;
    BOOST_TEST((judge(scan, base::offset{0}) == verdict::damaged));
}

BOOST_AUTO_TEST_CASE(without_a_recovery_point_only_zeros_are_cut)
{
    BOOST_TEST((judge(with_tail(10, true), {}) == verdict::torn_tail));
    BOOST_TEST((judge(with_tail(10, false), {}) == verdict::damaged));
    BOOST_TEST((judge(with_gap(10, 0), {}) == verdict::damaged));
}

BOOST_AUTO_TEST_SUITE_END()
