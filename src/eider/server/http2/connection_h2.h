// One HTTP/2 connection on a line that it has taken over from HTTP/1.1 (RFC 9113).
// Must not keep anything of a request while none is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/intrusive_list.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/output_budget.h"
#include "eider/io/runtime/pace.h"
#include "eider/io/runtime/timer.h"
#include "eider/protocols/http/h2/session.h"
#include "eider/server/http2/frame_deadline.h"
#include "eider/server/http2/loop_h2.h"
#include "eider/server/http2/send_queue.h"
#include "eider/server/http2/shutdown_h2.h"
#include "eider/server/http2/stream_h2.h"
#include "eider/server/http2/stream_table.h"
#include "eider/server/upgrade.h"

namespace eider::detail::http2 {

/// The requests that one receipt of bytes has completed are served when all of it has been read:
/// a client that takes a request back in the same breath has not had it served.
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
  /// Goes on at the end of the turn: serves, sends. What goes on already does so by itself.
  void want_turn() noexcept;
  /// The same for what has been said behind its last call.
  void want_next_turn() noexcept { loop_.context.loop.defer(*this); }
  /// Counts how often something was sent.
  [[nodiscard]] std::uint64_t turn() const noexcept { return turn_; }
  void add_ready(StreamH2& stream) noexcept { ready_.push_back(stream); }
  /// Content has been produced.
  void add_sender(StreamH2& stream) noexcept;
  /// Answered from an exchange that it is to leave.
  void add_answered(StreamH2& stream) noexcept { answered_.push_back(stream); }

 private:
  [[nodiscard]] h2::StreamUser& on_stream(h2::StreamId id) override;
  void on_part() override;
  void on_pong() override;
  /// Of Timer and of Deferred.
  void expire() override;
  void run() override { go_on(); }

  /// What its answers hold, in the loop's budget.
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
  /// Ends what would go on for as long as the client stays.
  void stop_endless();

  // Time.
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
  // Behind all that a stream uses while it is destroyed.
  StreamTable streams_;
  std::uint64_t turn_ = 0;
  FrameDeadline frame_;
  Instant ending_since_ = Instant::max();  // FIN is sent, and the peer's is waited for
  Instant armed_ = Instant::max();
  Pace reading_;  // the client's, of what the socket refuses
  std::size_t discarded_bytes_ = 0;
  bool has_asked_ = false;    // anything, ever
  bool is_given_up_ = false;  // by the loop's budget
  bool has_peer_ended_ = false;
  bool is_going_on_ = false;
  bool is_closed_ = false;  // the line was told so
};

}  // namespace eider::detail::http2
