// Topics across processes: all subscribers receive the messages of all processes.
// Layering: must not know the transport; Redis is one (web/backplane/redis/redis_topics.h).
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
#include "eider/core/base/no_dangling.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/server/topics.h"

namespace eider {

/// A channel between processes: each process receives all payloads, including its own. Used on one
/// event loop, which must outlive it; at most one payload is sent and one received at a time.
class TopicAdapter {
 public:
  virtual ~TopicAdapter() = default;

  /// Sends any bytes, up to `bytes_max`. Must end within a few seconds, also if the network fails.
  ///
  /// errors  thrown: the outcome is unknown
  [[nodiscard]] virtual Task<> send(std::string payload) = 0;
  [[nodiscard]] virtual std::size_t bytes_max() const noexcept = 0;
  /// Returns the next payload. Returns nothing after it starts to listen, first and after each lost
  /// connection: earlier payloads may have been missed.
  ///
  /// errors  thrown; it is called again after a while
  [[nodiscard]] virtual Task<std::optional<std::string>> receive() = 0;
};

/// Creates an adapter, on the event loop that the adapter belongs to.
using MakeTopicAdapter = std::function<std::unique_ptr<TopicAdapter>()>;

struct TopicBackplaneOptions {
  /// Maximum number and bytes of messages that wait to be sent; further messages are not sent to
  /// other processes, which are informed.
  std::size_t messages_max = 16'384;
  std::size_t bytes_max = std::size_t{16} << 20U;
  /// Called if messages of other processes may have been missed, also once when the process starts
  /// to listen: on an event loop of the application, which it must not block. Reload cached state
  /// that topics update, and inform clients if needed.
  std::function<void(Topics& topics)> on_missed = {};
  /// Null: standard error.
  std::shared_ptr<LogSink> log = {};
};

/// Counters of messages (except `missed`).
///
/// lost    published here, and possibly not received by others
/// missed  number of times that messages may have been missed here
/// invalid  payloads that were not from a backplane
struct TopicBackplaneCounts {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t lost = 0;
  std::uint64_t missed = 0;
  std::uint64_t invalid = 0;
};

/// A module, added by `add_topic_backplane`. Subscribers in this process receive a message
/// immediately, those in others after its transport. Messages of one publisher arrive in order,
/// each at most once; concurrent messages of two processes may arrive in either order.
class TopicBackplane {
 public:
  static constexpr std::string_view kName = "topics";

  /// topics  must outlive `run` and `stop`
  TopicBackplane(Topics& topics, MakeTopicAdapter make, TopicBackplaneOptions options = {});
  ~TopicBackplane() = default;
  TopicBackplane(const TopicBackplane&) = delete;
  TopicBackplane& operator=(const TopicBackplane&) = delete;

  [[nodiscard]] TopicBackplaneCounts counts() const;

  // Called by the module.
  [[nodiscard]] Task<> run();
  /// Sends messages that were published after the last responses.
  [[nodiscard]] Task<> stop();

 private:
  class Running;
  class Underway;
  struct Batch {
    std::string payload;
    std::size_t messages = 0;
    std::uint64_t lost = 0;  // reported by the payload
  };

  void carry(std::string_view topic, const WsMessage& message, const TopicEvent& event);
  void wake();
  [[nodiscard]] Task<> send_all(TopicAdapter& carrier);
  [[nodiscard]] Task<bool> send(TopicAdapter& carrier, Batch batch);
  [[nodiscard]] Task<> receive_all(TopicAdapter& carrier);
  /// Returns nothing if no messages wait.
  [[nodiscard]] std::optional<Batch> take(std::size_t bytes_max);
  void note_sent(const Batch& batch, bool is_sent);
  void hear(std::string_view payload);
  void note_missed();
  /// Logs the loss of a direction (receiving or sending) once, and again when it is restored.
  void log_way(bool& is_away, std::string_view direction, const std::exception* failure) const;

  Topics& topics_;
  const MakeTopicAdapter make_;
  const TopicBackplaneOptions options_;
  const std::string origin_;
  // Used on the event loop of `run`.
  AsyncEvent arrived_;
  bool is_way_in_away_ = false;
  bool is_way_out_away_ = false;

  mutable std::mutex mutex_;
  std::deque<std::string> waiting_;
  std::size_t bytes_ = 0;
  std::uint64_t lost_told_ = 0;  // of those that are lost: already reported to other processes
  bool is_woken_ = false;
  Loop* loop_ = nullptr;  // the one of `run`, while it runs
  TopicBackplaneCounts counts_;
  /// Its copies expire with this object, because the topics of an app may outlive it and vice
  /// versa.
  std::shared_ptr<TopicBackplane*> self_ = std::make_shared<TopicBackplane*>(this);
};

/// Sends messages of this process to all processes with the same channel, and receives theirs.
///
///     add_topic_backplane(app, redis_topics(redis));
EIDER_NO_DANGLING TopicBackplane& add_topic_backplane(App& app, MakeTopicAdapter make,
                                                      TopicBackplaneOptions options = {});

}  // namespace eider
