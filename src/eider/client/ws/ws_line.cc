#include "eider/client/ws/ws_connection.h"

#include <utility>

#include "eider/client/client_state.h"
#include "eider/client/pool.h"
#include "eider/client/received.h"
#include "eider/core/base/buffer.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/upgraded_stream.h"

namespace eider::detail::client {

namespace {

/// Uses HTTP/1.1 over a separate connection (RFC 6455, section 4.1).
class WsTcpLine final : public WsLine, private runtime::UpgradedStream, private StreamOwner {
 public:
  WsTcpLine(std::unique_ptr<TcpStream> stream, WsUrl url);

  [[nodiscard]] Task<Result<WsOpening, WsClientError>> shake_hands(const WsClientOptions& options,
                                                                   ws::MaskSource& masks) override;
  [[nodiscard]] UpgradedLine& line() noexcept override { return *this; }
  void begin(ws::detail::WsSession& session, AsyncEvent& ended) override;

 private:
  [[nodiscard]] Task<bool> gather_response();
  [[nodiscard]] WsClientError loss() const;

  [[nodiscard]] std::string address() const override;
  void close() noexcept override;
  [[nodiscard]] Stream& stream() noexcept override { return tcp_->stream(); }
  [[nodiscard]] const Stream& stream() const noexcept override { return tcp_->stream(); }

  void on_bytes(std::string_view bytes) override { session_->on_bytes(bytes); }
  void on_end() override { session_->on_end(); }
  void on_drained() override { session_->on_drained(); }
  void on_broken(NetError error) override;

  std::unique_ptr<TcpStream> tcp_;
  WsUrl url_;
  Buffer response_;             // the handshake response, and the first frames
  std::size_t head_bytes_ = 0;  // length of its headers
  ws::detail::WsSession* session_ = nullptr;
  AsyncEvent* ended_ = nullptr;
};

/// Uses a stream of one of a client's connections, which it holds until its end.
class WsH2Line final : public WsLine, private UpgradedLine, private Deferred {
 public:
  WsH2Line(std::shared_ptr<ClientState> client, Lease lease, http::HttpUrl url);
  ~WsH2Line() override;

  [[nodiscard]] Task<Result<WsOpening, WsClientError>> shake_hands(const WsClientOptions& options,
                                                                   ws::MaskSource& masks) override;
  [[nodiscard]] UpgradedLine& line() noexcept override { return *this; }
  void begin(ws::detail::WsSession& session, AsyncEvent& ended) override;

 private:
  [[nodiscard]] Task<> watch();
  void look();
  void look_at_content();
  void run() override;
  [[nodiscard]] bool is_over() const noexcept { return ended_->is_set(); }

  // As UpgradedLine.
  [[nodiscard]] Loop& loop() noexcept override { return client_->loop; }
  [[nodiscard]] Buffer& output() override;
  bool flush() override;
  [[nodiscard]] std::size_t waiting_bytes() const noexcept override;
  void pause_reading() noexcept override { is_paused_ = true; }
  void resume_reading() override;
  [[nodiscard]] bool is_shared() const noexcept override { return true; }
  void end() override;
  void reset() noexcept override { is_reset_ = true; }  // done when the lease is released
  [[nodiscard]] std::string address() const override;
  void close() noexcept override;

