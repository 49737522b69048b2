// Topics over several processes by Redis' channels.
// Must not keep messages: what is published while Redis is away is told as missed.
#pragma once

#include <string>

#include "eider/data/redis/redis.h"
#include "eider/web/relay/topic_relay.h"

namespace eider {

/// For `relay_topics`. A loop has a connection of its own to hear by; what is sent goes over the
/// one of commands, within their time.
///
/// channel  all processes of one application have the same
[[nodiscard]] MakeTopicCarrier redis_topics(Redis redis, std::string channel = "eider:topics");

}  // namespace eider
