#pragma once

namespace pystream::bench {

// An HTTP server that answers every request, without looking at it, with the same small answer: what the load can do when the server
// costs next to nothing. Prints its port and serves until stdin ends.
void run_trivial_server();

}  // namespace pystream::bench
