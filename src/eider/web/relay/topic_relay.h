// Topics over several processes: what one publishes is heard by the subscribers of all.
// Must not know by what it is carried: Redis is one way (web/relay/redis/redis_topics.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "eider/app/app.h"
#include "eider/core/base/log.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/server/topics.h"

namespace eider {

/// A channel on which each process hears what all send, itself too. On one loop, which it ends
/// ahead of; one at a time is sent, and one received.
class TopicCarrier {
 public:
  virtual ~TopicCarrier() = default;

  /// Any bytes, up to `bytes_max`. Ends in a few seconds, whatever becomes of the network.
  ///
  /// errors  thrown: nobody knows then whether it has arrived
  [[nodiscard]] virtual Task<> send(std::string payload) = 0;
  [[nodiscard]] virtual std::size_t bytes_max() const noexcept = 0;
  /// The next payload. Nothing: some may have been missed, and from now on it hears; so it says
  /// first of all, and behind each lost connection.
  ///
  /// errors  thrown; it is called again after a while
  [[nodiscard]] virtual Task<std::optional<std::string>> receive() = 0;
};

/// Called on the loop that it then belongs to.
using MakeTopicCarrier = std::function<std::unique_ptr<TopicCarrier>()>;

struct TopicRelayOptions {
  /// Of those that wait to be carried, and of their bytes; what comes beyond is lost to the others,
  /// who are told.
  std::size_t messages_max = 16'384;
  std::size_t bytes_max = std::size_t{16} << 20U;
  /// Called where others may have published what was not heard here, also once when the process
  /// begins to hear: on a loop of the application, which it must not hold up. What is kept of a
  /// state that topics tell of is to be read anew, and clients may be told so.
  std::function<void(Topics& topics)> when_missed = {};
  /// Null: standard error.
  std::shared_ptr<LogSink> log = {};
};

/// Of messages, but `missed`.
///
/// lost    that were published here and may not have reached the others
/// missed  how often others may have published what was not heard here
/// unread  payloads that were none of a relay's
struct TopicRelayCounts {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t lost = 0;
  std::uint64_t missed = 0;
  std::uint64_t unread = 0;
};

/// A module; `relay_topics` adds it. Subscribers of this process hear a message at once, those of
/// others once it has come there. What one publisher says arrives everywhere in its order, each
/// message once at most; what two processes say at the same time may be heard in either order.
class TopicRelay {
 public:
  static constexpr std::string_view kName = "topics";

  /// topics  outlives `run` and `stop`
  TopicRelay(Topics& topics, MakeTopicCarrier make, TopicRelayOptions options = {});
  ~TopicRelay() = default;
  TopicRelay(const TopicRelay&) = delete;
  TopicRelay& operator=(const TopicRelay&) = delete;

  [[nodiscard]] TopicRelayCounts counts() const;

  // Of the module.
  [[nodiscard]] Task<> run();
  /// Sends what was published behind the last answers.
  [[nodiscard]] Task<> stop();

 private:
  class Running;
  class Underway;
  struct Batch {
    std::string payload;
    std::size_t messages = 0;
    std::uint64_t lost = 0;  // that the payload tells of
  };

  void carry(std::string_view topic, const WsMessage& message, const TopicEvent& event);
  void wake();
  [[nodiscard]] Task<> send_all(TopicCarrier& carrier);
  [[nodiscard]] Task<bool> send(TopicCarrier& carrier, Batch batch);
  [[nodiscard]] Task<> receive_all(TopicCarrier& carrier);
  /// Nothing where nothing waits.
  [[nodiscard]] std::optional<Batch> take(std::size_t bytes_max);
  void note_sent(const Batch& batch, bool is_sent);
  void hear(std::string_view payload);
  void note_missed();
  /// Once for each way in and out, until that is there again.
  void log_way(bool& is_away, std::string_view direction, const std::exception* failure) const;

  Topics& topics_;
  const MakeTopicCarrier make_;
  const TopicRelayOptions options_;
  const std::string origin_;
  // On the loop of `run`.
  Event arrived_;
  bool is_way_in_away_ = false;
  bool is_way_out_away_ = false;

  mutable std::mutex mutex_;
  std::deque<std::string> waiting_;
  std::size_t bytes_ = 0;
  std::uint64_t lost_told_ = 0;  // of those that are lost
  bool is_woken_ = false;
  Loop* loop_ = nullptr;  // of `run`, while that goes on
  TopicRelayCounts counts_;
  /// Whose copies die with this: an app's topics may outlive it, and it them.
  std::shared_ptr<TopicRelay*> self_ = std::make_shared<TopicRelay*>(this);
};

/// What is published in this process is heard by all that have the same channel, and what they
/// publish is heard here.
///
///     relay_topics(app, redis_topics(redis));
TopicRelay& relay_topics(App& app, MakeTopicCarrier make, TopicRelayOptions options = {});

}  // namespace eider
