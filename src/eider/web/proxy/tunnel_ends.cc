#include "eider/web/proxy/tunnel_ends.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eider/server/limits.h"

namespace eider::detail::proxy {

Tunnel::Tunnel(UpgradedLine& line, std::unique_ptr<TcpStream> upstream, Load load,
               TunnelLimits limits)
    : line_(line),
      upstream_owner_(*this),
      upstream_(std::move(upstream)),
      load_(std::move(load)),
      limits_(limits),
      heard_(line.loop().now()) {
  line_.loop().defer(*this);
  watch();
}

void Tunnel::on_bytes(std::string_view bytes) {
  if (is_over_ || !upstream_->stream().is_open()) {
    return;
  }
  heard_ = now();
  upstream_->stream().output().append(bytes);
  if (!upstream_->stream().flush()) {
    // The client is not read while the upstream is slow.
    line_.pause_reading();
    upstream_pace_.begin(upstream_->stream().unread_bytes(), now());
    watch();
  }
}

void Tunnel::on_drained() {
  heard_ = now();
  client_pace_.note_drained(line_.unread_bytes(), now());
  if (has_upstream_ended_) {
    leave();
  } else if (upstream_->stream().is_open()) {
    upstream_->stream().resume_reading();
  }
}

void Tunnel::on_broken() {
  // Set first: the end of the upstream must not close the line again.
  is_over_ = true;
  disarm();
  upstream_->stream().close();
}

/// Bytes after the 101 are sent in the turn after the headers: an HTTP/2 stream must have received
/// its headers first, which are sent at the end of this turn.
void Tunnel::run() {
  if (!std::exchange(is_head_sent_, true)) {
    line_.loop().defer(*this);
    return;
  }
  upstream_->hand_over(upstream_owner_);
  if (upstream_->stream().waiting_bytes() == 0) {
    on_upstream_drained();  // it may have happened before the tunnel was registered
  }
}

void Tunnel::on_upstream_bytes(std::string_view bytes) {
  if (is_over_) {
    return;
  }
  heard_ = now();
  line_.output().append(bytes);
  if (!line_.flush()) {
    upstream_->stream().pause_reading();
    client_pace_.begin(line_.unread_bytes(), now());
    watch();
  }
}

void Tunnel::on_upstream_drained() {
  heard_ = now();
  upstream_pace_.note_drained(upstream_->stream().unread_bytes(), now());
  line_.resume_reading();
}

void Tunnel::end_upstream() {
  if (upstream_->stream().is_open()) {
    upstream_->stream().end();
  }
  note_end();
}

// The last bytes of the upstream, such as the reason for closing, still reach a slow client.
void Tunnel::end_client() {
  if (is_over_ || std::exchange(has_upstream_ended_, true)) {
    return;
  }
  if (line_.flush()) {
    leave();
  } else {
    note_end();
  }
}

void Tunnel::note_end() {
  ended_ = std::min(ended_, now());
  watch();
}

void Tunnel::leave() {
  if (!std::exchange(is_over_, true)) {
    disarm();
    line_.close();
  }
}

/// Resets the connection if bytes are waiting, because the kernel would wait to send them.
void Tunnel::cut() {
  if (upstream_->stream().waiting_bytes() != 0) {
    upstream_->stream().reset();
  }
  upstream_->stream().close();
  if (line_.waiting_bytes() != 0) {
    line_.reset();
  }
  leave();
}

Instant Tunnel::due() const noexcept {
  if (ended_ != Instant::max()) {
    return ended_ + limits_.patience;
  }
  const Instant taken =
      std::min(client_pace_.due(limits_.patience), upstream_pace_.due(limits_.patience));
  return taken != Instant::max() ? taken : heard_ + limits_.idle;
}

/// Returns whether the sides with waiting bytes accept enough of them.
bool Tunnel::keep_up() noexcept {
  const auto is_kept = [&](Pace& pace, std::size_t waiting) {
    return pace.due(limits_.patience) > now() ||
           pace.keeps_up(waiting, now(), Limits().least_bytes(limits_.patience));
  };
  return (client_pace_.is_watched() || upstream_pace_.is_watched()) &&
         is_kept(client_pace_, line_.unread_bytes()) &&
         is_kept(upstream_pace_, upstream_->stream().unread_bytes());
}

// Arriving bytes do not move the timer: when it expires, it checks the time, and waits for the
// rest.
void Tunnel::expire() {
  if (now() < due() || (ended_ == Instant::max() && keep_up())) {
    watch();
  } else {
    cut();
  }
}

}  // namespace eider::detail::proxy
