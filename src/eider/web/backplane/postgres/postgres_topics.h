// Topics across processes with NOTIFY of PostgreSQL.
// Layering: must not store messages; messages during an outage are reported as missed.
#pragma once

#include <string>

#include "eider/data/db/database.h"
#include "eider/web/backplane/topic_backplane.h"

namespace eider {

/// A carrier for `add_topic_backplane`, for applications with PostgreSQL and without Redis. All
/// processes listen on one connection of the first event loop. A message has at most 5.9 kB
/// including its topic; larger ones are not sent to other processes, which are informed. Each
/// payload is a transaction, and wakes all processes: suitable for tens of processes, not hundreds.
///
/// channel  the same for all processes of one application: a name of 1 to 63 bytes
[[nodiscard]] MakeTopicAdapter postgres_topics(Database database,
                                               std::string channel = "eider_topics");

}  // namespace eider
