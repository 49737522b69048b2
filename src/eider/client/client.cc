#include "eider/client/client.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "eider/client/client_state.h"
#include "eider/client/ws/ws_connection.h"
#include "eider/core/base/assert.h"

namespace eider {

namespace {

std::string environment(const char* lower, const char* upper) {
  const char* value = std::getenv(lower);
  if (value == nullptr && upper != nullptr) {
    value = std::getenv(upper);
  }
  return value == nullptr ? "" : value;
}

}  // namespace

namespace detail::client {

namespace {

net::Options net_options(const ClientOptions& options) {
  return {.dns = {.servers = options.dns_servers, .ttl_max = options.dns_ttl_max},
          .allow_address = options.allow_address,
          .tls = options.tls,
          .tls_context = options.tls_context};
}

std::uint64_t seed_of(const ClientOptions& options, const Loop& loop) noexcept {
  const auto clock = static_cast<std::uint64_t>(loop.now().time_since_epoch().count());
  return options.seed != 0 ? options.seed : clock;
}

}  // namespace

ClientState::ClientState(Loop& on, ClientOptions with, std::unique_ptr<net::Dialler> by)
    : loop(on),
      options(std::move(with)),
      net(net_options(options), std::move(by)),
      proxies({options.http_proxy, options.https_proxy, options.no_proxy}),
      pool(on, options, reader, net),
      budget(options.retry_share),
      dice(seed_of(options, on)) {}

net::Route ClientState::route_to(const http::HttpUrl& url) const {
  net::Route route{url.origin(), url.host, url.port, url.is_secure};
  route.proxy = proxies.proxy_for(route);
  route.is_tunnel = options.http2 == Http2Use::always;  // proxies get requests in HTTP/1.1
  if (route.asks_proxy()) {
    route.key = "proxy";  // one connection for all hosts
  }
  return route;
}

std::optional<ClientError> ClientState::forbids(const net::Route& route) const {
  return net.allows(route) ? std::optional<ClientError>()
                           : to_client_error(net::forbidden(route.host));
}

std::string ClientState::credentials_for(const net::Route& route) {
  return route.asks_proxy() ? route.proxy->credentials() : std::string();
}

Task<Result<Lease, ClientError>> ClientState::lease(const net::Route& route, Instant due,
                                                    Reuse reuse, Rank rank) {
  return pool.lease(route, {std::min(due, loop.now() + options.connect), due}, reuse, rank);
}

ClientError with_place(ClientError error, Method method, const http::HttpUrl& url) {
  error.text.insert(0, std::string(to_text(method)) + " " + url.origin() + ": ");
  return error;
}

namespace {

/// Opens a stream on an existing connection that supports WebSockets; null if there is none.
std::unique_ptr<WsLine> line_of(const std::shared_ptr<ClientState>& state, std::string_view url,
                                const WsClientOptions& options) {
  if (fault_of(options) || !read_ws_url(url)) {
    return nullptr;
  }
  auto target = http::read_http_url(std::string("http").append(url.substr(2)));  // ws becomes http
  if (!target) {
    return nullptr;
  }
  Lease lease = state->pool.try_websocket(state->route_to(*target));
  return lease.is_held() ? make_ws_line(state, std::move(lease), std::move(*target)) : nullptr;
}

}  // namespace

}  // namespace detail::client

HttpClient::HttpClient(ClientOptions options) : HttpClient(std::move(options), nullptr) {}
HttpClient::HttpClient(ClientOptions options, std::unique_ptr<net::Dialler> dialler)
    : options_(std::move(options)), dialler_(std::move(dialler)) {}
HttpClient::HttpClient(HttpClient&& other) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&& other) noexcept = default;
HttpClient::~HttpClient() = default;

detail::client::ClientState& HttpClient::state() {
  if (state_ == nullptr) {
    state_ = std::make_shared<detail::client::ClientState>(Loop::current(), options_,
                                                           std::move(dialler_));
  }
  ensure(&state_->loop == &Loop::current(), "a client must be used on its own event loop");
  return *state_;
}

ClientRequest HttpClient::request(Method method, std::string_view url) {
  return {state(), method, url};
}

Task<HttpClient::Reply> HttpClient::get(std::string_view url) {
  return request(Method::get, url).send();
}

Task<HttpClient::Reply> HttpClient::head(std::string_view url) {
  return request(Method::head, url).send();
}

Task<HttpClient::Reply> HttpClient::delete_(std::string_view url) {
  return request(Method::delete_, url).send();
}

Task<WsClient::Connected> HttpClient::websocket(std::string url, WsClientOptions options) {
  detail::client::ClientState& mine = state();
  if (auto line = detail::client::line_of(state_, url, options)) {
    auto shared = co_await detail::client::open_ws_over(std::move(line), options,
                                                        mine.loop.now() + options.handshake);
    if (shared) {
      co_return WsClient(std::move(*shared));
    }
    // If a shared connection was lost, the server may still be reachable, so open a new connection.
    if (shared.error().fault != WsClientFault::not_connected) {
      co_return fail(std::move(shared.error()));
    }
  }
  auto opened =
      co_await detail::client::open_ws(mine.net, mine.proxies, std::move(url), std::move(options));
  if (!opened) {
    co_return fail(std::move(opened.error()));
  }
  co_return WsClient(std::move(*opened));
}

// HTTP_PROXY in upper case is not read: a client of a CGI program can set it with a Proxy header.
void use_proxies_of_environment(ClientOptions& options) {
  const std::string all = environment("all_proxy", "ALL_PROXY");
  const std::string plain = environment("http_proxy", nullptr);
  const std::string secure = environment("https_proxy", "HTTPS_PROXY");
  options.http_proxy = plain.empty() ? all : plain;
  options.https_proxy = secure.empty() ? all : secure;
  options.no_proxy = environment("no_proxy", "NO_PROXY");
}

}  // namespace eider
