// One connection to a Redis server with its queue: calls are sent together and answered in order.
// Layering: must not send a call twice; a call that was sent when the connection is lost fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/core/base/split_mix.h"
#include "eider/data/redis/call.h"
#include "eider/data/redis/call_queue.h"
#include "eider/data/redis/connecting.h"
#include "eider/data/redis/redis_options.h"
#include "eider/data/redis/resp.h"
#include "eider/io/net/net.h"
#include "eider/io/runtime/backoff.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/tcp.h"
#include "eider/io/runtime/time.h"

namespace eider::redis::detail {

/// The pauses between attempts to connect to one server.
class ConnectPauses {
 public:
  ConnectPauses(const RedisOptions& options, std::uint64_t seed) noexcept
      : first_(options.retry_first), max_(options.retry_max), random_(seed) {}

  /// Called after a failed attempt. Returns the pause before the next one.
  [[nodiscard]] Duration next() noexcept {
    ++tries_;
    return pause();
  }
  /// Called at the end of a connection, because otherwise a server that accepts and closes at once
  /// would be connected to without a pause.
  void note_end(Instant made, Instant now) noexcept {
    const bool has_stood = now - made >= max_;
    tries_ = has_stood ? 0 : tries_ + 1;
    not_before_ = now + (has_stood ? Duration::zero() : pause());
  }
  /// Returns the earliest time of the next attempt.
  [[nodiscard]] Instant not_before() const noexcept { return not_before_; }

 private:
  /// Returns 50 to 100 % of the full pause, so that many machines do not connect at once.
  [[nodiscard]] Duration pause() noexcept {
    const Duration whole = eider::detail::runtime::pause_behind(tries_, first_, max_);
    const double share = (1 + random_.next_share()) / 2;
    return std::chrono::duration_cast<Duration>(whole * share);
  }

  Duration first_;
  Duration max_;
  SplitMix64 random_;
  std::int64_t tries_ = 0;  // failed attempts
  Instant not_before_;
};

/// Called for events without a command. The functions must not destroy the link.
class LinkOwner {
 public:
  virtual void on_connected() = 0;
  virtual void on_push(RespCursor push) = 0;
  /// Called when an established connection is lost; the link reconnects.
  virtual void on_lost() = 0;

 protected:
  ~LinkOwner() = default;
};

class Cluster;

class Link final : private StreamOwner, private Deferred {
 public:
  /// net      of the loop; must outlive the link
  /// owner    may be null
  /// cluster  the cluster of the server, to which its calls may be redirected; may be null
  Link(Loop& loop, net::Net& net, std::shared_ptr<const Settings> settings,
       LinkOwner* owner = nullptr, ConnectionUse use = ConnectionUse::own,
       Cluster* cluster = nullptr);
  /// Fails unfinished calls without resuming their coroutines, because the loop may be ending.
  ~Link();
  /// Fails and resumes them, for a link that is destroyed before its loop.
  void end_calls();

  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  [[nodiscard]] const Settings& settings() const noexcept { return *settings_; }
  /// Returns the number of calls without a response.
  [[nodiscard]] std::size_t calls() const noexcept { return queue_.calls(); }
  /// Returns the number of this connection, which is different for each one; 0: not connected.
  [[nodiscard]] std::uint64_t life() const noexcept { return is_ready_ ? life_ : 0; }

  /// Returns the time since the last response, or since the first unanswered command was sent.
  [[nodiscard]] Duration silence() const noexcept { return loop_.now() - heard_; }

  /// Handles a push that is the response to the first unanswered call.
  void answer_pushed(RespCursor push);
  /// Connects, if it is not connected or connecting.
  void connect();
  /// Closes the connection as if the server had done so.
  ///
  /// has_failed  false: the next connection needs no pause
  void break_off(std::string_view why, bool has_failed = true);

  // For a cluster.
  /// Returns the host of the current or last connection.
  [[nodiscard]] const std::string& host() const noexcept { return host_; }
  /// Sends a call of another link, with its bytes.
  void send(Call& call);
  /// Keeps a call without sending it.
  void hold(Call& call, std::string_view why);
  void fail(Call& call, RedisFailure failure) noexcept;
  /// Returns the unsent calls, which the caller must continue. Pre: there is no connection.
  [[nodiscard]] std::vector<Call*> take_waiting() { return queue_.take_waiting(); }

  // For calls.
  [[nodiscard]] ConnectionUse use() const noexcept { return use_; }
  /// life  in which it must be sent; 0: any
  [[nodiscard]] Buffer* begin(Call& call, std::uint64_t life);
  void end(Call& call, std::uint32_t replies);
  void abandon(Call& call) noexcept;
  void expire(Call& call);

 private:
  void on_bytes(std::string_view bytes) override;
  void on_end() override { break_off("the server closed the connection"); }
  void on_drained() override { loop_.defer(*this); }
  void on_broken(NetError error) override;
  void run() override { flush(); }

  [[nodiscard]] Task<> keep_connecting();
  void adopt(Opened opened);
  void note_failed_attempt(ConnectFailure failed);
  [[nodiscard]] bool is_wanted() const noexcept { return owner_ != nullptr || calls() != 0; }

  void enqueue(Call& call, std::size_t bytes, std::uint32_t replies);
  void flush();
  [[nodiscard]] std::size_t read_answers(std::string_view in);
  void answer(std::string_view bytes);
  void answer_front(RespCursor answer);
  void tell_aborted(Call& call);
  void fail_sent(std::string_view why);
  void fail_waiting(RedisFault fault, std::string_view why);
  [[nodiscard]] bool is_full() noexcept;
  [[nodiscard]] RedisFailure busy() const;

  Loop& loop_;
  net::Net& net_;
  std::shared_ptr<const Settings> settings_;
  LinkOwner* owner_;
  ConnectionUse use_;
  Cluster* cluster_;
  RespReader reader_;

  std::unique_ptr<TcpStream> stream_;
  std::unique_ptr<TcpStream> lost_;  // destroyed later, because it may be in a call
  Buffer pending_;                   // an incomplete response
  Instant heard_;                    // last response, or first unanswered call was sent
  Instant made_;                     // time of the connection
  std::uint64_t life_ = 0;
  bool is_ready_ = false;
  bool is_connecting_ = false;

  CallQueue queue_;
  ConnectPauses pauses_;
  std::string why_;  // reason of the last failed attempt
  std::string host_;
  Scope connecting_;
};

}  // namespace eider::redis::detail
