#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/bench/load/dialogue.hpp"

namespace pystream::bench {

using clock_type = std::chrono::steady_clock;

// A non-blocking socket to the server with one request under way at most. Owned by one runner; system errors throw
// std::system_error, a wrong answer std::runtime_error.
class connection {
public:
    connection(std::uint16_t port, dialogue_ptr speaker);
    ~connection();
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    int descriptor() const noexcept { return descriptor_; }
    clock_type::time_point sent_at() const noexcept { return sent_at_; }
    bool busy() const noexcept { return busy_; }
    bool unsent() const noexcept { return !out_.empty(); }
    std::size_t bytes_received() const noexcept { return bytes_received_; }

    // The opening: true when the connection is ready for requests.
    bool open();
    bool continue_opening(std::string& scratch);

    void send_request(clock_type::time_point now);
    void flush();

    // Reads what is there into `scratch`, which all connections share. True when the answer to the request is complete, with its
    // records in `records`.
    bool receive(std::string& scratch, std::uint64_t& records);

private:
    std::string_view fill(std::string& scratch);
    void keep(std::string_view rest, const std::string& scratch);

    int descriptor_;
    dialogue_ptr speaker_;
    std::string out_;
    std::size_t out_sent_ = 0;
    std::string in_;  // an answer that has come in part
    clock_type::time_point sent_at_{};
    bool busy_ = false;
    std::size_t bytes_received_ = 0;
};

}  // namespace pystream::bench
