#include "tests/bench/load/dialogue.hpp"

#include <stdexcept>

namespace pystream::bench {

dialogue_ptr make_dialogue(const work& what, std::uint64_t connection)
{
    if (what.protocol == "http") return make_http_dialogue(what, connection);
    if (what.protocol == "resp") return make_resp_dialogue(what, connection);
    throw std::invalid_argument{"unknown protocol " + what.protocol};
}

}  // namespace pystream::bench
