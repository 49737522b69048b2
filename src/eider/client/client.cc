#include "eider/client/client.h"

#include <utility>

#include "eider/base/assert.h"
#include "eider/client/detail/client_state.h"
#include "eider/client/detail/proxy_dialler.h"
#include "eider/client/detail/tcp_dialler.h"

namespace eider {

namespace detail {

namespace {

std::unique_ptr<Dialler> or_real(std::unique_ptr<Dialler> dialler, const ClientOptions& options) {
  if (dialler != nullptr) {
    return dialler;
  }
  DnsOptions dns{.servers = options.dns_servers, .ttl_max = options.dns_ttl_max};
  return std::make_unique<ProxyDialler>(std::make_unique<TcpDialler>(std::move(dns)));
}

std::uint64_t seed_of(const ClientOptions& options, const Loop& loop) noexcept {
  const auto clock = static_cast<std::uint64_t>(loop.now().time_since_epoch().count());
  return options.seed != 0 ? options.seed : clock;
}

}  // namespace

ClientState::ClientState(Loop& on, ClientOptions with, std::unique_ptr<Dialler> by)
    : loop(on),
      options(std::move(with)),
      dialler(or_real(std::move(by), options)),
      sealer(options.tls, options.tls_context),
      proxies(options),
      pool(on, options, reader, *dialler, sealer),
      budget(options.retry_share),
      dice(seed_of(options, on)) {}

}  // namespace detail

HttpClient::HttpClient(ClientOptions options) : HttpClient(std::move(options), nullptr) {}
HttpClient::HttpClient(ClientOptions options, std::unique_ptr<detail::Dialler> dialler)
    : options_(std::move(options)), dialler_(std::move(dialler)) {}
HttpClient::HttpClient(HttpClient&& other) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&& other) noexcept = default;
HttpClient::~HttpClient() = default;

detail::ClientState& HttpClient::state() {
  if (state_ == nullptr) {
    state_ = std::make_unique<detail::ClientState>(Loop::current(), options_, std::move(dialler_));
  }
  ensure(&state_->loop == &Loop::current(), "a client on another loop than its own");
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

}  // namespace eider
