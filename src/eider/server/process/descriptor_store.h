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

/// Returns the sockets that a previous process has stored, at the first call. The environment
/// variables are kept, since they apply to this process only. Pre: no other thread uses the
/// environment
[[nodiscard]] std::vector<StoredSocket> take_stored();
/// Returns all other sockets, those of units, in the same way.
[[nodiscard]] std::vector<Descriptor> take_passed_on();

/// Stores the sockets of all addresses that this service owns in systemd, if the options say so,
/// and removes sockets of `before` that are not needed any more. May take seconds.
///
/// before   addresses for which systemd may have sockets
/// returns  the indices of `places` whose sockets are stored now
[[nodiscard]] std::vector<std::size_t> store(const SystemdNotify& systemd,
                                             const ServerOptions& options,
                                             std::span<const BoundPlace> places,
                                             std::span<const std::string> before);

}  // namespace eider::detail::server
