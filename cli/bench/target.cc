#include "cli/bench/target.h"

#include <fmt/format.h>

#include <utility>

#include "cli/bench/on_loop.h"
#include "eider/client/ws/ws_opening.h"
#include "eider/io/net/net.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/http_url.h"

namespace eider::bench {

namespace {

std::string with_mend(net::ConnectError error) {
  switch (error.fault) {
    case net::ConnectFault::name_not_found:
      return std::move(error.text) + " Check the spelling.";
    case net::ConnectFault::not_connected:
      return std::move(error.text) + " Check that the service is running.";
    case net::ConnectFault::timed_out:
      return std::move(error.text) + " Check the firewall (--timeout).";
    case net::ConnectFault::lookup_failed:
    case net::ConnectFault::forbidden_address:
    case net::ConnectFault::proxy_failed:
    case net::ConnectFault::tls_failed:
      break;
  }
  return std::move(error.text);
}

/// Returns the first address that accepts a connection, which is closed again. Blocks, because
/// there is no load yet.
Result<SocketAddress, std::string> first_that_answers(const detail::http::HttpUrl& url,
                                                      const Options& options) {
  Result<SocketAddress, std::string> found = fail(std::string());
  run_on_loop(options.backend, [&]() -> Task<> {
    net::Net net({});
    const net::Route route{.key = {}, .host = url.host, .port = url.port};
    auto stream = co_await net.reach(route, Loop::current().now() + options.timeout);
    if (!stream) {
      found = fail(with_mend(std::move(stream.error())));
    } else if (auto address = (*stream)->stream().peer()) {
      found = std::move(*address);
    }
  });
  return found;
}

Result<detail::http::HttpUrl, std::string> read_url(const Options& options) {
  if (options.version != Version::websocket) {
    auto url = detail::http::read_http_url(options.url);
    return url ? Result<detail::http::HttpUrl, std::string>(std::move(*url))
               : fail(std::string(url.error()));
  }
  auto url = detail::client::read_ws_url(options.url);
  if (!url) {
    return fail(std::move(url.error().text));
  }
  return detail::http::HttpUrl{url->is_secure, url->port, std::move(url->host),
                               std::move(url->authority), std::move(url->target)};
}

Result<std::shared_ptr<TlsClientContext>, std::string> make_tls(const Options& options) {
  TlsClientOptions tls;
  tls.verify = options.certificates == Certificates::any ? TlsVerify::nothing : TlsVerify::peer;
  tls.authorities = options.authorities_file;
  auto context = TlsClientContext::make(tls);
  if (!context) {
    return fail(context.error().detail());
  }
  return std::move(*context);
}

}  // namespace

Result<void, std::string> check_url(const Options& options) {
  const auto url = read_url(options);
  if (url) {
    return {};
  }
  const std::string meant =
      options.url.contains("://") ? "" : fmt::format(" Did you mean http://{}?", options.url);
  return fail(fmt::format("Invalid URL {}: {}{}", options.url, url.error(), meant));
}

Result<Target, std::string> find_target(const Options& options) {
  auto url = read_url(options);
  if (!url) {
    return fail(std::move(url.error()));
  }
  auto address = first_that_answers(*url, options);
  if (!address) {
    return fail(std::move(address.error()));
  }
  std::shared_ptr<TlsClientContext> tls;
  if (url->is_secure) {
    auto made = make_tls(options);
    if (!made) {
      return fail(std::move(made.error()));
    }
    tls = std::move(*made);
  }
  return Target{*address,       std::move(url->host),   url->port,
                url->authority, std::move(url->target), std::move(tls)};
}

}  // namespace eider::bench
