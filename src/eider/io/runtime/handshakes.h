// Drains the TCP handshakes of a listening socket that is closing.
// Layering: must not be called for every connection: a call reads all connections of the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace eider::detail::runtime {

/// From now on a SYN is dropped, so that the client tries again a second later: with another
/// process on the port, or it is refused. Handshakes that have begun come to their end, also those
/// that TCP_DEFER_ACCEPT keeps back: with the client's first bytes, or when a second is over.
///
/// What connections inherit of this does nothing to them: a SYN is not sent on them.
void begin_no_handshake(int listening) noexcept;

/// The cookies (SO_COOKIE) of connections to that port whose handshake is under way.
///
/// returns  in ascending order; nothing where the kernel does not tell (it lacks inet_diag, or a
///          sandbox forbids netlink)
/// source   sock_diag(7)
[[nodiscard]] std::optional<std::vector<std::uint64_t>> handshakes_under_way(std::uint16_t port);

}  // namespace eider::detail::runtime
