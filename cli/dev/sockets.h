// The sockets between this program and the programs that it starts.
// Layering: must not wait on a socket.
#pragma once

#include <cstdint>
#include <string>

#include "eider/io/runtime/descriptor.h"

namespace eider::dev {

/// Returns a listening socket; a closed one if the address is in use or not available.
///
/// port  0: the system chooses
[[nodiscard]] Descriptor listen_at(const std::string& host, std::uint16_t port);

/// Returns the port of a socket with an IPv4 address.
[[nodiscard]] std::uint16_t port_of(const Descriptor& listener);

/// Connects to a socket with an IPv4 address on this machine, without waiting for accept.
[[nodiscard]] Descriptor connect_to(const Descriptor& listener);

/// Returns whether all connections were accepted: the kernel's queue is empty (TCP_INFO, tcp(7)).
[[nodiscard]] bool is_accepted_from(const Descriptor& listener);

/// Returns a new name for `listen_for_notices`. It is random, so no other process can bind it
/// first.
[[nodiscard]] std::string name_for_notices();

/// Opens the socket for a program's NOTIFY_SOCKET, with an abstract name (sd_notify(3), unix(7)).
/// Reading its datagrams does not block.
///
/// name  the part after the "@" of the variable
[[nodiscard]] Descriptor listen_for_notices(const std::string& name);

/// Reads all notices since the last call.
///
/// returns  whether READY=1 was among them, from a process of this user
[[nodiscard]] bool is_told_ready(const Descriptor& notices);

}  // namespace eider::dev
