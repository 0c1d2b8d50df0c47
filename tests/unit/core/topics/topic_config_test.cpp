#include "core/topics/topic_config.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <set>
#include <string>

using namespace pystream;
using topics::set_config;
using topics::topic_config;

BOOST_AUTO_TEST_SUITE(topic_config_keys)

BOOST_AUTO_TEST_CASE(every_key_takes_its_bounds_and_nothing_beyond)
{
    for (const auto& key : topics::config_keys()) {
        topic_config config;
        BOOST_TEST_CONTEXT(key.name)
        {
            for (const std::int64_t value : {key.min, key.max}) {
                BOOST_TEST(set_config(config, key.name, value, "/config").has_value());
                BOOST_TEST((config.*key.member == value));
            }
            const topic_config before = config;
            for (const std::int64_t value : {key.min - 1, key.max + 1, std::numeric_limits<std::int64_t>::min(),
                                             std::numeric_limits<std::int64_t>::max()}) {
                const auto refused = set_config(config, key.name, value, "/config");
                BOOST_REQUIRE(!refused);
                BOOST_TEST((refused.error().code == base::errc::invalid_field));
                BOOST_TEST(refused.error().fields.at(0).pointer == "/config/" + std::string{key.name});
                BOOST_TEST(refused.error().detail.find(std::to_string(key.max)) != std::string::npos);
            }
            BOOST_TEST((config == before));
        }
    }
}

BOOST_AUTO_TEST_CASE(null_goes_back_to_the_default)
{
    topic_config config;
    BOOST_REQUIRE(set_config(config, "segment_bytes", 1 << 20, "/config"));
    BOOST_TEST(topics::resolve(config, {}).segment_bytes == 1 << 20);
    BOOST_REQUIRE(set_config(config, "segment_bytes", std::nullopt, "/config"));
    BOOST_TEST((config == topic_config{}));
    BOOST_TEST(topics::resolve(config, {}).segment_bytes == 1 << 30);
}

BOOST_AUTO_TEST_CASE(own_values_win_one_by_one)
{
    const topics::effective_config defaults{
        .segment_bytes = 1, .segment_ms = 2, .max_record_bytes = 3, .min_active_replicas = 4};
    topic_config own;
    own.segment_ms = 0;
    own.max_record_bytes = 30;
    const auto effective = topics::resolve(own, defaults);
    BOOST_TEST(effective.segment_bytes == 1);
    BOOST_TEST(effective.segment_ms == 0);
    BOOST_TEST(effective.max_record_bytes == 30);
    BOOST_TEST(effective.min_active_replicas == 4);
}

BOOST_AUTO_TEST_CASE(the_defaults_are_allowed_values)
{
    for (const auto& key : topics::config_keys()) {
        const std::int64_t value = topics::effective_config{}.*key.effective;
        BOOST_TEST((value >= key.min && value <= key.max), key.name);
    }
}

BOOST_AUTO_TEST_CASE(each_key_has_fields_of_its_own)
{
    topic_config config;
    std::int64_t value = 100'000;
    for (const auto& key : topics::config_keys()) config.*key.member = std::min(value++, key.max);
    std::set<std::int64_t> own, effective;
    for (const auto& key : topics::config_keys()) {
        own.insert(*(config.*key.member));
        effective.insert(topics::resolve(config, {}).*key.effective);
    }
    BOOST_TEST(own.size() == topics::config_keys().size());
    BOOST_TEST(effective.size() == topics::config_keys().size());
}

BOOST_AUTO_TEST_CASE(settings_of_later_versions_are_refused_not_ignored)
{
    for (const auto key : topics::unavailable_config_keys()) {
        topic_config config;
        const auto refused = set_config(config, key, 1, "/config");
        BOOST_REQUIRE(!refused);
        BOOST_TEST((refused.error().code == base::errc::invalid_field));
        BOOST_TEST(refused.error().fields.at(0).pointer == "/config/" + std::string{key});
    }
}

BOOST_AUTO_TEST_CASE(unknown_keys_are_named_by_an_escaped_pointer)
{
    topic_config config;
    const auto refused = set_config(config, "a/b~c", 1, "/config");
    BOOST_REQUIRE(!refused);
    BOOST_TEST((refused.error().code == base::errc::unknown_field));
    BOOST_TEST(refused.error().fields.at(0).pointer == "/config/a~1b~0c");
    BOOST_TEST(refused.error().detail.find("segment_bytes") != std::string::npos);
    BOOST_TEST(!set_config(config, "", std::nullopt, "").has_value());
    BOOST_TEST(!set_config(config, "Segment_bytes", 100'000, "").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