  std::shared_ptr<ClientState> client_;  // owns the connection
  http::HttpUrl url_;
  Received received_;
  Buffer corked_;
  ws::detail::WsSession* session_ = nullptr;
  AsyncEvent* ended_ = nullptr;
  bool is_paused_ = false;
  bool has_waited_ = false;  // the session has seen, or may have seen, that output waits
  bool has_ended_ = false;   // our side has ended
  bool is_end_told_ = false;
  bool is_reset_ = false;
  Lease lease_;
  Task<> watching_;
};

WsTcpLine::WsTcpLine(std::unique_ptr<TcpStream> stream, WsUrl url)
    : tcp_(std::move(stream)), url_(std::move(url)) {}

Task<Result<WsOpening, WsClientError>> WsTcpLine::shake_hands(const WsClientOptions& options,
                                                              ws::MaskSource& masks) {
  const WsKey key = make_ws_key(masks);
  const std::string_view key_text(key.data(), key.size());
  const std::string request = render_opening(url_, key_text, options);
  const auto written = co_await tcp_->write(request);
  while (written) {
    // Count interim responses, so that they cannot continue forever.
    const auto opening = judge_response(response_.view().substr(head_bytes_), key_text, options);
    if (!opening) {
      co_return fail(opening.error());
    }
    head_bytes_ += opening->bytes;
    if (opening->is_opened) {
      co_return *opening;
    }
    if (head_bytes_ > kResponseHeadBytesMax) {
      co_return fail(WsClientError{WsClientFault::bad_response,
                                   std::string(text(ResponseHeadFault::too_large)), 0});
    }
    if (opening->bytes != 0) {
      continue;
    }
    if (!co_await gather_response()) {
      break;
    }
  }
  co_return fail(loss());
}

Task<bool> WsTcpLine::gather_response() {
  const auto more = co_await tcp_->read();
  if (!more || more->empty()) {
    co_return false;
  }
  response_.append(*more);
  co_return true;
}

WsClientError WsTcpLine::loss() const {
  if (!tcp_->why_insecure().empty()) {
    return {WsClientFault::tls_failed, std::string(tcp_->why_insecure()), 0};
  }
  return {WsClientFault::not_connected, "The connection closed before the response was complete.",
          0};
}

void WsTcpLine::begin(ws::detail::WsSession& session, AsyncEvent& ended) {
  session_ = &session;
  ended_ = &ended;
  // Frames after the response are read first.
  tcp_->unread(response_.view().substr(head_bytes_));
  response_.release();
  tcp_->hand_over(*this);
}

std::string WsTcpLine::address() const {
  const auto peer = tcp_->is_open() ? tcp_->stream().peer() : fail(NetError::closed);
  return peer ? peer->host() : std::string();
}

void WsTcpLine::close() noexcept {
  tcp_->stream().close();
  ended_->set();
}

void WsTcpLine::on_broken(NetError /*error*/) {
  // Notify the session before its owner, which may destroy it.
  session_->on_broken();
  ended_->set();
}

// Over a stream of HTTP/2.

WsH2Line::WsH2Line(std::shared_ptr<ClientState> client, Lease lease, http::HttpUrl url)
    : client_(std::move(client)), url_(std::move(url)), lease_(std::move(lease)) {}

WsH2Line::~WsH2Line() = default;

Task<Result<WsOpening, WsClientError>> WsH2Line::shake_hands(const WsClientOptions& options,
                                                             ws::MaskSource& /*masks*/) {
  lease_->begin(received_, {.gathering = Gathering::pieces,
                            .head = {.head_bytes_max = client_->options.head_bytes_max,
                                     .headers_max = client_->options.headers_max},
                            .decompresses = false});
  const std::string lines = render_fields(options);
  lease_.h2().ask_for("websocket", {.scheme = url_.is_secure ? "https" : "http",
                                    .authority = url_.authority,
                                    .target = url_.target,
                                    .lines = lines});
  co_await lease_->until(Condition::head);
  if (lease_->has_failed()) {
    co_return fail(WsClientError{WsClientFault::not_connected, lease_->error().text, 0});
  }
  if (received_.status != 200) {
    co_return fail(declined(received_.status));
  }
  co_return judge_choices(received_.fields, options);
}

void WsH2Line::begin(ws::detail::WsSession& session, AsyncEvent& ended) {
  session_ = &session;
  ended_ = &ended;
  // Received bytes are passed on in the next round, never within the handshake's call.
  client_->loop.defer(*this);
}

/// Checks the stream after each event.
Task<> WsH2Line::watch() {
  while (!is_over()) {
    co_await lease_->until(Condition::change);
    look();
  }
}

void WsH2Line::look() {
  if (is_over()) {
    return;
  }
  look_at_content();
  if (!is_over() && lease_->has_failed()) {
    // Notify the session before its owner, which may destroy it.
    session_->on_broken();
    return ended_->set();
  }
  if (!is_over() && has_waited_ && waiting_bytes() == 0) {
    has_waited_ = false;
    session_->on_drained();
  }
}

void WsH2Line::look_at_content() {
  // Each message may pause, end or break the line.
  while (!is_over() && !is_paused_ && !lease_->has_failed()) {
    const auto piece = lease_->take_piece();
    if (!piece || piece->empty()) {
      break;
    }
    session_->on_bytes(*piece);
  }
  if (!is_over() && !is_paused_ && lease_->has_head() && lease_->has_taken_all() &&
      !std::exchange(is_end_told_, true)) {
    session_->on_end();
  }
}

/// Does the work that is not possible within a call of the session: sends output at the end of the
/// turn.
void WsH2Line::run() {
  if (is_over()) {
    watching_ = Task<>();  // it waits for the lease, which ends here
    lease_ = Lease();
    return;
  }
  if (watching_.is_empty()) {
    watching_ = watch();
    watching_.start();
  }
  static_cast<void>(flush());
  look();
}

// As UpgradedLine.

Buffer& WsH2Line::output() {
  client_->loop.defer(*this);
  return corked_;
}

bool WsH2Line::flush() {
  if (!corked_.empty()) {
    lease_.h2().send_content(corked_.view(), Piece::inner);
    corked_.clear();
    lease_->flush();
  }
  has_waited_ = has_waited_ || waiting_bytes() != 0;
  return waiting_bytes() == 0;
}

std::size_t WsH2Line::waiting_bytes() const noexcept {
  return lease_.is_held() ? lease_.h2().unsent_bytes() : 0;
}

void WsH2Line::resume_reading() {
  is_paused_ = false;
  client_->loop.defer(*this);
}

void WsH2Line::end() {
  if (!std::exchange(has_ended_, true)) {
    lease_.h2().send_content(corked_.view(), Piece::last);
    corked_.clear();
  }
}

std::string WsH2Line::address() const {
  return url_.host;
}

// "Orderly TCP-level closures are represented as END_STREAM flags" (RFC 8441, section 5).
void WsH2Line::close() noexcept {
  if (!is_reset_) {
    end();
  }
  ended_->set();
  // Release the lease later, from the loop: the session is within a call here.
  client_->loop.defer(*this);
}

}  // namespace

std::unique_ptr<WsLine> make_ws_line(std::unique_ptr<TcpStream> stream, WsUrl url) {
  return std::make_unique<WsTcpLine>(std::move(stream), std::move(url));
}

std::unique_ptr<WsLine> make_ws_line(std::shared_ptr<ClientState> client, Lease lease,
                                     http::HttpUrl url) {
  return std::make_unique<WsH2Line>(std::move(client), std::move(lease), std::move(url));
}

}  // namespace eider::detail::client
