#include "eider/web/backplane/redis/redis_topics.h"

#include <memory>
#include <optional>
#include <utility>

#include "eider/data/redis/redis_subscriber.h"

namespace eider {

namespace {

/// The queue of a subscriber has room for one such message.
constexpr std::size_t kPayloadBytesMax = std::size_t{4} << 20U;

class RedisTopics final : public TopicAdapter {
 public:
  RedisTopics(Redis redis, std::string channel)
      : redis_(std::move(redis)), channel_(std::move(channel)) {}

  [[nodiscard]] Task<> send(std::string payload) override {
    co_await redis_.command("PUBLISH", channel_, payload);
  }
  [[nodiscard]] std::size_t bytes_max() const noexcept override { return kPayloadBytesMax; }

  [[nodiscard]] Task<std::optional<std::string>> receive() override {
    if (subscriber_ == nullptr) {
      auto subscriber = std::make_unique<RedisSubscriber>(redis_);
      co_await subscriber->subscribe(channel_);
      subscriber_ = std::move(subscriber);
      co_return std::nullopt;
    }
    try {
      RedisMessage message = co_await subscriber_->receive();
      co_return message.is_gap ? std::nullopt : std::optional(std::move(message.payload));
    } catch (const RedisFailure&) {
      subscriber_.reset();  // reconnect: the server has removed the rejected subscription
      throw;
    }
  }

 private:
  const Redis redis_;
  const std::string channel_;
  std::unique_ptr<RedisSubscriber> subscriber_;
};

}  // namespace

MakeTopicAdapter redis_topics(Redis redis, std::string channel) {
  return [redis = std::move(redis), channel = std::move(channel)] {
    return std::make_unique<RedisTopics>(redis, channel);
  };
}

}  // namespace eider
