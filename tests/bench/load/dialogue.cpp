#include "tests/bench/load/dialogue.hpp"

#include <stdexcept>

namespace pystream::bench {

dialogue_ptr make_dialogue(const work& what, std::uint64_t connection)
{
    if (what.protocol == "http") return make_http_dialogue(what, connection);
    if (what.protocol == "resp") return make_resp_dialogue(what, connection);
    if (what.protocol == "nats") return make_nats_dialogue(what, connection);
    if (what.protocol == "postgres") return make_postgres_dialogue(what);
    throw std::invalid_argument{"unknown protocol " + what.protocol};
}

}  // namespace pystream::bench
