#include "eider/client/detail/proxy_dialler.h"

#include <optional>
#include <string_view>

#include "eider/client/detail/raw_socket.h"
#include "eider/client/detail/socks5.h"
#include "eider/http/h1/response_reader.h"

namespace eider::detail {

namespace {

constexpr std::size_t kHeadBytesMax = 16UL * 1024;
constexpr std::string_view kLost = "The proxy ended the connection, or did not answer in time.";

/// A sentence when it came to nothing.
using Refused = std::optional<std::string>;

ClientError proxy_error(std::string text) {
  return {ClientFault::proxy_failed, std::move(text)};
}

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

/// source   RFC 9110, section 9.3.6
Task<Refused> ask_for_tunnel(RawSocket socket, const Route& route) {
  auto writing = socket.write(connect_request(route));
  const bool is_written = co_await std::move(writing);
  h1::ResponseReader reader;
  while (is_written) {
    auto reading = socket.read_head(kHeadBytesMax);
    const auto head = co_await std::move(reading);
    if (!head) {
      break;
    }
    if (reader.read(*head, Method::connect, {}) != h1::HeadStatus::complete) {
      co_return "The proxy's answer is no HTTP.";
    }
    const int status = reader.head().status;
    if (status >= 200) {
      co_return status < 300 ? Refused() : "The proxy answered " + std::to_string(status) + ".";
    }
  }
  co_return std::string(kLost);
}

Task<Refused> say_password(RawSocket socket, const Proxy& proxy) {
  auto writing = socket.write(socks_password(proxy));
  co_await std::move(writing);
  auto reading = socket.read(kSocksVerdictBytes);
  const auto verdict = co_await std::move(reading);
  if (!verdict) {
    co_return std::string(kLost);
  }
  co_return is_socks_accepted(*verdict) ? Refused()
                                        : "The proxy does not accept the user and password.";
}

Task<Refused> agree_on_method(RawSocket socket, const Proxy& proxy) {
  auto writing = socket.write(socks_greeting(proxy));
  co_await std::move(writing);
  auto reading = socket.read(kSocksChoiceBytes);
  const auto choice = co_await std::move(reading);
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
  auto saying = say_password(socket, proxy);
  co_return co_await std::move(saying);
}

Task<Refused> ask_socks(RawSocket socket, const Route& route) {
  auto agreeing = agree_on_method(socket, *route.proxy);
  auto refused = co_await std::move(agreeing);
  auto request = socks_connect(route.host, route.port);
  if (refused || !request) {
    co_return refused ? std::move(refused) : "The host's name is too long for SOCKS5.";
  }
  auto writing = socket.write(std::move(*request));
  co_await std::move(writing);
  auto reading = socket.read(kSocksReplyBytes);
  const auto reply = co_await std::move(reading);
  if (!reply) {
    co_return std::string(kLost);
  }
  const auto rest_bytes = read_socks_reply(*reply);
  if (!rest_bytes) {
    co_return std::string(rest_bytes.error());
  }
  auto finishing = socket.read(*rest_bytes);
  const auto rest = co_await std::move(finishing);
  co_return rest ? Refused() : std::string(kLost);
}

}  // namespace

Task<Result<Descriptor, ClientError>> ProxyDialler::dial(const Route& route, Instant due) {
  if (route.proxy == nullptr) {
    auto dialling = direct_->dial(route, due);
    co_return co_await std::move(dialling);
  }
  const Proxy& proxy = *route.proxy;
  const Route to_proxy{route.key, proxy.host, proxy.port};
  auto dialling = direct_->dial(to_proxy, due);
  auto fd = co_await std::move(dialling);
  if (!fd) {
    co_return fail(proxy_error("The proxy cannot be reached. " + fd.error().text));
  }
  if (!route.needs_consent()) {
    co_return std::move(*fd);
  }
  const RawSocket socket{fd->get(), due};
  auto asking =
      proxy.kind == ProxyKind::socks5 ? ask_socks(socket, route) : ask_for_tunnel(socket, route);
  auto refused = co_await std::move(asking);
  if (refused) {
    co_return fail(proxy_error(std::move(*refused)));
  }
  co_return std::move(*fd);
}

}  // namespace eider::detail
