// One publisher and its subscribers: the next message when all have the last one.
// Must not run on several threads: nobody would know when all have it.
#pragma once

#include "eider/runtime/address.h"
#include "options.h"
#include "report.h"

namespace load {

/// Opens `connections` subscribers and one publisher more, all at `path`, where every message of a
/// socket goes to all sockets: the publisher too hears its own. Each must get each message once, in
/// order, byte for byte.
///
/// returns  requests: messages delivered; latency: from a message's sending until the last has it
[[nodiscard]] Outcome run_broadcast(const Options& options, const eider::Address& to);

}  // namespace load
