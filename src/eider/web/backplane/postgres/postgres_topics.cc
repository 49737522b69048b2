#include "eider/web/backplane/postgres/postgres_topics.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/data/db/postgres/postgres_subscriber.h"
#include "eider/io/runtime/deadline.h"

namespace eider {

namespace {

/// NOTIFY accepts less than 8,000 bytes of text: this many bytes, as base64.
constexpr std::size_t kPayloadBytesMax = 5997;
static_assert(base64_size(kPayloadBytesMax) < 8000);
constexpr auto kSentWithin = std::chrono::seconds(3);

class PostgresTopics final : public TopicAdapter {
 public:
  PostgresTopics(Database database, std::string channel)
      : database_(std::move(database)), channel_(std::move(channel)) {}

  [[nodiscard]] Task<> send(std::string payload) override {
    if (!co_await with_deadline(tell(database_, channel_, to_base64(payload)), kSentWithin)) {
      throw db::Failure(db::FailureKind::lost, "PostgreSQL did not respond to NOTIFY in time");
    }
  }
  [[nodiscard]] std::size_t bytes_max() const noexcept override { return kPayloadBytesMax; }

  [[nodiscard]] Task<std::optional<std::string>> receive() override {
    if (subscriber_ == nullptr) {
      auto subscriber = std::make_unique<PostgresSubscriber>(database_);
      co_await subscriber->subscribe(channel_);
      subscriber_ = std::move(subscriber);
      co_return std::nullopt;
    }
    try {
      const PostgresMessage message = co_await subscriber_->receive();
      // Invalid base64 becomes an empty payload, which the backplane counts as invalid.
      co_return message.is_gap ? std::nullopt
                               : std::optional(from_base64(message.payload).value_or(""));
    } catch (const db::Failure&) {
      subscriber_.reset();  // reconnect: the server has removed the rejected subscription
      throw;
    }
  }

 private:
  static Task<> tell(Database database, std::string channel, std::string text) {
    co_await notify(database, channel, text);
  }

  const Database database_;
  const std::string channel_;
  std::unique_ptr<PostgresSubscriber> subscriber_;
};

}  // namespace

MakeTopicAdapter postgres_topics(Database database, std::string channel) {
  return [database = std::move(database), channel = std::move(channel)] {
    return std::make_unique<PostgresTopics>(database, channel);
  };
}

}  // namespace eider
