#include "eider/io/net/net.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "eider/io/net/socks5.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/h1/response_reader.h"

namespace eider::net {
namespace {

constexpr std::size_t kHeadBytesMax = 16UL * 1024;
constexpr std::string_view kLost = "The proxy closed the connection, or its response does not end.";

/// Nothing if the proxy agreed, else the error as a sentence.
using Refused = std::optional<std::string>;

/// Returns "example.com:443" or "[::1]:443".
std::string authority_of(const Route& route) {
  const bool is_ipv6 = route.host.contains(':');
  return (is_ipv6 ? "[" + route.host + "]" : route.host) + ":" + std::to_string(route.port);
}

std::string connect_request(const Route& route) {
  const std::string authority = authority_of(route);
  const std::string credentials = route.proxy->credentials();
  std::string out("CONNECT ");
  out.append(authority).append(" HTTP/1.1\r\nHost: ").append(authority).append("\r\n");
  if (!credentials.empty()) {
    out.append("Proxy-Authorization: ").append(credentials).append("\r\n");
  }
  return out.append("\r\n");
}

/// The dialogue with the proxy. Received bytes that were not consumed are returned to the stream.
class Talk {
 public:
  explicit Talk(TcpStream& stream) noexcept : stream_(stream) {}
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;
  ~Talk() { stream_.unread(received_.view()); }

  [[nodiscard]] Task<> say(std::string bytes) {
    const auto written = co_await stream_.write(bytes);
    static_cast<void>(written);  // a lost connection is detected when the response is read
  }
  /// Reads more bytes; returns false at the end of the connection.
  [[nodiscard]] Task<bool> gather() {
    const auto more = co_await stream_.read();
    // An empty read is the end; a broken connection has no value.
    received_.append(more.value_or(std::string_view()));
    co_return more && !more->empty();
  }
  [[nodiscard]] std::string_view received() const noexcept { return received_.view(); }
  void drop(std::size_t bytes) noexcept { received_.consume(bytes); }
  /// returns  nothing if the connection ended before
  [[nodiscard]] Task<std::optional<std::string>> take(std::size_t bytes) {
    while (received_.size() < bytes) {
      if (!co_await gather()) {
        co_return std::nullopt;
      }
    }
    std::string taken(received_.view().substr(0, bytes));
    received_.consume(bytes);
    co_return taken;
  }

 private:
  TcpStream& stream_;
  Buffer received_;
};

/// Returns the proxy's decision, or nothing if the response is not complete.
std::optional<Refused> judge_tunnel(Talk& talk) {
  h1::ResponseReader reader;
  for (;;) {
    switch (reader.read(talk.received(), Method::connect, {.head_bytes_max = kHeadBytesMax})) {
      case h1::HeadStatus::need_more:
        return std::nullopt;
      case h1::HeadStatus::refused:
        return reader.flaw() == h1::ResponseFlaw::head_too_large
                   ? std::string(kLost)
                   : std::string("The proxy's response is not HTTP.");
      case h1::HeadStatus::complete:
        break;
    }
    const int status = reader.head().status;
    // A 1xx response precedes the final one, so continue after it.
    talk.drop(reader.head_bytes());
    if (status >= 200) {
      return status < 300 ? Refused()
                          : "The proxy responded with status " + std::to_string(status) + ".";
    }
  }
}

/// source   RFC 9110, section 9.3.6
Task<Refused> ask_for_tunnel(Talk& talk, const Route& route) {
  co_await talk.say(connect_request(route));
  for (;;) {
    const bool has_more = co_await talk.gather();
    auto judged = has_more ? judge_tunnel(talk) : std::optional(Refused(kLost));
    if (judged) {
      co_return std::move(*judged);
    }
  }
}

Task<Refused> say_password(Talk& talk, const Proxy& proxy) {
  co_await talk.say(socks_password(proxy));
  const auto verdict = co_await talk.take(kSocksVerdictBytes);
  if (!verdict) {
    co_return std::string(kLost);
  }
  co_return is_socks_accepted(*verdict) ? Refused()
                                        : "The proxy rejected the user name and password.";
}

Task<Refused> agree_on_method(Talk& talk, const Proxy& proxy) {
  co_await talk.say(socks_greeting(proxy));
  const auto choice = co_await talk.take(kSocksChoiceBytes);
  if (!choice) {
    co_return std::string(kLost);
  }
  const auto method = read_socks_choice(*choice, proxy);
  if (!method) {
    co_return std::string(method.error());
  }
  if (*method == SocksMethod::none) {
    co_return std::nullopt;
  }
  co_return co_await say_password(talk, proxy);
}

Task<Refused> ask_socks(Talk& talk, const Route& route) {
  auto refused = co_await agree_on_method(talk, *route.proxy);
  auto request = socks_connect(route.host, route.port);
  if (refused || !request) {
    co_return refused ? std::move(refused) : "The host's name is too long for SOCKS5.";
  }
  co_await talk.say(std::move(*request));
  const auto reply = co_await talk.take(kSocksReplyBytes);
  if (!reply) {
    co_return std::string(kLost);
  }
  const auto rest_bytes = read_socks_reply(*reply);
  if (!rest_bytes) {
    co_return std::string(rest_bytes.error());
  }
  const auto rest = co_await talk.take(*rest_bytes);
  co_return rest ? Refused() : std::string(kLost);
}

/// Asks the proxy to connect to the route's host, without a deadline.
///
/// stream   connected to the proxy; bytes after the proxy's consent are left unread
/// route    must outlive the task, like the stream
/// returns  nothing on success, else a sentence: the connection was lost, the request was rejected,
///          or the response was invalid
Task<std::optional<std::string>> ask_consent(TcpStream& stream, const Route& route) {
  Talk talk(stream);
  // When it is destroyed, `talk` returns the bytes after the consent, before the stream is used
  // again.
  // Choose, then await: g++ 14 evaluates temporaries of both branches of an awaited `?:`.
  auto asking =
      route.proxy->kind == ProxyKind::socks5 ? ask_socks(talk, route) : ask_for_tunnel(talk, route);
  co_return co_await std::move(asking);
}

ConnectError tls_error(std::string_view text) {
  return {ConnectFault::tls_failed, std::string(text)};
}

ConnectError proxy_error(std::string text) {
  return {ConnectFault::proxy_failed, std::move(text)};
}

Task<Result<void, NetError>> secured(TcpStream& stream) {
  co_return co_await stream.secured();
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
  // The handshake has its own time limit, and must not exceed the limit of the whole call.
  const Instant secured_due = std::min(Loop::current().now() + due.handshake, due.whole);
  co_return co_await secure(std::move(*stream), route, secured_due, std::move(protocols));
}

Task<Result<std::unique_ptr<TcpStream>, ConnectError>> Net::reach(const Route& route, Instant due) {
  // With a proxy, only the name of the host can be checked: it is not resolved here.
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
  // The dialogue with the proxy has the same deadline as the connection to it.
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
  // TLS applies to all further bytes, including those after the proxy's consent.
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
  // The server must not choose a protocol that was not offered (RFC 7301, section 3.2).
  if (!protocol.empty() && std::ranges::find(protocols, protocol) == protocols.end()) {
    co_return fail(tls_error("The server chose a protocol that was not offered."));
  }
  co_return Connection{std::move(stream), std::move(protocol)};
}

/// Creates the seal of a connection; the first call reads the authorities.
Result<std::unique_ptr<Seal>> Net::seal_for(const Route& route, Protocols protocols) {
  // Reading the system's authorities is slow, so it is done once.
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
