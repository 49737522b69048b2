#include <eider/auth/session/redis/redis_sessions.h>
#include <eider/data/redis/redis.h>
#include <eider/data/redis/redis_cache.h>
#include <eider/data/redis/redis_subscriber.h>
#include <eider/data/redis/redis_values.h>
#include <eider/web/middleware/redis/redis_rates.h>
#include <eider/web/relay/redis/redis_topics.h>

#include <cstdio>

int main() {
  const eider::Redis redis("redis://localhost:6379/1");
  try {
    const eider::Redis wrong("http://localhost");
  } catch (const eider::RedisFailure& failure) {
    std::printf("%s\n", failure.what());
    return failure.fault() == eider::RedisFault::open ? 0 : 1;
  }
  return 1;
}
