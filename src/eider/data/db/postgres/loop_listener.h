// The listening connection of one event loop and its subscribers; it reconnects automatically.
// Layering: must not store notifications; the subscribers do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/connecting.h"
#include "eider/data/db/postgres/session.h"
#include "eider/data/db/postgres/target_finder.h"
#include "eider/data/db/postgres/wire.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/timer.h"

namespace eider::db::postgres {

/// Callbacks of a subscriber. They must not add or remove subscribers during the call.
class Hearer {
 public:
  /// From now on, no notification of the channel is missed, until `on_gap`.
  virtual void on_heard(const std::string& channel) = 0;
  /// The server has rejected the channel: it is removed.
  virtual void on_refused(const std::string& channel, const Failure& refusal) = 0;
  virtual void on_notice(std::string_view channel, std::string_view payload) = 0;
  /// Called when the connection is lost, and again when all channels are subscribed again.
  virtual void on_gap() = 0;
  /// The event loop ends: `leave` must not be called anymore.
  virtual void on_loop_end() noexcept = 0;

 protected:
  ~Hearer() = default;
};

class LoopListener;

/// One connection that listens with LISTEN and UNLISTEN, and receives notifications. It does not
/// reconnect: a new one replaces it. Its owner must not destroy it within a call.
class ListenLine final : private ConnectingOwner, private FdWatch, private Timer {
 public:
  /// options  must outlive this
  ListenLine(Loop& loop, LoopListener& owner, const PostgresOptions& options) noexcept;
  ~ListenLine();

  /// Connects. Pre: called once.
  void connect(Task<Target> target) { connecting_.start(std::move(target)); }
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }

  // Pre: is_open(). The connection may be closed after the call.

  void listen(const std::string& channel, std::uint64_t number);
  /// The response is not reported.
  void unlisten(const std::string& channel);

 private:
  /// number  0 for other statements than `listen`
  struct Asked {
    std::string channel{};
    std::uint64_t number = 0;
  };

  void on_connected(std::optional<BackendKey> key) override;
  void on_not_connected(const std::string& why) override { close(why); }
  void on_ready(Readiness what) override;
  void expire() override;

  void ask(const std::string& sql, Asked asked);
  void wait_for_a_word() noexcept;
  void take_all();
  void take(const Message& message);
  void finish_answer();
  void close(const std::string& why);

  LoopListener& owner_;
  const PostgresOptions& options_;
  Wire wire_;
  Connecting connecting_;
  std::deque<Asked> asked_;  // in the order of the responses
  std::optional<Failure> failure_;
  bool is_open_ = false;
};

class LoopListener final : private Timer, private Deferred {
 public:
  LoopListener(Loop& loop, std::shared_ptr<const Settings> settings) noexcept;
  ~LoopListener();

  [[nodiscard]] const PostgresOptions& options() const noexcept { return settings_->options; }
  /// Why the connection is not available; empty if unknown.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

  void join(Hearer& hearer) { hearers_.insert(&hearer); }
  /// Pre: it has no channels anymore.
  void leave(Hearer& hearer) noexcept;
  /// `on_heard` or `on_refused` is called during this call, or later.
  ///
  /// errors  Failure(busy)  too many channels
  void listen(const std::string& channel, Hearer& hearer);
  /// After the last subscriber of a channel, the server is informed. After the last channel, the
  /// connection is kept for the time limit of idle connections.
  void unlisten(const std::string& channel, Hearer& hearer);

  // Called by the connection.

  /// It accepts statements now.
  void on_open();
  /// The server has accepted `listen`, or has rejected the channel permanently.
  ///
  /// number  as passed to `listen`
  void on_answer(const std::string& channel, std::uint64_t number,
                 const std::optional<Failure>& refusal);
  void on_notice(std::string_view channel, std::string_view payload);
  /// The last call.
  void on_closed(const std::string& why);

 private:
  /// number  of the latest LISTEN: the channel may have been removed and added again
  struct Channel {
    std::vector<Hearer*> hearers{};
    std::uint64_t number = 0;
    bool is_heard = false;
  };

  void expire() override;
  void run() override { closed_.clear(); }

  void ask(const std::string& name, Channel& channel);
  void go_on();
  void note_lost();
  void note_heard_again();

  Loop& loop_;
  std::shared_ptr<const Settings> settings_;
  TargetFinder finder_;
  std::map<std::string, Channel, std::less<>> channels_;
  std::set<Hearer*> hearers_;
  std::set<Hearer*> deaf_;  // those that were notified of a gap that has not ended
  std::uint64_t numbers_ = 0;
  std::size_t again_left_ = 0;  // repeated LISTENs of a new connection without a response
  std::unique_ptr<ListenLine> line_;
  std::vector<std::unique_ptr<ListenLine>> closed_;  // destroyed outside of their callbacks
  std::string why_;
  std::int64_t tries_ = 0;  // failed since the last successful LISTEN
  Instant pause_end_;
};

}  // namespace eider::db::postgres
