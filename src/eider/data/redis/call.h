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

/// Where an answer goes: a fresh value of that type. Null: only an error counts.
struct ReplyTarget {
  const reflect::Type* type = nullptr;
  void* value = nullptr;
};

/// A command's name for people, cut where it is long.
class CommandName {
 public:
  explicit CommandName(std::string_view name) noexcept;
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), bytes_}; }

 private:
  std::array<char, 15> text_{};
  std::uint8_t bytes_ = 0;
};

/// It is on its way once it stands, also before it is awaited. Destroying it gives it up: what was
/// not sent is not, and the answer to what was is passed over.
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

  /// Room for the command's bytes; null, and the call has failed, where too much waits.
  ///
  /// watched  the only life of the link (Link::life) that it is to be sent in; 0: any
  [[nodiscard]] Buffer* begin(std::uint64_t watched = 0);
  /// Looks at a command that is this call's, or one of its commands.
  ///
  /// errors  RedisFailure(refused), thrown: it is not for this connection
  void check(std::string_view command);
  /// The same of the one that was written behind `begin`.
  void check_written();
  /// What was written there is one call.
  ///
  /// replies  answers that there will be, at least 1
  void end(std::uint32_t replies);

  /// One answer, in their order.
  virtual void take(RespCursor answer) = 0;
  /// None was taken yet: another server does it.
  virtual void take_anew() noexcept {}
  /// Of one that is bound to a life of the link: it is sent, or fails as that life is over.
  virtual void end_watch() noexcept {}
  /// Its bytes leave, of one that has called `want_sent`.
  virtual void on_sent() {}
  void want_sent() noexcept { wants_sent_ = true; }
  /// Reads a value that is no error; where it is one, or does not fit, the call has failed. The
  /// first failure counts.
  ///
  /// others  what that means for the other commands of the call
  void read(const ReplyTarget& to, RespCursor& in,
            RedisFailure::Done others = RedisFailure::Done::nothing);
  void fail_with(RedisFailure failure);
  /// Its time is over, and it has failed behind this.
  void expire() override;
  [[nodiscard]] bool has_failed() const noexcept { return failure_ != nullptr; }
  [[nodiscard]] const RedisFailure* failure() const noexcept { return failure_.get(); }
  /// For what is done with its parts.
  void finish() noexcept;
  /// Tells that when it is done.
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
  std::uint64_t number_ = 0;   // among the link's slots
  Duration time_;
  eider::detail::runtime::Suspended waiting_;
  std::unique_ptr<RedisFailure> failure_;
  std::unique_ptr<Routed> routed_;  // of a cluster
  PipelineCall* whole_ = nullptr;
  State state_ = State::made;
  /// Its connection has a state that another one has not: it is not sent over that.
  bool is_bound_ = false;
  bool wants_sent_ = false;
  CommandKind kind_ = CommandKind::plain;
  CommandName name_;
  WaitNote note_;
};

/// Several commands in one writing; their answers go to their targets in order. Those to a cluster
/// go to their nodes each by itself.
class PipelineCall : public Call {
 public:
  /// words    encoded commands
  /// targets  one for each; outlive the call
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

/// The same between MULTI and EXEC: all or nothing, save what the server refuses while it does it.
class TransactionCall : public Call {
 public:
  /// watched  the life of the link in which WATCH was done (Link::life), 0: nothing is watched;
  ///          set to 0 when this uses it up. Outlives the link's calls; null: nothing is watched
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
