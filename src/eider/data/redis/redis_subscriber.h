// Receives messages of Redis channels on a connection that reconnects automatically.
// Layering: must not hide missed messages; a gap is reported as a message.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "eider/data/redis/redis.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// A message of a channel, or a gap.
///
/// channel  of the message
/// pattern  that matched; empty for a subscription of the channel itself
/// payload  any bytes
/// missed   for a gap: number of messages that did not fit in the queue; 0: the connection was
///          lost, and the number is unknown
struct RedisMessage {
  std::string channel{};
  std::string pattern{};
  std::string payload{};
  bool is_gap = false;
  std::size_t missed = 0;
};

struct RedisSubscriberOptions {
  /// Maximum number of messages that wait for a slow reader; further messages are dropped, and
  /// reported as a gap.
  std::size_t messages_max = 4096;
  std::size_t bytes_max = std::size_t{8} * 1024 * 1024;
  /// Idle time after which the connection is checked.
  Duration ping_after = std::chrono::seconds(15);
};

/// Receives messages on the event loop that created it. One task receives.
///
///     RedisSubscriber news(redis);
///     co_await news.subscribe("news");
///     while (true) {
///       const RedisMessage message = co_await news.receive();
///       …
///     }
///
/// After a lost connection, it reconnects and subscribes again, and returns a message with `is_gap`
/// before the next ones. If that message was received before the connection is restored, another
/// one follows; after it, nothing is missed.
class RedisSubscriber {
 public:
  explicit RedisSubscriber(const Redis& redis, const RedisSubscriberOptions& options = {});
  ~RedisSubscriber();
  RedisSubscriber(const RedisSubscriber&) = delete;
  RedisSubscriber& operator=(const RedisSubscriber&) = delete;

  /// Returns when the server has confirmed. If that fails within the time limit of a command, the
  /// subscription is still made as soon as there is a connection.
  ///
  /// errors  RedisFailure, thrown: refused, login and busy: not subscribed; busy also for more
  ///         channels than half of RedisOptions::commands_max, or of waiting_bytes_max; expired,
  ///         lost
  [[nodiscard]] Task<> subscribe(std::string channel);
  /// "news.*": `*`, `?` and `[…]` as in a shell.
  [[nodiscard]] Task<> subscribe_pattern(std::string pattern);
  /// A channel of one shard of a cluster (SSUBSCRIBE, Redis 7).
  [[nodiscard]] Task<> subscribe_shard(std::string channel);

  [[nodiscard]] Task<> unsubscribe(std::string channel);
  [[nodiscard]] Task<> unsubscribe_pattern(std::string pattern);
  [[nodiscard]] Task<> unsubscribe_shard(std::string channel);

  /// Waits for the next message. May be canceled; no message is lost then.
  ///
  /// errors  RedisFailure(refused), thrown once: the server rejected a channel after a reconnect,
  ///         or ended a subscription, for example when the slot of a sharded channel moved; the
  ///         channel is not subscribed
  [[nodiscard]] Task<RedisMessage> receive();

 private:
  class Feed;
  std::unique_ptr<Feed> feed_;
  Duration time_;
};

}  // namespace eider
