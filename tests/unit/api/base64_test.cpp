#include "api/base64.hpp"

#include <boost/test/unit_test.hpp>

namespace pystream::api {
namespace {

std::string encoded(std::string_view bytes)
{
    std::string text = "x";
    append_base64(text, bytes);
    return text.substr(1);
}

BOOST_AUTO_TEST_SUITE(base64_test)

// RFC 4648 section 10.
BOOST_AUTO_TEST_CASE(vectors_of_the_rfc)
{
    const std::pair<std::string_view, std::string_view> vectors[] = {{"", ""},
                                                                     {"f", "Zg=="},
                                                                     {"fo", "Zm8="},
                                                                     {"foo", "Zm9v"},
                                                                     {"foob", "Zm9vYg=="},
                                                                     {"fooba", "Zm9vYmE="},
                                                                     {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : vectors) {
        BOOST_TEST(encoded(bytes) == text);
        BOOST_TEST(decode_base64(text).value() == bytes);
    }
}

BOOST_AUTO_TEST_CASE(every_byte_and_length_comes_back)
{
    std::string bytes;
    for (int i = 0; i < 600; ++i) {
        BOOST_TEST(decode_base64(encoded(bytes)).value() == bytes);
        bytes += static_cast<char>(i * 7);
    }
    const std::string large(7'000'001, '\xa5');
    BOOST_TEST((decode_base64(encoded(large)).value() == large));
}

BOOST_AUTO_TEST_CASE(anything_but_the_one_form_is_refused)
{
    for (const auto text : {"Z", "Zg", "Zg=", "Zg===", "====", "=", "Zh==", "Zm9=", "Zm9v\n", "\nZm9v",
                            " Zg==", "Zg== ", "Zg==Zg==", "Z=g=", "Zm-_", "Zm9v====", "Zm9vZ===", "A===", "\xc3\xa9zz"})
        BOOST_TEST(!decode_base64(text).has_value(), text);
    BOOST_TEST(!decode_base64(std::string_view("Zg=\0", 4)).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace pystream::api
