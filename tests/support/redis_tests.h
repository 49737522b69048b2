// Common parts of Redis tests.
// Layering: must not be linked into an application.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "eider/data/redis/redis.h"
#include "tests/support/redis_server.h"
#include "tests/support/test_loop.h"

namespace eider {

/// Returns the failure of an awaited operation.
template <class Pending>
Task<RedisFailure> failure_of(Pending& pending) {
  try {
    (void)co_await pending;
  } catch (const RedisFailure& failure) {
    co_return failure;
  }
  co_return RedisFailure(RedisFault::open, RedisFailure::Done::nothing, "no failure");
}

class RedisTest : public ::testing::Test {
 protected:
  void SetUp() override { ask("FLUSHALL"); }

  [[nodiscard]] static RedisServer& server() { return RedisServer::shared(); }
  /// Opens another client of the same server, with its own connections.
  [[nodiscard]] static Redis open(const RedisOptions& options = {}) {
    return Redis(server().unix_url(), options);
  }

  template <class T = void, class... Arguments>
  T ask(Arguments... arguments) {
    return ask_of<T>(redis_, arguments...);
  }
  template <class T = void, class... Arguments>
  T ask_of(const Redis& redis, Arguments... arguments) {
    return on_loop_.run([](Redis of, Arguments... sent) -> Task<T> {
      co_return co_await of.command<T>(sent...);
    }(redis, arguments...));
  }
  template <class... Arguments>
  RedisFailure failure(const Redis& redis, Arguments... arguments) {
    return on_loop_.run([](Redis of, Arguments... sent) -> Task<RedisFailure> {
      auto command = of.command<std::optional<std::string>>(sent...);
      co_return co_await failure_of(command);
    }(redis, arguments...));
  }

  TestLoop on_loop_;
  Redis redis_ = open();
};

}  // namespace eider
