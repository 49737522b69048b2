// One HTTP/2 connection, taken over from HTTP/1.1 (RFC 9113).
// Layering: must not store parts of requests while it has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/intrusive_list.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/output_budget.h"
#include "eider/io/runtime/pace.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"
#include "eider/protocols/http/h2/session.h"
#include "eider/server/http2/loop_h2.h"
#include "eider/server/http2/send_queue.h"
#include "eider/server/http2/stream_h2.h"
#include "eider/server/loop_limits.h"
#include "eider/server/upgrade.h"

namespace eider::detail::http2 {

/// The streams of one HTTP/2 connection, and their common totals.
class StreamTable {
 public:
  /// loop  must outlive this
  explicit StreamTable(LoopH2& loop) noexcept;
  ~StreamTable();
  StreamTable(const StreamTable&) = delete;
  StreamTable& operator=(const StreamTable&) = delete;

  [[nodiscard]] StreamH2& open(ConnectionH2& connection, h2::StreamId id);
  /// Called when the session has closed the stream; `remove_closed` destroys it.
  void add_closed(StreamH2& stream) { closed_.push_back(&stream); }
  /// Not within a call of the session, because destroying a handler may have any side effect.
  void remove_closed() noexcept {
    while (!closed_.empty()) {
      remove_last_closed();
    }
  }

  [[nodiscard]] bool is_empty() const noexcept { return streams_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return streams_.size(); }
  /// Pre: is_empty()
  [[nodiscard]] Instant empty_since() const noexcept { return empty_since_; }
  // Streams must not be opened or removed during the iteration.
  [[nodiscard]] auto begin() const noexcept { return streams_.begin(); }
  [[nodiscard]] auto end() const noexcept { return streams_.end(); }

  /// Counts bytes of bodies that are collected. Returns whether the client may send as much again.
  /// Beyond the limit, only the oldest stream continues, so that the streams complete one by one.
  [[nodiscard]] bool note_gathered(const StreamH2& stream, std::size_t bytes) noexcept;
  /// Uncounts bytes, and lets other streams continue.
  void forget_gathered(std::size_t bytes) noexcept;

 private:
  void remove_last_closed() noexcept;
  [[nodiscard]] StreamH2* oldest_gathering() const noexcept;
  [[nodiscard]] bool has_room() const noexcept {
    return gathered_bytes_ <= loop_.options.gathered_bytes_max;
  }

  LoopH2& loop_;
  std::vector<std::unique_ptr<StreamH2>> streams_;
  std::vector<StreamH2*> closed_;
  std::size_t gathered_bytes_ = 0;
  Instant empty_since_;
};

/// First sends a GOAWAY that rejects nothing, since requests may be in transit, and later one with
/// the last stream that is served (RFC 9113, section 6.8).
class ShutdownH2 {
 public:
  /// session  must outlive this
  explicit ShutdownH2(h2::Session& session) noexcept : session_(session) {}

  /// Called when the server stops: `begin` follows after the client's first request, or when it had
  /// time for one.
  void note_stopping(Instant now) noexcept { stopping_since_ = now; }
  /// Returns whether the server stops, or the connection ends by itself.
  [[nodiscard]] bool is_wanted() const noexcept {
    return stopping_since_ != Instant::max() || has_begun();
  }
  [[nodiscard]] bool has_begun() const noexcept { return begun_at_ != Instant::max(); }

  /// Sends the first GOAWAY.
  void begin(Instant now);
  /// The same, if the server stops and the time for it has come.
  void begin_if_due(Instant now, Duration time_to_ask) {
    if (stopping_since_ != Instant::max() && now - stopping_since_ >= time_to_ask) {
      begin(now);
    }
  }
  /// Sends the second GOAWAY, if the client has had enough time to see the first.
  void finish_if_due(Instant now);
  /// Called when the client has seen the first GOAWAY.
  void on_pong();

 private:
  void finish();

  h2::Session& session_;
  Instant stopping_since_ = Instant::max();
  Instant begun_at_ = Instant::max();
  bool is_finished_ = false;
};

/// The deadline for an incomplete frame. Each frame must be completed: meanwhile nothing else can
/// arrive, there may be no stream yet with a minimum rate, and the client is not idle either. DATA
/// frames have the minimum rate of bodies, which may take longer than the time for headers.
class FrameDeadline {
 public:
  /// Called from time to time. returns  whether the client is too slow
  [[nodiscard]] bool is_missed(const std::optional<h2::Unfinished>& unfinished,
                               const server::LoopLimits& limits, Instant now);

