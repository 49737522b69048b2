// The listening connection of one event loop and its subscribers; it reconnects automatically.
// Layering: must not store notifications; the subscribers do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/listen_line.h"
#include "eider/data/db/postgres/session.h"
#include "eider/data/db/postgres/target_finder.h"
#include "eider/io/runtime/deferred.h"
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

class LoopListener final : private ListenLineOwner, private Timer, private Deferred {
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

 private:
  /// number  of the latest LISTEN: the channel may have been removed and added again
  struct Channel {
    std::vector<Hearer*> hearers{};
    std::uint64_t number = 0;
    bool is_heard = false;
  };

  void on_open() override;
  void on_answer(const std::string& channel, std::uint64_t number,
                 const std::optional<Failure>& refusal) override;
  void on_notice(std::string_view channel, std::string_view payload) override;
  void on_closed(const std::string& why) override;
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
