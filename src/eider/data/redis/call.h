// One command, or a group of commands, from the request to the last response.
// Layering: must not know the connection; a Link sends it and reports its outcome.
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/core/base/work.h"
#include "eider/core/reflect/type.h"
#include "eider/data/redis/command_rules.h"
#include "eider/data/redis/redis_failure.h"
#include "eider/data/redis/resp.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/suspended.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"

namespace eider::redis::detail {

class CallQueue;
class Cluster;
class Link;
class PipelineCall;
struct Routed;

/// The target of a response: a new value of that type. Null: only errors are reported.
struct ReplyTarget {
  const reflect::Type* type = nullptr;
  void* value = nullptr;
};

/// The name of a command for messages, cut if it is long.
class CommandName {
 public:
  explicit CommandName(std::string_view name) noexcept;
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), bytes_}; }

 private:
  std::array<char, 15> text_{};
  std::uint8_t bytes_ = 0;
};

/// The call is queued when it is created, even before it is awaited. Destroying it cancels it: an
/// unsent command is not sent, and the response of a sent one is ignored.
class Call : private Timer, private Deferred {
 public:
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return state_ == State::done; }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    waiting_ = waiting;
    note_.begin(WaitNote::What::command, name(), Loop::current().now());
  }

 protected:
  Call(Link& link, std::string_view name, Duration time) noexcept;
  virtual ~Call();

  /// Returns the buffer for the command; null, and the call has failed, if too much waits.
  ///
  /// watched  the only life of the link (Link::life) in which it may be sent; 0: any
  [[nodiscard]] Buffer* begin(std::uint64_t watched = 0);
  /// Checks a command of this call.
  ///
  /// errors  RedisFailure(refused), thrown: it is not allowed on this connection
  void check(std::string_view command);
  /// Checks the command that was written after `begin`.
  void check_written();
  /// Ends writing: the written bytes are one call.
  ///
  /// replies  number of responses, at least 1
  void end(std::uint32_t replies);

  /// Called with each response, in order.
  virtual void take(RespCursor answer) = 0;
  /// Called if no response was taken yet and another server executes the call.
  virtual void take_anew() noexcept {}
  /// For a call that is bound to a life of the link: called when it is sent, or fails because that
  /// life has ended.
  virtual void end_watch() noexcept {}
  /// Called when the bytes are sent, if `want_sent` was called.
  virtual void on_sent() {}
  void want_sent() noexcept { wants_sent_ = true; }
  /// Reads a value. If it is an error or does not fit, the call fails. The first failure counts.
  ///
  /// others  whether other commands of the call may have been executed
  void read(const ReplyTarget& to, RespCursor& in,
            RedisFailure::Done others = RedisFailure::Done::nothing);
  void fail_with(RedisFailure failure);
  /// Called after the time limit; the call has failed afterwards.
  void expire() override;
  [[nodiscard]] bool has_failed() const noexcept { return failure_ != nullptr; }
  [[nodiscard]] const RedisFailure* failure() const noexcept { return failure_.get(); }
  /// Called when the call is done.
  void finish() noexcept;
  /// Makes this a part of `whole`, which is notified at the end.
  void belong_to(PipelineCall& whole) noexcept { whole_ = &whole; }
  void rethrow() const;
  [[nodiscard]] std::string_view name() const noexcept { return name_.view(); }

 private:
  friend CallQueue;
  friend Cluster;
  friend Link;
  enum class State : std::uint8_t { made, waiting, sent, done };

  void begin_again() noexcept;
  void run() override {
    note_.end();
    waiting_.resume();
  }

  Link* link_;
  Buffer* writing_ = nullptr;  // between `begin` and `end`
  std::uint64_t number_ = 0;   // number of its slot in the link
  Duration time_;
  eider::detail::runtime::Suspended waiting_;
  std::unique_ptr<RedisFailure> failure_;
  std::unique_ptr<Routed> routed_;  // if it is in a cluster
  PipelineCall* whole_ = nullptr;
  State state_ = State::made;
  /// Depends on the state of its connection, so it is not sent over another one.
  bool is_bound_ = false;
  bool wants_sent_ = false;
  bool is_blocking_ = false;  // one of its commands
  CommandKind kind_ = CommandKind::plain;
  CommandName name_;
  WaitNote note_;
};

/// Several commands that are sent together; their responses are stored in their targets in order.
/// In a cluster, each command is sent separately to its node.
class PipelineCall : public Call {
 public:
  /// words    encoded commands
  /// targets  one for each; must outlive the call
  PipelineCall(Link& link, Duration time, std::span<const std::string_view> words,
               std::span<const ReplyTarget> targets);
  ~PipelineCall() override;

 protected:
  void take(RespCursor answer) override;
  void rethrow() const;

 private:
  friend Call;
  class Part;
  void on_part() noexcept;

  std::span<const ReplyTarget> targets_;
  std::size_t taken_ = 0;
  std::size_t parts_left_ = 0;
  std::vector<std::unique_ptr<Part>> parts_;
};

/// The same between MULTI and EXEC: all or nothing, except for commands that fail during EXEC.
class TransactionCall : public Call {
 public:
  /// watched  the life of the link in which WATCH was executed (Link::life); 0: nothing is watched;
  ///          set to 0 when this uses it up. Must outlive the link's calls; null: nothing is
  ///          watched
  TransactionCall(Link& link, Duration time, std::span<const std::string_view> words,
                  std::span<const ReplyTarget> targets, std::uint64_t* watched);

 protected:
  void take(RespCursor answer) override;
  void take_anew() noexcept override { taken_ = 0; }
  void end_watch() noexcept override { *watched_ = 0; }

 private:
  std::span<const ReplyTarget> targets_;
  std::size_t taken_ = 0;
  std::uint64_t* watched_;
};

}  // namespace eider::redis::detail
