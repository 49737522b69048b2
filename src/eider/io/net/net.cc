#include "eider/io/net/net.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "eider/io/net/consent.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"

namespace eider::net {

namespace {

ConnectError tls_error(std::string_view text) {
  return {ConnectFault::tls_failed, std::string(text)};
}

ConnectError proxy_error(std::string text) {
  return {ConnectFault::proxy_failed, std::move(text)};
}

Task<Result<void, NetError>> secured(TcpStream& stream) {
  auto waiting = stream.secured();
  co_return co_await waiting;
}

}  // namespace

Net::Net(Options options, std::unique_ptr<Dialler> dialler)
    : options_(std::move(options)), dialler_(std::move(dialler)) {
  if (dialler_ == nullptr) {
    dialler_ = std::make_unique<TcpDialler>(options_.dns, options_.allow_address);
  }
}

Task<Net::Connected> Net::connect(const Route& route, ConnectDue due, Protocols protocols) {
  auto stream = co_await reach(route, due.connected);
  if (!stream) {
    co_return fail(std::move(stream.error()));
  }
  if (!route.is_secure) {
    co_return Connection{std::move(*stream)};
  }
  // The handshake has its own span, and the whole call a bound beyond which it must not go.
  const Instant secured_due = std::min(Loop::current().now() + due.handshake, due.whole);
  co_return co_await secure(std::move(*stream), route, secured_due, std::move(protocols));
}

Task<Result<std::unique_ptr<TcpStream>, ConnectError>> Net::reach(const Route& route, Instant due) {
  // At a proxy a host is judged by its name: nobody here resolves it.
  if (!allows(route)) {
    co_return fail(forbidden(route.host));
  }
  auto fd = co_await dialler_->dial(route, due);
  if (!fd && route.proxy != nullptr) {
    co_return fail(proxy_error("The proxy cannot be reached. " + fd.error().text));
  }
  if (!fd) {
    co_return fail(std::move(fd.error()));
  }
  auto stream = std::make_unique<TcpStream>(std::move(*fd));
  if (!route.needs_consent()) {
    co_return stream;
  }
  // What the proxy says has the same deadline as the connection to it.
  auto refused = co_await with_deadline(ask_consent(*stream, route), due - Loop::current().now());
  if (!refused) {
    co_return fail(proxy_error("The proxy did not respond in time: raise connect."));
  }
  if (*refused) {
    co_return fail(proxy_error(std::move(**refused)));
  }
  co_return stream;
}

Task<Net::Connected> Net::secure(std::unique_ptr<TcpStream> stream, const Route& route, Instant due,
                                 Protocols protocols) {
  auto seal = seal_for(route, protocols);
  if (!seal) {
    co_return fail(tls_error(seal.error().detail()));
  }
  // What is secured is all that follows, also what has come behind the proxy's consent.
  stream->secure(std::move(*seal));
  const auto outcome = co_await with_deadline(secured(*stream), due - Loop::current().now());
  if (!outcome) {
    co_return fail(
        ConnectError{ConnectFault::timed_out,
                     "The TLS handshake with the server took too long: raise handshake."});
  }
  if (!*outcome) {
    const std::string_view why = stream->why_insecure();
    co_return fail(tls_error(why.empty() ? text(outcome->error()) : why));
  }
  std::string protocol = stream->stream().seal()->tls().protocol;
  // A protocol that was not offered must not be chosen (RFC 7301, section 3.2).
  if (!protocol.empty() && std::ranges::find(protocols, protocol) == protocols.end()) {
    co_return fail(tls_error("The server chose a protocol that was not offered."));
  }
  co_return Connection{std::move(stream), std::move(protocol)};
}

/// The authorities are read for the first one.
Result<std::unique_ptr<Seal>> Net::seal_for(const Route& route, Protocols protocols) {
  // Reading the system's authorities takes a while, so it is done once.
  if (options_.tls_context == nullptr) {
    auto made = TlsClientContext::make(options_.tls);
    if (!made) {
      return fail(made.error());
    }
    options_.tls_context = std::move(*made);
  }
  auto seal = options_.tls_context->make_seal({route.host, route.port, std::move(protocols)});
  if (!seal) {
    return fail(seal.error());
  }
  return std::unique_ptr<Seal>(std::move(*seal));
}

}  // namespace eider::net
