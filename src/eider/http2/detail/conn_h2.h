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

#include "eider/base/intrusive_list.h"
#include "eider/http/h2/session.h"
#include "eider/http2/detail/loop_h2.h"
#include "eider/http2/detail/stream_h2.h"
#include "eider/runtime/deferred.h"
#include "eider/runtime/timer.h"
#include "eider/server/upgrade.h"

namespace eider::detail {

/// The requests that one receipt of bytes has completed are served when all of it has been read:
/// who takes a request back in the same breath has not had it served.
class ConnectionH2 final : public Upgraded,
                           private h2::SessionUser,
                           private Timer,
                           private Deferred {
 public:
  ConnectionH2(LoopH2& loop, UpgradedLine& line);
  ~ConnectionH2() override;

  /// Begins with a request of HTTP/1.1.
  ///
  /// settings  see h2::Session::upgrade
  void begin_upgraded(std::string_view settings, const RequestHead& head);

  void on_bytes(std::string_view bytes) override;
  void on_secured() override { is_early_ = false; }
  void on_end() override;
  void on_drained() override;
  void on_broken() override;
  void on_stopping() override;

  // For its streams.
  [[nodiscard]] LoopH2& loop() noexcept { return loop_; }
  [[nodiscard]] LoopContext& context() noexcept { return loop_.context; }
  [[nodiscard]] h2::Session& session() noexcept { return session_; }
  [[nodiscard]] UpgradedLine& line() noexcept { return line_; }
  /// What comes is early data.
  [[nodiscard]] bool is_early() const noexcept { return is_early_; }
  /// Goes on at the end of the turn: serves, sends.
  void want_turn() noexcept;
  void add_ready(StreamH2& stream) noexcept { ready_.push_back(stream); }
  /// Content has been produced.
  void add_sender(StreamH2& stream) noexcept;
  /// Answered from an exchange that it is to leave.
  void add_answered(StreamH2& stream) noexcept { answered_.push_back(stream); }
  void bury(StreamH2& stream) { dead_.push_back(&stream); }
  void note_held(std::size_t bytes) noexcept { held_bytes_ += bytes; }
  void note_sent(std::size_t held_bytes, std::size_t bytes) noexcept {
    held_bytes_ -= held_bytes;
    sent_bytes_ += bytes;
  }
  [[nodiscard]] std::uint64_t sent_bytes() const noexcept { return sent_bytes_; }
  /// Counts how often something was sent.
  [[nodiscard]] std::uint64_t turn() const noexcept { return turn_; }
  /// Counts content that is gathered; returns whether the client may send as much again.
  [[nodiscard]] bool note_gathered(StreamH2& stream, std::size_t bytes) noexcept;
  void forget_gathered(std::size_t bytes) noexcept;
  /// Ends the connection when its requests are done.
  void begin_shutdown();
  /// Nothing is sent for want of a window, or because the socket takes no more.
  [[nodiscard]] bool is_blocked(const StreamH2& stream) const noexcept;
  [[nodiscard]] bool is_window_empty(const StreamH2& stream) const noexcept;
  [[nodiscard]] std::uint64_t least_progress(Duration span) const noexcept;

 private:
  [[nodiscard]] h2::StreamUser& on_stream(h2::StreamId id) override;
  void on_part() override;
  void on_pong() override;
  /// Of Timer and of Deferred.
  void expire() override;
  void run() override { go_on(); }

  void go_on();
  void serve_ready();
  void serve_some();
  void leave_answered();
  void send();
  void bury_dead() noexcept;
  void settle();
  void end_line();
  void close() noexcept;
  void shut_down();
  /// Ends what would go on for as long as the client stays.
  void stop_endless();

  // Time: conn_h2_time.cc.
  [[nodiscard]] bool is_busy() const noexcept;
  void rearm() noexcept;
  void check_line(Instant now);
  void check_quiet(Instant now);
  void check_socket(Instant now);

  LoopH2& loop_;
  UpgradedLine& line_;
  h2::Session session_;
  std::vector<std::unique_ptr<StreamH2>> streams_;
  std::vector<StreamH2*> dead_;
  IntrusiveList<StreamH2> ready_;
  IntrusiveList<StreamH2> senders_;
  IntrusiveList<StreamH2> answered_;
  std::size_t held_bytes_ = 0;
  std::size_t gathered_bytes_ = 0;
  std::uint64_t sent_bytes_ = 0;
  std::uint64_t turn_ = 0;
  Instant quiet_since_;                      // no request is there
  Instant head_since_ = Instant::max();      // a head has begun
  Instant stopping_since_ = Instant::max();  // GOAWAY is announced
  Instant ending_since_ = Instant::max();    // FIN is sent, and the peer's is waited for
  Instant write_due_ = Instant::max();
  Instant armed_ = Instant::max();
  std::size_t write_progress_ = 0;
  std::size_t discarded_bytes_ = 0;
  bool is_shut_down_ = false;  // the last GOAWAY is submitted
  bool is_upgrading_ = false;  // the client has not spoken HTTP/2 yet
  bool has_peer_ended_ = false;
  bool is_going_on_ = false;
  bool is_closed_ = false;  // the line was told so
  bool is_early_ = false;
};

}  // namespace eider::detail
