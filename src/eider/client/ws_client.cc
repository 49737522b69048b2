#include "eider/client/ws_client.h"

#include <stdexcept>

#include "eider/client/detail/ws_connection.h"
#include "eider/client/detail/ws_opening.h"
#include "eider/client/detail/ws_url.h"
#include "eider/runtime/address.h"
#include "eider/runtime/connect.h"
#include "eider/runtime/deadline.h"

namespace eider {

namespace {

using Connected = WsClient::Connected;

WsClientError not_connected(NetError error) noexcept {
  const bool is_late = error == NetError::timed_out;
  return {is_late ? WsClientFault::timed_out : WsClientFault::not_connected, text(error), 0};
}

Result<detail::WsUrl, WsClientError> check(std::string_view url, const WsClientOptions& options) {
  if (const auto fault = detail::fault_of(options)) {
    return fail(*fault);
  }
  return detail::read_ws_url(url);
}

Result<Address, WsClientError> address_of(const detail::WsUrl& url) {
  const auto address = Address::parse(url.host, url.port);
  if (!address) {
    return fail(WsClientError{WsClientFault::no_names,
                              "Names are not resolved yet: give an address or localhost.", 0});
  }
  return *address;
}

}  // namespace

Task<Connected> WsClient::connect(std::string url, WsClientOptions options) {
  const auto target = check(url, options);
  if (!target) {
    co_return fail(target.error());
  }
  const auto address = address_of(*target);
  if (!address) {
    co_return fail(address.error());
  }
  auto connecting = eider::connect(*address, options.connect);
  auto fd = co_await connecting;
  if (!fd) {
    co_return fail(not_connected(fd.error()));
  }
  auto opening = open(std::move(*fd), std::move(url), std::move(options));
  co_return co_await std::move(opening);
}

Task<Connected> WsClient::open(Descriptor connected, std::string url, WsClientOptions options) {
  auto target = check(url, options);
  if (!target) {
    co_return fail(target.error());
  }
  const Duration limit = options.handshake;
  auto connection =
      std::make_unique<detail::WsConnection>(std::move(connected), std::move(options));
  auto shaking = with_deadline(connection->shake_hands(std::move(*target)), limit);
  const auto opened = co_await std::move(shaking);
  if (!opened) {
    co_return fail(WsClientError{WsClientFault::timed_out, "The server does not answer in time."});
  }
  if (!*opened) {
    co_return fail(opened->error());
  }
  co_return WsClient(std::move(connection));
}

WsClient::WsClient(std::unique_ptr<detail::WsConnection> connection) noexcept
    : connection_(std::move(connection)) {}
WsClient::WsClient(WsClient&& other) noexcept = default;
WsClient& WsClient::operator=(WsClient&& other) noexcept = default;
WsClient::~WsClient() = default;

Task<bool> WsClient::send(std::string_view text) {
  return connection_->send(ws::MessageType::text, text);
}

Task<bool> WsClient::send_binary(std::string_view bytes) {
  return connection_->send(ws::MessageType::binary, bytes);
}

Task<std::optional<WsClientMessage>> WsClient::receive() {
  return connection_->receive();
}

Task<> WsClient::close(ws::CloseCode code, std::string reason) {
  if (!ws::is_sendable(code)) {
    throw std::invalid_argument("This close code must not be sent.");
  }
  return connection_->close(code, std::move(reason));
}

bool WsClient::is_open() const noexcept {
  return connection_->is_open();
}

ws::CloseCode WsClient::close_code() const noexcept {
  return connection_->close_code();
}

std::string_view WsClient::close_reason() const noexcept {
  return connection_->close_reason();
}

std::string_view WsClient::subprotocol() const noexcept {
  return connection_->subprotocol();
}

}  // namespace eider
