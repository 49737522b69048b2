#include "eider/io/net/proxy.h"

#include <algorithm>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/io/net/route.h"
#include "eider/protocols/http/authority.h"

namespace eider::net {

namespace {

std::uint16_t usual_port(ProxyKind kind) noexcept {
  return kind == ProxyKind::socks5 ? 1080 : 80;
}

/// Removes and returns the scheme before "://", in lowercase; "http" if there is none.
std::string take_scheme(std::string_view& text) {
  const std::size_t end = text.find("://");
  if (end == std::string_view::npos) {
    return "http";
  }
  std::string scheme = in_lower_case(text.substr(0, end));
  text.remove_prefix(end + 3);
  return scheme;
}

/// "userinfo = user [ ":" password ]", percent-decoded.
bool read_user(std::string_view text, Proxy& proxy) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto user = percent_decode(text.substr(0, colon), Plus::literal);
  const auto password =
      percent_decode(text.substr(std::min(colon + 1, text.size())), Plus::literal);
  proxy.user = user.value_or("");
  proxy.password = password.value_or("");
  return user && password;
}

/// Names and blocks are separated by commas and blanks.
std::string_view take_item(std::string_view& list) noexcept {
  const std::size_t end = list.find_first_of(", \t");
  const std::string_view item = list.substr(0, end);
  list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  return item;
}

bool is_below(std::string_view host, std::string_view name) noexcept {
  return host == name || (host.size() > name.size() && host.ends_with(name) &&
                          host[host.size() - name.size() - 1] == '.');
}

}  // namespace

std::string Proxy::credentials() const {
  return user.empty() ? "" : "Basic " + to_base64(user + ":" + password);
}

Result<Proxy, std::string_view> read_proxy(std::string_view text) {
  const std::string scheme = take_scheme(text);
  Proxy proxy;
  if (scheme == "socks5" || scheme == "socks5h") {
    proxy.kind = ProxyKind::socks5;
  } else if (scheme != "http") {
    return fail("The URL of a proxy must start with http:// or socks5://.");
  }
  // The user ends at the last '@', because a password may contain others.
  const std::size_t at = text.rfind('@');
  if (at != std::string_view::npos) {
    if (!read_user(text.substr(0, at), proxy)) {
      return fail("The user name or password of a proxy is not valid percent-encoding.");
    }
    text.remove_prefix(at + 1);
  }
  // RFC 1929 has one-byte lengths, so longer values cannot be sent.
  if (proxy.kind == ProxyKind::socks5 && std::max(proxy.user.size(), proxy.password.size()) > 255) {
    return fail("The user name or password of a SOCKS5 proxy is longer than 255 bytes.");
  }
  // A URL may end with a slash, which is not part of the authority.
  text.remove_suffix(text.ends_with('/') ? 1 : 0);
  const auto authority = detail::http::read_authority(text, usual_port(proxy.kind));
  if (!authority) {
    return fail("The URL of a proxy must have only a host and a port.");
  }
  proxy.host = in_lower_case(authority->host);
  proxy.port = authority->port;
  return proxy;
}

ProxyExceptions::ProxyExceptions(std::string_view list) {
  while (!list.empty()) {
    std::string_view item = take_item(list);
    if (item == "*") {
      covers_all_ = true;
    } else if (const auto block = Cidr::parse(item)) {
      blocks_.push_back(*block);
    } else if (!item.empty()) {
      const std::size_t colon = std::min(item.find(':'), item.size());
      const auto port = parse_integer<std::uint16_t>(item.substr(std::min(colon + 1, item.size())));
      item = item.substr(0, colon);
      item.remove_prefix(item.starts_with('.') ? 1 : 0);
      names_.push_back({in_lower_case(item), port.value_or(0)});
    }
  }
}

bool ProxyExceptions::cover(std::string_view host, std::uint16_t port) const noexcept {
  if (const auto address = IpAddress::parse(host)) {
    const auto holds = [&](const Cidr& block) { return block.contains(*address); };
    if (std::ranges::any_of(blocks_, holds)) {
      return true;
    }
  }
  return covers_all_ || std::ranges::any_of(names_, [&](const Name& one) {
           return (one.port == 0 || one.port == port) && is_below(host, one.name);
         });
}

Proxies::Proxies(const ProxyUrls& urls)
    : exceptions_(urls.exceptions), plain_(read(urls.plain)), secure_(read(urls.secure)) {}

std::shared_ptr<const Proxy> Proxies::read(const std::string& text) {
  if (text.empty()) {
    return nullptr;
  }
  auto proxy = read_proxy(text);
  if (!proxy) {
    // Keep the error: the first request reports it, because options cannot.
    fault_ = proxy.error();
    return nullptr;
  }
  return std::make_shared<const Proxy>(std::move(*proxy));
}

std::shared_ptr<const Proxy> Proxies::proxy_for(const Route& route) const noexcept {
  const auto& proxy = route.is_secure ? secure_ : plain_;
  const bool is_direct = proxy == nullptr || exceptions_.cover(route.host, route.port);
  return is_direct ? nullptr : proxy;
}

}  // namespace eider::net
