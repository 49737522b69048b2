#include "eider/data/redis/redis_subscriber.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/redis/keep_asking.h"
#include "eider/data/redis/state.h"
#include "eider/data/servers/message_queue.h"
#include "eider/io/runtime/loop.h"

namespace eider {
namespace {

using redis::detail::Link;
using redis::detail::LinkOwner;
using redis::detail::RespCursor;
using redis::detail::RespItem;
using redis::detail::Settings;

enum class Way : std::uint8_t { channel, pattern, shard };
constexpr std::size_t kWays = 3;

/// The commands to begin and end a kind of subscription, and the names of its messages and
/// responses.
struct Words {
  std::string_view subscribe;
  std::string_view unsubscribe;
  std::string_view message;
};

constexpr std::array<Words, kWays> kWords{{
    {"subscribe", "unsubscribe", "message"},
    {"psubscribe", "punsubscribe", "pmessage"},
    {"ssubscribe", "sunsubscribe", "smessage"},
}};

const Words& words_of(Way way) noexcept {
  return kWords[static_cast<std::size_t>(way)];
}

/// In RESP3 the response to SUBSCRIBE is a push, but an error is a normal response.
class Subscription : public redis::detail::Call {
 public:
  Subscription(Link& link, Duration time, std::string_view word, std::string_view channel)
      : Call(link, word, time) {
    if (Buffer* const out = begin()) {
      redis::detail::append_command(*out, word, channel);
      end(1);
    }
  }
  void await_resume() const { rethrow(); }

 protected:
  void take(RespCursor answer) override { read({}, answer); }
};

/// The command around a name needs fewer bytes than this.
std::size_t bytes_to_ask(const std::string& channel) noexcept {
  return channel.size() + 64;
}

}  // namespace

class RedisSubscriber::Feed final : private LinkOwner {
 public:
  Feed(std::shared_ptr<net::Net> net, const std::shared_ptr<const Settings>& settings,
       const RedisSubscriberOptions& options)
      : messages_(options.messages_max, options.bytes_max),
        net_(std::move(net)),
        link_(Loop::current(), *net_, settings, this),
        asking_(link_, options.ping_after) {}
  ~Feed() { link_.end_calls(); }

  Task<> begin(Way way, std::string channel, Duration time) {
    const bool is_new = note(way, channel);
    const Beginning here(beginning_, way, channel);
    try {
      Subscription asking(link_, time, words_of(way).subscribe, channel);
      co_await asking;
    } catch (const RedisFailure& failure) {
      // If the subscription was rejected, do not keep it, unless another call has made it before.
      if (failure.fault() == RedisFault::refused || failure.fault() == RedisFault::login ||
          (failure.fault() == RedisFault::busy && is_new)) {
        forget(way, channel);
      }
      throw;
    }
  }
  Task<> end(Way way, std::string channel, Duration time);
  Task<RedisMessage> receive() { return messages_.receive(); }

 private:
  class Again;
  class Ending;
  using Names = std::multiset<std::pair<Way, std::string>>;
  /// Registers a pending call; the names may outlive the feed.
  class Beginning {
   public:
    Beginning(std::shared_ptr<Names> all, Way way, const std::string& channel)
        : all_(std::move(all)), place_(all_->emplace(way, channel)) {}
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;
    ~Beginning() { all_->erase(place_); }

   private:
    std::shared_ptr<Names> all_;
    Names::iterator place_;
  };
  void on_connected() override;
  void on_push(RespCursor push) override;
  void on_lost() override;

  [[nodiscard]] std::set<std::string>& names_of(Way way) noexcept {
    return names_[static_cast<std::size_t>(way)];
  }
  /// Returns whether it is new.
  bool note(Way way, const std::string& channel);
  /// Returns whether it existed.
  bool forget(Way way, const std::string& channel);
  void tell_refused(std::string cause);
  void take_message(RespCursor push, bool has_pattern);
  static std::size_t bytes_of(const RedisMessage& message) noexcept {
    return message.channel.size() + message.pattern.size() + message.payload.size();
  }
  void take_ended(Way way, RespCursor push);
  /// Returns whether the end was requested.
  bool note_ended(Way way, const std::string& channel);

