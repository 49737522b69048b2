#include "eider/client/ws/ws_client.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "eider/client/ws/ws_connection.h"
#include "eider/client/ws/ws_opening.h"
#include "eider/io/net/net.h"
#include "eider/io/net/proxy.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/tcp.h"
#include "eider/io/ws/ws_calls.h"

namespace eider {

namespace {

using Connected = WsClient::Connected;
using detail::client::Opened;

WsClientError without_connection(net::ConnectError error) {
  const auto as = [&](WsClientFault fault) {
    return WsClientError{fault, std::move(error.text), 0};
  };
  switch (error.fault) {
    case net::ConnectFault::timed_out:
      return as(WsClientFault::timed_out);
    case net::ConnectFault::name_not_found:
    case net::ConnectFault::lookup_failed:
      return as(WsClientFault::no_such_name);
    case net::ConnectFault::tls_failed:
      return as(WsClientFault::tls_failed);
    case net::ConnectFault::forbidden_address:
    case net::ConnectFault::not_connected:
    case net::ConnectFault::proxy_failed:
      break;
  }
  return as(WsClientFault::not_connected);
}

Result<detail::client::WsUrl, WsClientError> check(std::string_view url,
                                                   const WsClientOptions& options) {
  if (const auto fault = detail::client::fault_of(options)) {
    return fail(*fault);
  }
  return detail::client::read_ws_url(url);
}

net::Route route_to(const detail::client::WsUrl& url) {
  return {.key = url.authority,
          .host = url.host,
          .port = url.port,
          .is_secure = url.is_secure,
          .is_tunnel = true};
}

net::Options net_options(const WsClientOptions& options) {
  return {.dns = {.servers = options.dns_servers},
          .allow_address = options.allow_address,
          .tls = options.tls,
          .tls_context = options.tls_context};
}

/// Opens a WebSocket over a plain connection; starts TLS first if the URL requires it.
Task<Opened> shake_hands(net::Net& net, std::unique_ptr<TcpStream> stream,
                         detail::client::WsUrl url, WsClientOptions options) {
  const Instant due = Loop::current().now() + options.handshake;
  if (url.is_secure) {
    const net::Route route = route_to(url);
    auto secured = co_await net.secure(std::move(stream), route, due, {"http/1.1"});
    if (!secured) {
      co_return fail(without_connection(std::move(secured.error())));
    }
    stream = std::move(secured->stream);
  }
  auto line = detail::client::make_ws_line(std::move(stream), std::move(url));
  co_return co_await detail::client::open_ws_over(std::move(line), std::move(options), due);
}

ws::detail::WsAgreement agreement_of(const detail::client::WsOpening& opening,
                                     const WebSocketOptions& options) {
  ws::detail::WsAgreement agreement{.compression = opening.compression};
  const auto found = std::ranges::find(options.subprotocols, opening.subprotocol);
  if (found != options.subprotocols.end()) {
    agreement.subprotocol = static_cast<std::uint8_t>(found - options.subprotocols.begin());
  }
  return agreement;
}

Task<std::optional<WsMessage>> receive_from(WebSocket& socket) {
  co_return co_await socket.receive();
}

}  // namespace

namespace detail::client {

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

Task<Opened> open_ws(net::Net& net, const net::Proxies& proxies, std::string url,
                     WsClientOptions options) {
  auto target = check(url, options);
  if (!target) {
    co_return fail(std::move(target.error()));
  }
  if (!proxies.fault().empty()) {
    co_return fail(WsClientError{WsClientFault::bad_option, std::string(proxies.fault()), 0});
  }
  net::Route route = route_to(*target);
  route.proxy = proxies.proxy_for(route);
  auto stream = co_await net.reach(route, Loop::current().now() + options.connect);
  if (!stream) {
    co_return fail(without_connection(std::move(stream.error())));
  }
  co_return co_await shake_hands(net, std::move(*stream), std::move(*target), std::move(options));
}

}  // namespace detail::client

Task<Connected> WsClient::connect(std::string url, WsClientOptions options) {
  // The network objects are needed only until the connection is established.
  net::Net net(net_options(options));
  const net::Proxies proxies({.plain = options.proxy, .secure = options.proxy});
  auto opened = co_await detail::client::open_ws(net, proxies, std::move(url), std::move(options));
  if (!opened) {
    co_return fail(std::move(opened.error()));
  }
  co_return WsClient(std::move(*opened));
}

Task<Connected> WsClient::open(Descriptor connected, std::string url, WsClientOptions options) {
  auto target = check(url, options);
  if (!target) {
    co_return fail(std::move(target.error()));
  }
  net::Net net(net_options(options));
  auto opened = co_await shake_hands(net, std::make_unique<TcpStream>(std::move(connected)),
                                     std::move(*target), std::move(options));
  if (!opened) {
    co_return fail(std::move(opened.error()));
  }
  co_return WsClient(std::move(*opened));
}

WsClient::WsClient(std::unique_ptr<detail::client::WsConnection> connection) noexcept
    : connection_(std::move(connection)) {}
WsClient::WsClient(WsClient&& other) noexcept = default;
WsClient& WsClient::operator=(WsClient&& other) noexcept = default;
WsClient::~WsClient() = default;

WebSocket::SendAwaiter WsClient::send(std::string_view text) {
  return connection_->socket().send(text);
}

WebSocket::SendAwaiter WsClient::send_binary(std::string_view bytes) {
  return connection_->socket().send_binary(bytes);
}

WebSocket::SendAwaiter WsClient::send(const WsMessage& message) {
  return connection_->socket().send(message);
}

Task<std::optional<WsMessage>> WsClient::receive() {
  return receive_from(connection_->socket());
}

Task<> WsClient::close(CloseCode code, std::string reason) {
  connection_->socket().close(code, reason);
  return detail::runtime::until_set(connection_->ended());
}

ws::detail::WsSession* WsClient::session() const noexcept {
  return connection_ == nullptr ? nullptr : connection_->session();
}

template class WebSocketCalls<WsClient>;

}  // namespace eider
