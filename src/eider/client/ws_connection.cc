#include "eider/client/ws_connection.h"

#include <algorithm>
#include <utility>

#include "eider/io/runtime/deadline.h"

namespace eider::detail::client {

namespace {

ws::detail::WsAgreement agreement_of(const WsOpening& opening, const WebSocketOptions& options) {
  ws::detail::WsAgreement agreement{.compression = opening.compression};
  const auto found = std::ranges::find(options.subprotocols, opening.subprotocol);
  if (found != options.subprotocols.end()) {
    agreement.subprotocol = static_cast<std::uint8_t>(found - options.subprotocols.begin());
  }
  return agreement;
}

}  // namespace

WsConnection::WsConnection(std::unique_ptr<WsLine> line, WsClientOptions options)
    : options_(std::move(options)),
      route_(options_.socket),
      masks_(options_.masks != nullptr ? *options_.masks : random_),
      shared_(Loop::current(), masks_),
      line_(std::move(line)) {}

Task<Result<void, WsClientError>> WsConnection::shake_hands() {
  const auto opening = co_await line_->shake_hands(options_, masks_);
  if (!opening) {
    co_return fail(opening.error());
  }
  session_ = std::make_unique<ws::detail::WsSession>(shared_, route_, line_->line(),
                                                     agreement_of(*opening, options_.socket));
  socket_ = session_->hand_out();
  // The session and its handle must exist before the session gets any input.
  line_->begin(*session_, ended_);
  co_return Result<void, WsClientError>();
}

Task<Opened> open_ws_over(std::unique_ptr<WsLine> line, WsClientOptions options, Instant due) {
  auto connection = std::make_unique<WsConnection>(std::move(line), std::move(options));
  const auto opened =
      co_await with_deadline(connection->shake_hands(), due - Loop::current().now());
  if (!opened) {
    co_return fail(
        WsClientError{WsClientFault::timed_out, "The server did not respond in time.", 0});
  }
  if (!*opened) {
    co_return fail(opened->error());
  }
  co_return connection;
}

}  // namespace eider::detail::client
