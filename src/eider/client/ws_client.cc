#include "eider/client/ws_client.h"

#include <stdexcept>

#include "eider/client/detail/proxy_dialler.h"
#include "eider/client/detail/sealer.h"
#include "eider/client/detail/tcp_dialler.h"
#include "eider/client/detail/ws_connection.h"
#include "eider/client/detail/ws_opening.h"
#include "eider/client/detail/ws_url.h"
#include "eider/runtime/deadline.h"

namespace eider {

namespace {

using Connected = WsClient::Connected;

WsClientError not_connected(ClientError error) {
  const auto as = [&](WsClientFault fault) {
    return WsClientError{fault, std::move(error.text), 0};
  };
  switch (error.fault) {
    case ClientFault::timed_out:
      return as(WsClientFault::timed_out);
    case ClientFault::name_not_found:
    case ClientFault::lookup_failed:
      return as(WsClientFault::no_such_name);
    case ClientFault::tls_failed:
      return as(WsClientFault::tls_failed);
    default:
      return as(WsClientFault::not_connected);
  }
}

Result<detail::WsUrl, WsClientError> check(std::string_view url, const WsClientOptions& options) {
  if (const auto fault = detail::fault_of(options)) {
    return fail(*fault);
  }
  return detail::read_ws_url(url);
}

Result<detail::Route, WsClientError> route_to(const detail::WsUrl& url, const std::string& proxy) {
  detail::Route route{url.authority, url.host, url.port, url.is_secure};
  route.is_tunnel = true;
  if (proxy.empty()) {
    return route;
  }
  auto read = detail::read_proxy(proxy);
  if (!read) {
    return fail(WsClientError{WsClientFault::bad_option, std::string(read.error()), 0});
  }
  route.proxy = std::make_shared<const detail::Proxy>(std::move(*read));
  return route;
}

Task<Result<Descriptor, ClientError>> dial(detail::Route route, std::string dns_servers,
                                           Duration limit) {
  detail::DnsOptions dns{.servers = std::move(dns_servers)};
  detail::ProxyDialler dialler(std::make_unique<detail::TcpDialler>(std::move(dns)));
  auto dialling = dialler.dial(route, Loop::current().now() + limit);
  co_return co_await std::move(dialling);
}

/// Null for ws://.
Result<std::unique_ptr<Seal>, ClientError> seal_for(const detail::WsUrl& url,
                                                    const WsClientOptions& options) {
  if (!url.is_secure) {
    return nullptr;
  }
  detail::Sealer sealer(options.tls, options.tls_context);
  return sealer.seal_for(url.host, url.port);
}

}  // namespace

Task<Connected> WsClient::connect(std::string url, WsClientOptions options) {
  const auto target = check(url, options);
  if (!target) {
    co_return fail(target.error());
  }
  auto route = route_to(*target, options.proxy);
  if (!route) {
    co_return fail(route.error());
  }
  auto dialling = dial(std::move(*route), options.dns_servers, options.connect);
  auto fd = co_await std::move(dialling);
  if (!fd) {
    co_return fail(not_connected(std::move(fd.error())));
  }
  auto opening = open(std::move(*fd), std::move(url), std::move(options));
  co_return co_await std::move(opening);
}

Task<Connected> WsClient::open(Descriptor connected, std::string url, WsClientOptions options) {
  auto target = check(url, options);
  if (!target) {
    co_return fail(target.error());
  }
  auto seal = seal_for(*target, options);
  if (!seal) {
    co_return fail(not_connected(std::move(seal.error())));
  }
  const Duration limit = options.handshake;
  auto connection = std::make_unique<detail::WsConnection>(std::move(connected), std::move(options),
                                                           std::move(*seal));
  auto shaking = with_deadline(connection->shake_hands(std::move(*target)), limit);
  const auto opened = co_await std::move(shaking);
  if (!opened) {
    co_return fail(
        WsClientError{WsClientFault::timed_out, "The server does not answer in time.", 0});
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
