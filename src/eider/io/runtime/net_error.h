// What goes wrong between sockets, as one enum with one table of texts.
// Must not carry HTTP statuses: which answer an error deserves is decided where HTTP is spoken.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider {

enum class NetError : std::uint8_t {
  closed,               ///< both directions have ended
  reset,                ///< the peer ended the connection by force, or no longer reads
  refused,              ///< nobody listens there
  timed_out,            ///< no answer in time, by the kernel's or by our deadline
  unreachable,          ///< no route to the host or network
  address_in_use,       ///< another socket is bound there
  address_unavailable,  ///< the address is none of this machine's
  not_permitted,        ///< the kernel's or a firewall's rules forbid it
  too_many_open,        ///< the limit of open descriptors is reached (EMFILE, ENFILE)
  no_memory,            ///< the kernel has no memory for it
  bad_address,          ///< the text is no address
  not_supported,        ///< the kernel lacks this family or operation
  insecure,             ///< the encryption could not be agreed on, or was tampered with
  other,                ///< anything else
};

/// One plain sentence without a full stop.
[[nodiscard]] std::string_view text(NetError error) noexcept;

/// errno → NetError. Pre: `number` is no "try again" (EAGAIN, EINTR, EINPROGRESS).
[[nodiscard]] NetError net_error(int number) noexcept;

}  // namespace eider
