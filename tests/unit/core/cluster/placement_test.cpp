#include "core/cluster/placement.hpp"

#include <boost/test/unit_test.hpp>

using namespace pystream;
using base::broker_id;
using base::partition_index;
using cluster::place_modulo;

namespace {

const std::vector<broker_id> three{broker_id{2}, broker_id{5}, broker_id{9}};

std::vector<broker_id> ids(std::initializer_list<int> values)
{
    std::vector<broker_id> out;
    for (const int value : values) out.emplace_back(value);
    return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(placement)

BOOST_AUTO_TEST_CASE(leader_is_broker_number_p_mod_n_and_followers_are_the_next)
{
    BOOST_TEST((place_modulo(partition_index{0}, three, 2) == ids({2, 5})));
    BOOST_TEST((place_modulo(partition_index{1}, three, 2) == ids({5, 9})));
    BOOST_TEST((place_modulo(partition_index{2}, three, 2) == ids({9, 2})));
    BOOST_TEST((place_modulo(partition_index{3}, three, 2) == ids({2, 5})));
    BOOST_TEST((place_modulo(partition_index{4}, three, 1) == ids({5})));
    BOOST_TEST((place_modulo(partition_index{9998}, three, 3) == ids({9, 2, 5})));
}

BOOST_AUTO_TEST_CASE(one_broker_leads_everything)
{
    for (const int p : {0, 1, 7, 9999}) BOOST_TEST((place_modulo(partition_index{p}, ids({1}), 1) == ids({1})));
}

BOOST_AUTO_TEST_SUITE_END()
