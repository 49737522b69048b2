#include "eider/data/db/postgres/postgres_subscriber.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "eider/data/db/postgres/postgres_pool.h"
#include "eider/data/servers/message_queue.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/sync.h"

namespace eider {
namespace {

using db::FailureKind;
using db::postgres::LoopListener;
using db::postgres::PostgresPool;

constexpr std::size_t kChannelBytesMax = 63;  // the server would truncate a longer name
constexpr std::size_t kPayloadBytesMax = 7999;

void check_channel(std::string_view channel) {
  if (channel.empty() || channel.size() > kChannelBytesMax || channel.contains('\0')) {
    throw db::Failure::of_value(
        "the name of a PostgreSQL channel must have 1 to 63 bytes and no NUL");
  }
}

std::shared_ptr<const PostgresPool> pool_of(const Database& database) {
  auto pool = std::dynamic_pointer_cast<const PostgresPool>(database.pool());
  if (pool == nullptr) {
    throw db::Failure(FailureKind::open, "a PostgresSubscriber needs a PostgreSQL database");
  }
  return pool;
}

}  // namespace

class PostgresSubscriber::Feed final : private db::postgres::Hearer {
 public:
  Feed(const Database& database, const PostgresSubscriberOptions& options)
      : pool_(pool_of(database)),
        listener_(&pool_->listener()),
        messages_(options.messages_max, options.bytes_max) {
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
  Task<PostgresMessage> receive() { return messages_.receive(); }

 private:
  /// The state of a channel; shared with the calls that wait for it.
  struct Asked {
    bool is_heard = false;
    std::optional<db::Failure> refusal{};
  };

  void on_heard(const std::string& channel) override;
  void on_refused(const std::string& channel, const db::Failure& refusal) override;
  void on_notice(std::string_view channel, std::string_view payload) override;
  void on_gap() override {
    if (!channels_.empty()) {
      messages_.put_gap();
    }
  }
  void on_loop_end() noexcept override { listener_ = nullptr; }

  Task<> wait_for(std::shared_ptr<const Asked> asked);
  static std::size_t bytes_of(const PostgresMessage& message) noexcept {
    return message.channel.size() + message.payload.size();
  }

  std::shared_ptr<const PostgresPool> pool_;
  LoopListener* listener_;  // null after the event loop has ended
  std::map<std::string, std::shared_ptr<Asked>> channels_;
  eider::detail::servers::MessageQueue<PostgresMessage, db::Failure, bytes_of> messages_;
  AsyncEvent answered_;
};

Task<> PostgresSubscriber::Feed::begin(std::string channel) {
  check_channel(channel);
  if (listener_ == nullptr) {
    throw db::Failure(FailureKind::lost, "the event loop of this subscriber has ended");
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
    throw db::Failure(
        FailureKind::lost,
        "PostgreSQL did not confirm the subscription in time; the request is repeated: " +
            (listener_->why().empty() ? "no response" : listener_->why()));
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
    messages_.put_refusal(refusal);  // no call waits for it
  }
  channels_.erase(found);
  answered_.set();
}

void PostgresSubscriber::Feed::on_notice(std::string_view channel, std::string_view payload) {
  messages_.put({.channel = std::string(channel), .payload = std::string(payload)});
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
    throw db::Failure::of_value("a PostgreSQL notification must have less than 8,000 bytes");
  }
  return on.exec("select pg_notify($1, $2)", channel, payload);
}

namespace db::postgres {

namespace {

class ChannelNotices final : public Notices {
 public:
  ChannelNotices(Database database, std::string channel)
      : database_(std::move(database)), channel_(std::move(channel)) {}

  [[nodiscard]] Task<> next() override {
    if (subscriber_ == nullptr) {
      auto subscriber = std::make_unique<PostgresSubscriber>(database_);
      co_await subscriber->subscribe(channel_);
      subscriber_ = std::move(subscriber);
      co_return;
    }
    (void)co_await subscriber_->receive();
  }

 private:
  const Database database_;
  const std::string channel_;
  std::unique_ptr<PostgresSubscriber> subscriber_;
};

}  // namespace

std::unique_ptr<Notices> PostgresPool::notices(const std::string& channel) {
  return std::make_unique<ChannelNotices>(Database(shared_from_this()), channel);
}

}  // namespace db::postgres

}  // namespace eider
