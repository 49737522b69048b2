// Topics over several processes by PostgreSQL's NOTIFY.
// Must not keep messages: what is published while the server is away is told as missed.
#pragma once

#include <string>

#include "eider/data/db/database.h"
#include "eider/web/relay/topic_relay.h"

namespace eider {

/// For `relay_topics`, where there is PostgreSQL and no Redis. All listen on one connection of the
/// first loop. A message has up to 5.9 kB with its topic; a larger one is lost to the others, who
/// are told. Each payload is a transaction, and wakes all processes: for tens of them, not for
/// hundreds.
///
/// channel  all processes of one application have the same: a name of 1 to 63 bytes
[[nodiscard]] MakeTopicCarrier postgres_topics(Database database,
                                               std::string channel = "eider_topics");

}  // namespace eider
