// WsTcpLine: the HTTP/1.1 handshake, and the connection after it.
#include <utility>

#include "eider/client/response_head.h"
#include "eider/client/ws_line.h"

namespace eider::detail::client {

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

}  // namespace eider::detail::client