 private:
  std::optional<h2::Unfinished> begun_;  // at the start of the interval that ends at due_
  Instant due_ = Instant::max();
};

inline bool FrameDeadline::is_missed(const std::optional<h2::Unfinished>& unfinished,
                                     const server::LoopLimits& limits, Instant now) {
  const bool is_same = unfinished && begun_ && unfinished->number == begun_->number &&
                       unfinished->is_content == begun_->is_content;
  if (is_same && now < due_) {
    return false;
  }
  // Measure DATA by the bytes of the interval; any other frame must be complete by then.
  const std::size_t come = is_same ? begun_->missing_bytes - unfinished->missing_bytes : 0;
  if (is_same && (!unfinished->is_content || come < limits.body_bytes_least(now))) {
    return true;
  }
  begun_ = unfinished;
  if (unfinished) {
    due_ = now + (unfinished->is_content ? limits.body : limits.head);
  }
  return false;
}

/// Requests that one receipt of bytes completes are handled after all of it was read: if it also
/// contains their cancellation, they are not handled.
class ConnectionH2 final : public Upgraded,
                           private h2::SessionUser,
                           private Timer,
                           private Deferred {
 public:
  ConnectionH2(LoopH2& loop, UpgradedLine& line);

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_broken() override;
  void on_stopping() override;

  // For its streams.
  [[nodiscard]] LoopH2& loop() noexcept { return loop_; }
  [[nodiscard]] server::LoopContext& context() noexcept { return loop_.context; }
  [[nodiscard]] h2::Session& session() noexcept { return session_; }
  [[nodiscard]] UpgradedLine& line() noexcept { return line_; }
  [[nodiscard]] StreamTable& streams() noexcept { return streams_; }
  [[nodiscard]] OutgoingH2& outgoing() noexcept { return outgoing_; }
  [[nodiscard]] ShutdownH2& shutdown() noexcept { return shutdown_; }
  /// Continues at the end of the turn: handles requests and sends. Has no effect during `go_on`.
  void want_turn() noexcept;
  /// The same, but also for changes after the last step of `go_on`.
  void want_next_turn() noexcept { loop_.context.loop.defer(*this); }
  /// Returns a number that changes whenever something is sent.
  [[nodiscard]] std::uint64_t turn() const noexcept { return turn_; }
  void add_ready(StreamH2& stream) noexcept { ready_.push_back(stream); }
  /// Called when a producer has written.
  void add_sender(StreamH2& stream) noexcept;
  /// Called for a stream with a complete response in an exchange, which it must leave.
  void add_answered(StreamH2& stream) noexcept { answered_.push_back(stream); }

 private:
  [[nodiscard]] h2::StreamUser& on_stream(h2::StreamId id) override;
  void on_part() override;
  void on_pong() override;
  /// Of Timer and of Deferred.
  void expire() override;
  void run() override { go_on(); }

  /// The memory of the responses, in the loop's output budget.
  class Held final : public runtime::WaitingOutput {
   public:
    Held(ConnectionH2& connection, runtime::OutputBudget& budget) noexcept
        : WaitingOutput(budget), connection_(connection) {}

   private:
    [[nodiscard]] runtime::OutputFlow flow() const noexcept override;
    void give_up() noexcept override;

    ConnectionH2& connection_;
  };

  void go_on();
  [[nodiscard]] bool may_serve() const noexcept;
  void serve_ready();
  void serve_some();
  void leave_answered();
  void send();
  void settle();
  void break_off_tunnels();
  void end_line();
  void close() noexcept;
  /// Ends responses that would last as long as the client stays.
  void stop_endless();

  // Deadlines.
  [[nodiscard]] bool is_busy() const noexcept;
  void rearm() noexcept;
  void check_line(Instant now);
  void check_quiet(Instant now);
  void check_socket(Instant now);

  LoopH2& loop_;
  UpgradedLine& line_;
  h2::Session session_;
  ShutdownH2 shutdown_{session_};
  OutgoingH2 outgoing_;
  Held held_;
  IntrusiveList<StreamH2> ready_;
  IntrusiveList<StreamH2> senders_;
  IntrusiveList<StreamH2> answered_;
  // After the members that a stream uses during its destruction.
  StreamTable streams_;
  std::uint64_t turn_ = 0;
  FrameDeadline frame_;
  Instant ending_since_ = Instant::max();  // FIN was sent; waits for the client's
  Instant armed_ = Instant::max();
  Pace reading_;  // the client's reading rate, while the socket is full
  std::size_t discarded_bytes_ = 0;
  bool has_asked_ = false;    // any request so far
  bool is_given_up_ = false;  // by the loop's budget
  bool has_peer_ended_ = false;
  bool is_going_on_ = false;
  bool is_closed_ = false;  // line_.close was called
};

}  // namespace eider::detail::http2
