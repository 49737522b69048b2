#include <eider/redis.h>

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
