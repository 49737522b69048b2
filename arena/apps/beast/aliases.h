// The names that the adapter's files share.
// Must not hold code.
#pragma once

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>

namespace arena {

namespace beast = boost::beast;
namespace net = boost::asio;

using Executor = net::io_context::executor_type;
using Socket = net::basic_stream_socket<net::ip::tcp, Executor>;

}  // namespace arena
