// Topics across processes with Redis channels.
// Layering: must not store messages; messages during an outage are reported as missed.
#pragma once

#include <string>

#include "eider/data/redis/redis.h"
#include "eider/web/backplane/topic_backplane.h"

namespace eider {

/// A carrier for `add_topic_backplane`. It receives on a separate connection, and sends over the
/// command connection, within its time limit.
///
/// channel  the same for all processes of one application
[[nodiscard]] MakeTopicAdapter redis_topics(Redis redis, std::string channel = "eider:topics");

}  // namespace eider
