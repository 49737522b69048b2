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

  /// Behind an attempt that failed.
  [[nodiscard]] Duration next() noexcept {
    ++tries_;
    return pause();
  }
  /// Behind the end of a connection. A server that greets and closes would otherwise be connected
  /// to without a pause.
  void note_end(Instant made, Instant now) noexcept {
    const bool has_stood = now - made >= max_;
    tries_ = has_stood ? 0 : tries_ + 1;
    not_before_ = now + (has_stood ? Duration::zero() : pause());
  }
  /// Of the next attempt.
  [[nodiscard]] Instant not_before() const noexcept { return not_before_; }

 private:
  /// Between half of it and all of it, so that the loops of many machines do not come at once.
  [[nodiscard]] Duration pause() noexcept {
    const Duration whole = eider::detail::runtime::pause_behind(tries_, first_, max_);
    const double share = (1 + random_.next_share()) / 2;
    return std::chrono::duration_cast<Duration>(whole * share);
  }

  Duration first_;
  Duration max_;
  SplitMix64 random_;
  std::int64_t tries_ = 0;  // that have failed
  Instant not_before_;
};

/// Learns of what nobody has asked for. None of these may destroy the link.
class LinkOwner {
 public:
  virtual void on_connected() = 0;
  virtual void on_push(RespCursor push) = 0;
  /// The connection, which was there; another one is being made.
  virtual void on_lost() = 0;

 protected:
  ~LinkOwner() = default;
};

class Cluster;

class Link final : private StreamOwner, private Deferred {
 public:
  /// net      of the loop's; outlives the link
  /// owner    may be null
  /// cluster  that the server is of, where its calls may go to other ones; may be null
  Link(Loop& loop, net::Net& net, std::shared_ptr<const Settings> settings,
       LinkOwner* owner = nullptr, ConnectionUse use = ConnectionUse::own,
       Cluster* cluster = nullptr);
  /// Calls that have not ended fail, and their coroutines are not resumed: the loop may be ending.
  ~Link();
  /// Those fail and are resumed, for a link that ends ahead of its loop.
  void end_calls();

  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  [[nodiscard]] const Settings& settings() const noexcept { return *settings_; }
  /// Calls without an answer.
  [[nodiscard]] std::size_t calls() const noexcept { return queue_.calls(); }
  /// Of this connection; another one has another number. 0: there is none.
  [[nodiscard]] std::uint64_t life() const noexcept { return is_ready_ ? life_ : 0; }

  /// Since the server has said something, or was first asked for what it has not answered.
  [[nodiscard]] Duration silence() const noexcept { return loop_.now() - heard_; }

  /// A push that answers the first call that has no answer.
  void answer_pushed(RespCursor push);
  /// Makes the connection, if there is none and none is being made.
  void connect();
  /// Ends what stands, as if the server had.
  void break_off(std::string_view why);

  // For a cluster.
  /// The one that the connection is to, or was.
  [[nodiscard]] const std::string& host() const noexcept { return host_; }
  /// A call with its bytes, from wherever it was.
  void send(Call& call);
  /// Keeps it without sending it.
  void hold(Call& call, std::string_view why);
  void fail(Call& call, RedisFailure failure) noexcept;
  /// What was not sent. Each has to go on. Pre: there is no connection.
  [[nodiscard]] std::vector<Call*> take_waiting() { return queue_.take_waiting(); }

  // For calls.
  [[nodiscard]] ConnectionUse use() const noexcept { return use_; }
  /// life  that it is to be sent in; 0: any
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
  std::unique_ptr<TcpStream> lost_;  // destroyed outside of what it has called
  Buffer pending_;                   // of an answer that is not whole
  Instant heard_;                    // or when the first of what is not answered was sent
  Instant made_;                     // the connection
  std::uint64_t life_ = 0;
  bool is_ready_ = false;
  bool is_connecting_ = false;

  CallQueue queue_;
  ConnectPauses pauses_;
  std::string why_;  // the last attempt to connect has failed
  std::string host_;
  Scope connecting_;
};

}  // namespace eider::redis::detail
