// The two steps in which an HTTP/2 connection ends when its requests are done.
// Must not end anything itself: the session does, when nothing is left.
#pragma once

#include <utility>

#include "eider/io/runtime/time.h"
#include "eider/protocols/http/h2/session.h"

namespace eider::detail::http2 {

/// GOAWAY that refuses nothing yet, since requests may be on their way, and behind it one that
/// names the last stream that is served (RFC 9113, section 6.8).
class ShutdownH2 {
 public:
  /// session  outlives it
  explicit ShutdownH2(h2::Session& session) noexcept : session_(session) {}

  /// The server stops: `begin` follows when the client has asked something, or had the time to.
  void note_stopping(Instant now) noexcept { stopping_since_ = now; }
  /// The server stops, or the connection ends by itself.
  [[nodiscard]] bool is_wanted() const noexcept {
    return stopping_since_ != Instant::max() || has_begun();
  }
  [[nodiscard]] bool has_begun() const noexcept { return begun_at_ != Instant::max(); }

  /// The first step.
  void begin(Instant now);
  /// The same, if the server stops and the time for it has come.
  void begin_if_due(Instant now, Duration time_to_ask) {
    if (stopping_since_ != Instant::max() && now - stopping_since_ >= time_to_ask) {
      begin(now);
    }
  }
  /// The second step, if the client has had enough time to see the first.
  void finish_if_due(Instant now);
  /// The client has seen the first step.
  void on_pong();

 private:
  void finish();

  h2::Session& session_;
  Instant stopping_since_ = Instant::max();
  Instant begun_at_ = Instant::max();
  bool is_finished_ = false;
};

}  // namespace eider::detail::http2
