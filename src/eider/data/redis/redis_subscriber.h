// Messages that others publish by Redis, on a connection of its own that comes back by itself.
// Must not pretend that nothing was missed: a gap is told as a message.
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

/// What comes from a channel, or what did not.
///
/// channel  of the message
/// pattern  that it came by; empty where the channel itself was subscribed to
/// payload  any bytes
/// missed   of a gap: messages that the queue had no room for; 0: the connection was lost, and
///          nobody knows how many
struct RedisMessage {
  std::string channel{};
  std::string pattern{};
  std::string payload{};
  bool is_gap = false;
  std::size_t missed = 0;
};

struct RedisSubscriberOptions {
  /// What waits for a slow reader; what comes behind is left out, and told as a gap.
  std::size_t messages_max = 4096;
  std::size_t bytes_max = std::size_t{8} * 1024 * 1024;
  /// How long the server may say nothing before it is asked whether it is there.
  Duration silence_max = std::chrono::seconds(15);
};

/// On the loop that made it. One task receives.
///
///     RedisSubscriber news(redis);
///     co_await news.subscribe("news");
///     while (true) {
///       const RedisMessage message = co_await news.receive();
///       …
///     }
///
/// Behind a lost connection it connects and subscribes again, for as long as it stands, and gives
/// a message with `is_gap` ahead of what comes then; where the one of the loss was received already
/// another one comes when all is subscribed to again: behind it nothing is missed.
class RedisSubscriber {
 public:
  explicit RedisSubscriber(const Redis& redis, const RedisSubscriberOptions& options = {});
  ~RedisSubscriber();
  RedisSubscriber(const RedisSubscriber&) = delete;
  RedisSubscriber& operator=(const RedisSubscriber&) = delete;

  /// Comes back when the server has agreed. What it could not be asked within the time of a command
  /// is asked as soon as there is a connection, all the same.
  ///
  /// errors  RedisFailure, thrown: refused, login and busy, and then it is forgotten; busy also of
  ///         more channels than half of RedisOptions::commands_max, or of waiting_bytes_max;
  ///         expired, lost
  [[nodiscard]] Task<> subscribe(std::string channel);
  /// "news.*": `*`, `?` and `[…]` as in a shell.
  [[nodiscard]] Task<> subscribe_pattern(std::string pattern);
  /// A channel of one shard of a cluster (SSUBSCRIBE, Redis 7).
  [[nodiscard]] Task<> subscribe_shard(std::string channel);

  [[nodiscard]] Task<> unsubscribe(std::string channel);
  [[nodiscard]] Task<> unsubscribe_pattern(std::string pattern);
  [[nodiscard]] Task<> unsubscribe_shard(std::string channel);

  /// Waits for the next message. May be cancelled; nothing is lost by that.
  ///
  /// errors  RedisFailure(refused), thrown once: behind a lost connection the server did not agree
  ///         to a channel again, or it has ended a subscription by itself, as to a shard's channel
  ///         whose slot has left the node; the channel is forgotten
  [[nodiscard]] Task<RedisMessage> receive();

 private:
  class Feed;
  std::unique_ptr<Feed> feed_;
  Duration time_;
};

}  // namespace eider
