// The sockets between this program and the programs that it starts.
// Layering: must not wait on a socket.
#pragma once

#include <cstdint>
#include <string>

#include "eider/io/runtime/descriptor.h"

namespace eider::dev {

/// A listening socket, or none where the address is in use or not ours.
///
/// port  0: the system chooses
[[nodiscard]] Descriptor listen_at(const std::string& host, std::uint16_t port);

/// Of a socket at an IPv4 address.
[[nodiscard]] std::uint16_t port_of(const Descriptor& listener);

/// A connection to a socket at an IPv4 address of this machine, which nobody has to accept.
[[nodiscard]] Descriptor connect_to(const Descriptor& listener);

/// Whether what has connected there is taken: nobody waits in the kernel's queue (TCP_INFO,
/// tcp(7)).
[[nodiscard]] bool is_accepted_from(const Descriptor& listener);

/// A new name for `listen_for_notices`. It is random, so no other process can bind it first.
[[nodiscard]] std::string name_for_notices();

/// What a program's NOTIFY_SOCKET leads to, as a name that no file has (sd_notify(3), unix(7)). Its
/// datagrams are read without waiting.
///
/// name  follows the "@" of the variable
[[nodiscard]] Descriptor listen_for_notices(const std::string& name);

/// Reads all notices since the last call.
///
/// returns  whether READY=1 was among them, from a process of this user
[[nodiscard]] bool is_told_ready(const Descriptor& notices);

}  // namespace eider::dev
