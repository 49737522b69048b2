#include "eider/data/db/postgres/postgres_subscriber.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "eider/data/db/postgres/postgres_pool.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/sync.h"

namespace eider {
namespace {

using db::FailureKind;
using db::postgres::LoopListener;
using db::postgres::PostgresPool;

constexpr std::size_t kChannelBytesMax = 63;  // the server would cut a longer one off
constexpr std::size_t kPayloadBytesMax = 7999;

void check_channel(std::string_view channel) {
  if (channel.empty() || channel.size() > kChannelBytesMax || channel.contains('\0')) {
    throw db::Failure::of_value(
        "a channel of PostgreSQL has a name of 1 to 63 bytes, without a NUL");
  }
}

std::shared_ptr<const PostgresPool> pool_of(const Database& database) {
  auto pool = std::dynamic_pointer_cast<const PostgresPool>(database.pool());
  if (pool == nullptr) {
    throw db::Failure(FailureKind::open, "a PostgresSubscriber needs a database of PostgreSQL");
  }
  return pool;
}

}  // namespace

class PostgresSubscriber::Feed final : private db::postgres::Hearer {
 public:
  Feed(const Database& database, const PostgresSubscriberOptions& options)
      : options_(options), pool_(pool_of(database)), listener_(&pool_->listener()) {
    listener_->join(*this);
  }
  ~Feed() {
    if (listener_ == nullptr) {
      return;
    }
    for (const auto& [channel, asked] : channels_) {
      listener_->unlisten(channel, *this);
    }
    listener_->leave(*this);
  }
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  Task<> begin(std::string channel);
  void end(const std::string& channel);
  Task<PostgresMessage> receive();

 private:
  /// What is known of a channel; shared with those who wait to know.
  struct Asked {
    bool is_heard = false;
    std::optional<db::Failure> refusal{};
  };

  void on_heard(const std::string& channel) override;
  void on_refused(const std::string& channel, const db::Failure& refusal) override;
  void on_notice(std::string_view channel, std::string_view payload) override;
  void on_gap() override;
  void on_loop_end() noexcept override { listener_ = nullptr; }

  Task<> wait_for(std::shared_ptr<const Asked> asked);
  void put(PostgresMessage message);
  static std::size_t bytes_of(const PostgresMessage& message) noexcept {
    return message.channel.size() + message.payload.size();
  }

  PostgresSubscriberOptions options_;
  std::shared_ptr<const PostgresPool> pool_;
  LoopListener* listener_;  // null once the loop has ended
  std::map<std::string, std::shared_ptr<Asked>> channels_;
  std::deque<PostgresMessage> messages_;
  std::size_t bytes_ = 0;
  Event answered_;
  Event arrived_;
  std::optional<db::Failure> refusal_;  // of what nobody waited for any more
};

Task<> PostgresSubscriber::Feed::begin(std::string channel) {
  check_channel(channel);
  if (listener_ == nullptr) {
    throw db::Failure(FailureKind::lost, "the loop of this subscriber has ended");
  }
  std::shared_ptr<Asked>& place = channels_[channel];
  if (place == nullptr) {
    place = std::make_shared<Asked>();
  }
  const std::shared_ptr<const Asked> asked = place;
  try {
    listener_->listen(channel, *this);
  } catch (...) {
    channels_.erase(channel);
    throw;
  }
  const Duration time = listener_->options().wait_time_max;
  if (!asked->is_heard && !(co_await with_deadline(wait_for(asked), time))) {
    throw db::Failure(FailureKind::lost,
                      "PostgreSQL has not agreed in time to listen, and is asked again: " +
                          (listener_->why().empty() ? "no answer has come" : listener_->why()));
  }
}

Task<> PostgresSubscriber::Feed::wait_for(std::shared_ptr<const Asked> asked) {
  while (!asked->is_heard && !asked->refusal) {
    answered_.reset();
    co_await answered_.wait();
  }
  if (asked->refusal) {
    throw db::Failure(*asked->refusal);
  }
}

void PostgresSubscriber::Feed::end(const std::string& channel) {
  if (channels_.erase(channel) != 0 && listener_ != nullptr) {
    listener_->unlisten(channel, *this);
  }
}

void PostgresSubscriber::Feed::on_heard(const std::string& channel) {
  if (const auto found = channels_.find(channel); found != channels_.end()) {
    found->second->is_heard = true;
    answered_.set();
  }
}

void PostgresSubscriber::Feed::on_refused(const std::string& channel, const db::Failure& refusal) {
  const auto found = channels_.find(channel);
  if (found == channels_.end()) {
    return;
  }
  found->second->refusal.emplace(refusal);
  if (found->second.use_count() == 1) {
    refusal_.emplace(refusal);
    arrived_.set();
  }
  channels_.erase(found);
  answered_.set();
}

Task<PostgresMessage> PostgresSubscriber::Feed::receive() {
  while (messages_.empty()) {
    if (refusal_) {
      throw db::Failure(*std::exchange(refusal_, std::nullopt));
    }
    arrived_.reset();
    co_await arrived_.wait();
  }
  PostgresMessage message = std::move(messages_.front());
  messages_.pop_front();
  bytes_ -= bytes_of(message);
  co_return message;
}

void PostgresSubscriber::Feed::on_notice(std::string_view channel, std::string_view payload) {
  if (messages_.size() < options_.messages_max &&
      bytes_ + channel.size() + payload.size() <= options_.bytes_max) {
    return put({.channel = std::string(channel), .payload = std::string(payload)});
  }
  // The gap stands where the messages would have; behind it there may be some again.
  if (messages_.empty() || messages_.back().missed == 0) {
    put({.is_gap = true});
  }
  ++messages_.back().missed;
}

/// Several one behind the other are one.
void PostgresSubscriber::Feed::on_gap() {
  const bool is_told =
      !messages_.empty() && messages_.back().is_gap && messages_.back().missed == 0;
  if (!channels_.empty() && !is_told) {
    put({.is_gap = true});
  }
}

void PostgresSubscriber::Feed::put(PostgresMessage message) {
  bytes_ += bytes_of(message);
  messages_.push_back(std::move(message));
  arrived_.set();
}

PostgresSubscriber::PostgresSubscriber(const Database& database,
                                       const PostgresSubscriberOptions& options)
    : feed_(std::make_unique<Feed>(database, options)) {}

PostgresSubscriber::~PostgresSubscriber() = default;

Task<> PostgresSubscriber::subscribe(std::string channel) {
  return feed_->begin(std::move(channel));
}

Task<> PostgresSubscriber::unsubscribe(std::string channel) {
  feed_->end(channel);
  co_return;
}

Task<PostgresMessage> PostgresSubscriber::receive() {
  return feed_->receive();
}

db::Pending<db::detail::ExecJob> notify(const db::Statements& on, std::string_view channel,
                                        std::string_view payload) {
  check_channel(channel);
  if (payload.size() > kPayloadBytesMax) {
    throw db::Failure::of_value("a notification of PostgreSQL has less than 8,000 bytes");
  }
  return on.exec("select pg_notify($1, $2)", channel, payload);
}

}  // namespace eider
