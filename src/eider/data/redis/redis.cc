#include "eider/data/redis/redis.h"

#include <chrono>

#include "eider/core/base/base64.h"
#include "eider/core/base/sha1.h"
#include "eider/data/redis/state.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"

namespace eider {
namespace {

using redis::detail::Link;
using redis::detail::Settings;
using redis::detail::State;

}  // namespace

redis::Script::Script(std::string source) : source_(std::move(source)) {
  const auto digest = sha1(source_);
  digest_ = to_hex({digest.data(), digest.size()});
}

Redis::Redis(std::string_view url, const RedisOptions& options)
    : state_(redis::detail::make_state(url, options)), time_(options.command_time_max) {}

Redis Redis::within(Duration time) const {
  Redis other = *this;
  other.time_ = time;
  return other;
}

Link& Redis::link() const {
  return own_ != nullptr ? *own_ : state_->lines.here().least_busy();
}

RedisSession Redis::session() const {
  if (state_->settings->target.kind == redis::detail::TargetKind::cluster) {
    throw RedisFailure(RedisFault::refused, RedisFailure::Done::nothing,
                       "a session in a cluster belongs to one node: use Redis::session_of");
  }
  return {*this, state_->settings};
}

Task<RedisSession> Redis::session_of(std::string key) const {
  return open_session(*this, std::move(key));
}

Task<RedisSession> Redis::open_session(Redis redis, std::string key) {
  auto* const cluster = redis.state_->lines.here().cluster();
  if (cluster == nullptr) {
    co_return redis.session();
  }
  // The response shows the node of the key, or starts an update of the slot map.
  co_await redis.command("EXISTS", key);
  const Instant due = Loop::current().now() + redis.time_;
  auto settings = cluster->settings_of(redis::detail::slot_of_key(key));
  while (settings == nullptr && Loop::current().now() < due) {
    cluster->refresh_soon();
    co_await sleep_for(std::chrono::milliseconds(10));
    settings = cluster->settings_of(redis::detail::slot_of_key(key));
  }
  if (settings == nullptr) {
    throw RedisFailure(RedisFault::expired, RedisFailure::Done::nothing,
                       "the cluster did not report which node has the key");
  }
  co_return RedisSession(redis, std::move(settings));
}

struct RedisSession::Own {
  Own(std::shared_ptr<net::Net> of_loop, std::shared_ptr<const Settings> settings)
      : net(std::move(of_loop)), link(Loop::current(), *net, std::move(settings)) {}
  ~Own() { link.end_calls(); }
  Own(const Own&) = delete;
  Own& operator=(const Own&) = delete;

  std::shared_ptr<net::Net> net;
  Link link;
  std::uint64_t watched = 0;  // Link::life of the first WATCH; 0: nothing is watched
};

RedisSession::RedisSession(const Redis& redis, std::shared_ptr<const Settings> settings)
    : Redis(redis),
      own_link_(std::make_unique<Own>(state_->lines.here().net(), std::move(settings))) {
  own_ = &own_link_->link;
  watched_ = &own_link_->watched;
}

RedisSession::RedisSession(RedisSession&&) noexcept = default;
RedisSession& RedisSession::operator=(RedisSession&&) noexcept = default;
RedisSession::~RedisSession() = default;

/// Stores the life of the connection when the response arrives: when the coroutine continues, the
/// connection may be lost.
class RedisSession::Watching final : public redis::detail::Call {
 public:
  Watching(Own& own, Duration time, const std::vector<std::string>& keys)
      : Call(own.link, "WATCH", time), own_(own) {
    if (Buffer* const out = begin()) {
      redis::detail::append_command(*out, "WATCH", keys);
      end(1);
    }
  }
  void await_resume() const { rethrow(); }

 private:
  void take(redis::detail::RespCursor answer) override {
    read({}, answer);
    // An earlier WATCH still counts, although its connection may be lost.
    if (!has_failed() && own_.watched == 0) {
      own_.watched = own_.link.life();
    }
  }

  Own& own_;
};

Task<> RedisSession::watch_all(std::vector<std::string> keys) {
  Watching watching(*own_link_, time_, keys);
  co_await watching;
}

}  // namespace eider
