// Redis: commands, subscriptions, cache, sessions, rate limits, topics.
// Component: redis. Guide: docs/guides/data/redis.md.
#pragma once

#include "eider/auth/session/redis/redis_sessions.h"
#include "eider/data/redis/redis.h"
#include "eider/data/redis/redis_cache.h"
#include "eider/data/redis/redis_subscriber.h"
#include "eider/data/redis/redis_values.h"
#include "eider/web/backplane/redis/redis_topics.h"
#include "eider/web/middleware/redis/redis_rates.h"
