#include "eider/io/net/consent.h"

#include <optional>
#include <string_view>

#include "eider/io/net/socks5.h"
#include "eider/protocols/http/h1/response_reader.h"

namespace eider::net {

namespace {

constexpr std::size_t kHeadBytesMax = 16UL * 1024;
constexpr std::string_view kLost = "The proxy closed the connection, or its response does not end.";

/// A sentence when it came to nothing.
using Refused = std::optional<std::string>;

/// "example.com:443" or "[::1]:443"
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

/// The proxy's end of the talk: what has come and was not taken goes back to the stream.
class Talk {
 public:
  explicit Talk(TcpStream& stream) noexcept : stream_(stream) {}
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;
  ~Talk() { stream_.unread(received_.view()); }

  [[nodiscard]] Task<> say(std::string bytes) {
    const auto written = co_await stream_.write(bytes);
    static_cast<void>(written);  // that it was lost shows when its answer is read
  }
  /// Some more bytes have come; false when there will be none.
  [[nodiscard]] Task<bool> gather() {
    const auto more = co_await stream_.read();
    // Empty bytes are the end; a connection that was lost has neither.
    received_.append(more.value_or(std::string_view()));
    co_return more && !more->empty();
  }
  [[nodiscard]] std::string_view received() const noexcept { return received_.view(); }
  void drop(std::size_t bytes) noexcept { received_.consume(bytes); }
  /// returns  nothing when it was lost before
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

/// What the proxy's answer comes to; nothing: it is not there yet.
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
    // A 1xx answer stands ahead of the final one, so reading goes on behind it.
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

}  // namespace

Task<std::optional<std::string>> ask_consent(TcpStream& stream, const Route& route) {
  Talk talk(stream);
  // The talk gives back what stands behind the consent when it ends, before the stream goes on.
  auto asking =
      route.proxy->kind == ProxyKind::socks5 ? ask_socks(talk, route) : ask_for_tunnel(talk, route);
  co_return co_await std::move(asking);
}

}  // namespace eider::net