  std::array<std::set<std::string>, kWays> names_;
  std::size_t name_bytes_ = 0;  // bytes needed to subscribe to all of them
  const std::shared_ptr<Names> beginning_ = std::make_shared<Names>();
  /// Sent but unconfirmed unsubscribe commands of this connection.
  std::array<std::multiset<std::string>, kWays> ending_;
  eider::detail::servers::MessageQueue<RedisMessage, RedisFailure, bytes_of> messages_;
  std::size_t answers_left_ = 0;  // pending calls in `again_`
  std::vector<std::unique_ptr<Subscription>> again_;
  std::shared_ptr<net::Net> net_;
  Link link_;  // destroyed before the members that it calls
  redis::detail::KeepAsking asking_;
};

/// Limits the channels, because all of them are subscribed again at once after a reconnect.
bool RedisSubscriber::Feed::note(Way way, const std::string& channel) {
  const RedisOptions& limits = link_.settings().options;
  std::size_t count = 0;
  for (const auto& names : names_) {
    count += names.size();
  }
  if (count >= limits.commands_max / 2 ||
      name_bytes_ + bytes_to_ask(channel) > limits.waiting_bytes_max / 2) {
    throw RedisFailure(RedisFault::busy, RedisFailure::Done::nothing,
                       "a subscriber has too many channels");
  }
  const bool is_new = names_of(way).insert(channel).second;
  name_bytes_ += is_new ? bytes_to_ask(channel) : 0;
  return is_new;
}

bool RedisSubscriber::Feed::forget(Way way, const std::string& channel) {
  const bool was_there = names_of(way).erase(channel) != 0;
  name_bytes_ -= was_there ? bytes_to_ask(channel) : 0;
  return was_there;
}

void RedisSubscriber::Feed::tell_refused(std::string cause) {
  messages_.put_refusal(
      RedisFailure(RedisFault::refused, RedisFailure::Done::nothing, std::move(cause)));
}

/// Subscribes again after a lost connection. The receiver is notified when all channels are
/// subscribed, and of rejected ones. If the state is unknown, the connection is closed and the
/// process starts again, because no caller would retry.
class RedisSubscriber::Feed::Again final : public Subscription {
 public:
  Again(Feed& feed, Way way, const std::string& name)
      : Subscription(feed.link_, feed.link_.settings().options.command_time_max,
                     words_of(way).subscribe, name),
        feed_(feed),
        way_(way),
        name_(name) {}

 private:
  void take(RespCursor answer) override {
    Subscription::take(answer);
    if (has_failed() && !is_told()) {
      if (failure()->fault() != RedisFault::refused && is_wanted()) {
        return feed_.link_.break_off("the server did not confirm all subscriptions again");
      }
      if (feed_.forget(way_, name_)) {
        feed_.tell_refused("Redis rejected the subscription after a lost connection");
      }
    }
    if (--feed_.answers_left_ == 0 && feed_.link_.life() > 1) {
      feed_.messages_.put_gap();
    }
  }

  /// A later response would not be handled.
  void expire() override {
    Subscription::expire();
    if (is_wanted() && !is_told()) {
      feed_.link_.break_off("the server did not confirm all subscriptions again in time");
    }
  }
  /// Returns whether the pending call in `begin` reports it.
  [[nodiscard]] bool is_told() const {
    return feed_.link_.life() == 1 && feed_.beginning_->contains({way_, name_});
  }
  [[nodiscard]] bool is_wanted() const { return feed_.names_of(way_).contains(name_); }

  Feed& feed_;
  Way way_;
  std::string name_;
};

/// Counted when it is sent, even if the caller has stopped waiting, because the response arrives
/// anyway.
class RedisSubscriber::Feed::Ending final : public Subscription {
 public:
  Ending(Feed& feed, Duration time, Way way, const std::string& name)
      : Subscription(feed.link_, time, words_of(way).unsubscribe, name),
        feed_(feed),
        way_(way),
        name_(name) {
    want_sent();
  }

 private:
  void on_sent() override { feed_.ending_[static_cast<std::size_t>(way_)].insert(name_); }
  void take(RespCursor answer) override {
    Subscription::take(answer);
    if (has_failed()) {
      (void)feed_.note_ended(way_, name_);
    }
  }

