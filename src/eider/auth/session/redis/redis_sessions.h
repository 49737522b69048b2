// A session store in Redis, shared by the processes of an application.
// Layering: needs a Redis that does not evict keys.
#pragma once

#include <memory>
#include <string>

#include "eider/auth/session/session_store.h"
#include "eider/data/redis/redis.h"

namespace eider {

/// A store for SessionOptions::store. Each step is one script, so that processes do not overwrite
/// changes of each other.
///
/// prefix  of all keys: "<prefix>s:<name>" for sessions, "<prefix>u:<user>" for the sessions of a
///         user, "<prefix>seen" for the times of last use. All keys are on one server, or on one
///         shard of a cluster if the prefix has a tag: "{sessions}:"
[[nodiscard]] std::shared_ptr<SessionStore> redis_sessions(Redis redis,
                                                           std::string prefix = "eider:sessions:");

}  // namespace eider
