#include "cli/bench/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cli/bench/sent_ring.h"
#include "eider/client/ws/ws_opening.h"

namespace eider::bench {

namespace {

/// A WebSocket connection on which each message waits for a response message.
class WsConnection final : public Connection {
 public:
  /// All arguments outlive it.
  WsConnection(ConnectionUser& user, WsTerms& terms)
      : Connection(user),
        terms_(terms),
        reader_(ws::Side::client, terms.limits),
        sent_(terms.pipeline) {}

  void send(Sent next) override;
  /// As with HTTP/1.1: nothing is read while the socket is full, so only a few large messages wait.
  [[nodiscard]] bool has_room() const noexcept override {
    return sent_.size() == 0 || (!sent_.is_full() && waiting_bytes_ < kWaitingBytesMax);
  }
  [[nodiscard]] std::size_t waiting() const noexcept override { return sent_.size(); }
  [[nodiscard]] Instant waiting_since() const noexcept override { return sent_.front().sent; }
  /// Sends a close frame first, without waiting for the response.
  void close() override;

 private:
  static constexpr std::size_t kWaitingBytesMax = std::size_t{64} << 10U;

  /// Sends the handshake.
  Begun begin() override;
  Sent take_waiting() noexcept override;
  void on_bytes(std::string_view bytes) override;
  void on_end() override;

  void read_opening(std::string_view bytes);
  void read_frames(std::string_view bytes);
  void take(const ws::Event& event);
  void take_piece(const ws::Event& event);
  void compare(const ws::Event& event);
  void end_response();
  void take_close(const ws::Event& event);
  void say_close(ws::CloseCode code, std::string_view reason);
  [[nodiscard]] std::string_view message_of(const Sent& sent) const noexcept;

