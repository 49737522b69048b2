// Errors of sockets, as one enum with one table of texts.
// Layering: must not contain HTTP status codes: code that knows HTTP chooses them.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider {

enum class NetError : std::uint8_t {
  closed,               ///< both directions have ended
  reset,                ///< the peer reset the connection, or no longer reads
  refused,              ///< no program listens at the address
  timed_out,            ///< no response in time, by the kernel's or by our deadline
  unreachable,          ///< no route to the host or network
  address_in_use,       ///< another socket is bound there
  address_unavailable,  ///< the address does not belong to this machine
  not_permitted,        ///< the kernel's or a firewall's rules forbid it
  too_many_open,        ///< the limit of open files is reached (EMFILE, ENFILE)
  no_memory,            ///< the kernel is out of memory
  bad_address,          ///< the text is not a valid address
  not_supported,        ///< the kernel lacks this family or operation
  insecure,             ///< TLS failed, or the data was tampered with
  other,                ///< anything else
};

/// Returns a sentence without a period.
[[nodiscard]] std::string_view text(NetError error) noexcept;

/// Converts errno to a NetError. Pre: `number` does not mean "try again" (EAGAIN, EINTR,
/// EINPROGRESS).
[[nodiscard]] NetError net_error(int number) noexcept;

}  // namespace eider
