// Drains the TCP handshakes of a listening socket that is closing.
// Layering: must not be called for every connection: a call reads all connections of the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace eider::detail::runtime {

/// Drops SYN packets from now on, so that a client retries a second later and reaches another
/// process on the port, or is refused. Handshakes that have started are completed, including those
/// that TCP_DEFER_ACCEPT delays: with the client's first bytes, or after a second.
///
/// Accepted connections inherit the filter, but it has no effect on them, because they receive no
/// SYN.
void begin_no_handshake(int listening) noexcept;

/// Returns the cookies (SO_COOKIE) of connections to that port whose handshake is not complete.
///
/// returns  in ascending order; nothing if the kernel cannot report them (it lacks inet_diag, or a
///          sandbox forbids netlink)
/// source   sock_diag(7)
[[nodiscard]] std::optional<std::vector<std::uint64_t>> handshakes_under_way(std::uint16_t port);

}  // namespace eider::detail::runtime
