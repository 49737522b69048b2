// Sockets from systemd, and sockets that systemd stores for the next process (sd_listen_fds(3),
// sd_notify(3)).
// Layering: must not listen: places do.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "eider/io/runtime/descriptor.h"
#include "eider/server/listening.h"
#include "eider/server/process/systemd_notify.h"

namespace eider::detail::server {

struct StoredSocket {
  std::string place;  // BoundPlace::name
  Descriptor socket;
};

/// Those that a process before this one has stored. They are taken once; the environment's word
/// stays, since it is of this process alone. Pre: no other thread uses the environment
[[nodiscard]] std::vector<StoredSocket> take_stored();
/// All others, of units: likewise.
[[nodiscard]] std::vector<Descriptor> take_passed_on();

/// Gives systemd the sockets of all places that are this service's own, where it is to keep them,
/// and has it forget those of `before` that are none, or none any more. May take seconds.
///
/// before   places of which systemd may have sockets
/// returns  which of `places` it has now
[[nodiscard]] std::vector<std::size_t> store(const SystemdNotify& systemd,
                                             const ServerOptions& options,
                                             std::span<const BoundPlace> places,
                                             std::span<const std::string> before);

}  // namespace eider::detail::server
