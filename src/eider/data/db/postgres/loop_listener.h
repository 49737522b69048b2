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

/// None of these may come or go, nor let others, within the call.
class Hearer {
 public:
  /// From now on nothing of the channel is missed, until `on_gap`.
  virtual void on_heard(const std::string& channel) = 0;
  /// The server does not let it be listened to: it is forgotten.
  virtual void on_refused(const std::string& channel, const Failure& refusal) = 0;
  virtual void on_notice(std::string_view channel, std::string_view payload) = 0;
  /// The connection was lost, and once more when all that was heard is heard again.
  virtual void on_gap() = 0;
  /// The loop ends: there is nothing to leave any more.
  virtual void on_loop_end() noexcept = 0;

 protected:
  ~Hearer() = default;
};

class LoopListener final : private ListenLineOwner, private Timer, private Deferred {
 public:
  LoopListener(Loop& loop, std::shared_ptr<const Settings> settings) noexcept;
  ~LoopListener();

  [[nodiscard]] const PostgresOptions& options() const noexcept { return settings_->options; }
  /// Why nothing is heard at the moment; empty where it is not known.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

  void join(Hearer& hearer) { hearers_.insert(&hearer); }
  /// Pre: it hears nothing any more.
  void leave(Hearer& hearer) noexcept;
  /// `on_heard` or `on_refused` comes within the call, or later.
  ///
  /// errors  Failure(busy)  too many channels
  void listen(const std::string& channel, Hearer& hearer);
  /// Behind the last one who hears it the server is told, and behind the last channel of all the
  /// connection is kept for as long as one without work is.
  void unlisten(const std::string& channel, Hearer& hearer);

 private:
  /// number  of the question that counts: it may have been left and joined meanwhile
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
  std::set<Hearer*> deaf_;  // told of a gap that has not ended
  std::uint64_t numbers_ = 0;
  std::size_t again_left_ = 0;  // of what was asked when the line opened
  std::unique_ptr<ListenLine> line_;
  std::vector<std::unique_ptr<ListenLine>> closed_;  // destroyed outside of what they called
  std::string why_;
  std::int64_t tries_ = 0;  // that have failed since it was heard by one
  Instant pause_end_;
};

}  // namespace eider::db::postgres
