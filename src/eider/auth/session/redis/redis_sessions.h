// Sessions in Redis, which the processes of an application share.
// Must not be given a Redis that throws away what it has no room for: sessions would be gone.
#pragma once

#include <memory>
#include <string>

#include "eider/auth/session/session_store.h"
#include "eider/data/redis/redis.h"

namespace eider {

/// For SessionOptions::store. Each step is one script, so that two processes never undo each
/// other's.
///
/// prefix  of all keys: "<prefix>s:<name>" are the sessions, "<prefix>u:<user>" a user's,
///         "<prefix>seen" when each was used. They lie on one server, or one shard of a cluster
///         where the prefix has a tag: "{sessions}:"
[[nodiscard]] std::shared_ptr<SessionStore> redis_sessions(Redis redis,
                                                           std::string prefix = "eider:sessions:");

}  // namespace eider