  WsTerms& terms_;
  ws::MessageReader reader_;
  SentRing sent_;
  std::size_t waiting_bytes_ = 0;  // of outstanding messages
  detail::client::WsKey key_{};
  std::string opening_;             // received part of the server's handshake
  std::size_t answered_bytes_ = 0;  // of the current response
  bool is_opening_ = true;
  bool is_alike_ = true;  // so far, the current response equals its message
};

// The handshake.

Begun WsConnection::begin() {
  is_opening_ = true;
  opening_.clear();
  answered_bytes_ = 0;
  is_alike_ = true;
  reader_ = ws::MessageReader(ws::Side::client, terms_.limits);
  reader_.set_delivery(ws::Delivery::pieces);
  key_ = detail::client::make_ws_key(terms_.masks);
  stream().output().append(
      detail::client::render_opening(terms_.url, {key_.data(), key_.size()}, terms_.opening));
  return Begun::waits;
}

void WsConnection::read_opening(std::string_view bytes) {
  opening_.append(bytes);
  std::size_t used = 0;
  while (true) {
    const std::string_view rest = std::string_view(opening_).substr(used);
    const auto step =
        detail::client::judge_response(rest, {key_.data(), key_.size()}, terms_.opening);
    if (!step) {
      const std::string status =
          step.error().status == 0 ? "" : fmt::format(" (status {})", step.error().status);
      give_up(Fault::declined,
              fmt::format("The WebSocket handshake failed: {}{}", step.error().text, status));
      return;
    }
    used += step->bytes;
    if (step->is_opened) {
      is_opening_ = false;
      tell_ready();
      read_frames(std::string_view(opening_).substr(used));
      return;
    }
    // Interim responses (1xx) count, too, so that a server cannot send them forever.
    if (used > detail::client::kResponseHeadBytesMax) {
      give_up(Fault::declined,
              "The WebSocket handshake failed: the response of the server is too long.");
      return;
    }
    if (step->bytes == 0) {
      return;
    }
  }
}

// Messages.

std::string_view WsConnection::message_of(const Sent& sent) const noexcept {
  return terms_.stamped ? terms_.stamped->with(sent.number)
                        : std::string_view(terms_.messages[sent.request].parts.body);
}

void WsConnection::send(Sent next) {
  next.sent = stream().loop().now();
  sent_.push(next);
  const std::string_view message = message_of(next);
  waiting_bytes_ += message.size();
  if (!next.is_heard) {
    terms_.writer.message(stream().output(), {.type = terms_.type}, message);
  }
}

Sent WsConnection::take_waiting() noexcept {
  const Sent oldest = sent_.pop();
  waiting_bytes_ -= terms_.messages[oldest.request].parts.body.size();  // with and without a stamp
  return oldest;
}

void WsConnection::on_bytes(std::string_view bytes) {
  user().on_received(bytes.size());
  if (is_opening_) {
    read_opening(bytes);
  } else {
    read_frames(bytes);
  }
}

void WsConnection::read_frames(std::string_view bytes) {
  while (stream().is_open()) {
    const ws::Event event = reader_.read(bytes, terms_.scratch);
    bytes.remove_prefix(event.consumed);
    if (event.kind == ws::EventKind::need_more) {
      break;
    }
    take(event);
  }
  if (is_ready() && has_room()) {
    user().on_free(*this);
  }
}

void WsConnection::take(const ws::Event& event) {
  switch (event.kind) {
    case ws::EventKind::piece:
    case ws::EventKind::message:
      take_piece(event);
      return;
    case ws::EventKind::ping:
      terms_.writer.pong(stream().output(), event.data);
      return;
    case ws::EventKind::close:
      take_close(event);
      return;
    case ws::EventKind::refused:
      say_close(event.code, event.data);
      give_up(Fault::malformed,
              fmt::format("The server sent an invalid WebSocket message: {}.", event.data));
      return;
    case ws::EventKind::pong:
    case ws::EventKind::need_more:
      return;
  }
}

void WsConnection::take_piece(const ws::Event& event) {
  if (sent_.size() == 0) {
    refuse_surplus();
    return;
  }
  if (terms_.check == Check::echo) {
    compare(event);
  }
  if (event.is_last) {
    end_response();
  }
}

void WsConnection::compare(const ws::Event& event) {
  const std::string_view asked = message_of(sent_.front());
  const std::string_view rest = asked.substr(std::min(answered_bytes_, asked.size()));
  is_alike_ = is_alike_ && event.type == terms_.type && rest.starts_with(event.data) &&
              (!event.is_last || rest.size() == event.data.size());
  answered_bytes_ += event.data.size();
}

void WsConnection::end_response() {
  answered_bytes_ = 0;
  const Sent sent = take_waiting();
  if (std::exchange(is_alike_, true)) {
    user().on_response(*this, sent, 0);
    return;
  }
  note("A response differs from its message (--check-echo).");
  user().on_failed(*this, sent, Fault::differs);
}

// The end.

void WsConnection::take_close(const ws::Event& event) {
  std::string why = fmt::format("The server closed a WebSocket: {} ({})",
                                static_cast<unsigned>(event.code), ws::name_of(event.code));
  why += event.data.empty() ? "." : fmt::format(", \"{}\".", event.data);
  say_close(event.code, {});
  give_up(Fault::closed, std::move(why));
}

void WsConnection::say_close(ws::CloseCode code, std::string_view reason) {
  terms_.writer.close(stream().output(), code, reason);
  stream().flush();
}

void WsConnection::close() {
  if (is_ready()) {
    say_close(ws::CloseCode::normal, {});
  }
  Connection::close();
}

void WsConnection::on_end() {
  if (is_opening_) {
    give_up(Fault::closed, "The server closed a connection during the WebSocket handshake.");
  } else {
    end_between_responses();
  }
}

}  // namespace

std::unique_ptr<Connection> make_connection(ConnectionUser& user, WsTerms& terms) {
  return std::make_unique<WsConnection>(user, terms);
}

}  // namespace eider::bench
