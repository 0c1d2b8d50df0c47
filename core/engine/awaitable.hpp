#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

// The coroutines of the loop, from a socket down to a partition. They know their executor's type: Asio's type-erased default costs a
// tenth of a request's instructions.

namespace pystream::engine {

using loop_executor = boost::asio::io_context::executor_type;

template <class T>
using awaitable = boost::asio::awaitable<T, loop_executor>;

using use_awaitable_t = boost::asio::use_awaitable_t<loop_executor>;
inline constexpr use_awaitable_t use_awaitable;

}  // namespace pystream::engine