  Feed& feed_;
  Way way_;
  const std::string& name_;
};

Task<> RedisSubscriber::Feed::end(Way way, std::string channel, Duration time) {
  forget(way, channel);
  Ending asking(*this, time, way, channel);
  co_await asking;
}

/// Subscribes to all channels again. A channel of a pending call is requested twice, which has no
/// effect.
void RedisSubscriber::Feed::on_connected() {
  again_.clear();
  for (std::size_t way = 0; way < kWays; ++way) {
    for (const std::string& name : names_[way]) {
      again_.push_back(std::make_unique<Again>(*this, static_cast<Way>(way), name));
    }
  }
  answers_left_ = again_.size();
  const bool is_told = link_.life() == 1 && !beginning_->empty();
  const bool has_room = std::ranges::none_of(
      again_, [](const std::unique_ptr<Subscription>& asking) { return asking->await_ready(); });
  if (!has_room && !is_told) {
    link_.break_off("the send queue has no room to subscribe again");
    again_.clear();  // after that, so that their bytes make room
  }
}

void RedisSubscriber::Feed::on_lost() {
  for (auto& names : ending_) {
    names.clear();
  }
  const bool was_subscribed =
      std::ranges::any_of(names_, [](const auto& names) { return !names.empty(); });
  if (was_subscribed) {
    messages_.put_gap();
  }
}

void RedisSubscriber::Feed::on_push(RespCursor push) {
  const auto values = push.next().number;
  const std::string_view kind = push.next().text;
  for (std::size_t way = 0; way < kWays; ++way) {
    const Words& words = kWords[way];
    if (kind == words.message && values >= 3) {
      return take_message(push, words.message == "pmessage" && values >= 4);
    }
    if (kind != words.subscribe && kind != words.unsubscribe) {
      continue;
    }
    if (values < 3) {
      return link_.break_off("the server did not report which channel was subscribed");
    }
    return kind == words.subscribe ? link_.answer_pushed(push)
                                   : take_ended(static_cast<Way>(way), push);
  }
}

bool RedisSubscriber::Feed::note_ended(Way way, const std::string& channel) {
  auto& asked = ending_[static_cast<std::size_t>(way)];
  const auto found = asked.find(channel);
  if (found == asked.end()) {
    return false;
  }
  asked.erase(found);
  return true;
}

/// A cluster node ends subscriptions of a shard by itself when the slot moves. Then it is not the
/// response to a command.
void RedisSubscriber::Feed::take_ended(Way way, RespCursor push) {
  RespCursor names = push;
  const std::string channel(names.next().text);
  if (note_ended(way, channel)) {
    return link_.answer_pushed(push);
  }
  if (forget(way, channel)) {
    tell_refused("Redis ended a subscription: the channel belongs to another server");
  }
}

void RedisSubscriber::Feed::take_message(RespCursor push, bool has_pattern) {
  RedisMessage message;
  if (has_pattern) {
    message.pattern = push.next().text;
  }
  message.channel = push.next().text;
  message.payload = push.next().text;
  messages_.put(std::move(message));
}

RedisSubscriber::RedisSubscriber(const Redis& redis, const RedisSubscriberOptions& options)
    : feed_(std::make_unique<Feed>(redis.state_->lines.here().net(), redis.state_->settings,
                                   options)),
      time_(redis.time_) {}

RedisSubscriber::~RedisSubscriber() = default;

Task<> RedisSubscriber::subscribe(std::string channel) {
  return feed_->begin(Way::channel, std::move(channel), time_);
}

Task<> RedisSubscriber::subscribe_pattern(std::string pattern) {
  return feed_->begin(Way::pattern, std::move(pattern), time_);
}

Task<> RedisSubscriber::subscribe_shard(std::string channel) {
  return feed_->begin(Way::shard, std::move(channel), time_);
}

Task<> RedisSubscriber::unsubscribe(std::string channel) {
  return feed_->end(Way::channel, std::move(channel), time_);
}

Task<> RedisSubscriber::unsubscribe_pattern(std::string pattern) {
  return feed_->end(Way::pattern, std::move(pattern), time_);
}

Task<> RedisSubscriber::unsubscribe_shard(std::string channel) {
  return feed_->end(Way::shard, std::move(channel), time_);
}

Task<RedisMessage> RedisSubscriber::receive() {
  return feed_->receive();
}

}  // namespace eider
