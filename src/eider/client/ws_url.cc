#include "eider/client/detail/ws_url.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "eider/base/text.h"

namespace eider::detail {

namespace {

constexpr std::size_t kUrlBytesMax = 4096;
constexpr std::string_view kPlain = "ws://";
constexpr std::string_view kSecure = "wss://";

WsClientError bad(std::string_view text) {
  return {WsClientFault::bad_url, std::string(text), 0};
}

/// Printable ASCII without what RFC 3986 has no place for, and every '%' with two digits behind it.
bool is_url_text(std::string_view text) noexcept {
  constexpr std::string_view kNever = "\"<>\\^`{|}";
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char byte = text[at];
    if (byte <= ' ' || byte > '~' || kNever.contains(byte)) {
      return false;
    }
    const bool is_coded = byte != '%' || (at + 2 < text.size() && hex_value(text[at + 1]) >= 0 &&
                                          hex_value(text[at + 2]) >= 0);
    if (!is_coded) {
      return false;
    }
  }
  return true;
}

/// 1 to 65535. "port = *DIGIT", which may be empty and then means the default.
std::optional<std::uint16_t> read_port(std::string_view digits, std::uint16_t usual) noexcept {
  if (digits.empty()) {
    return usual;
  }
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port == 0) {
    return std::nullopt;
  }
  return port;
}

bool is_host_byte(char byte) noexcept {
  return is_digit(byte) || is_letter(byte) || byte == '.' || byte == '-' || byte == '_';
}

bool is_ipv6_byte(char byte) noexcept {
  return hex_value(byte) >= 0 || byte == ':' || byte == '.';
}

/// The bytes of the host within the authority, brackets included; 0 when it is none.
std::size_t host_bytes(std::string_view authority) noexcept {
  if (!authority.starts_with('[')) {
    const std::size_t bytes = std::min(authority.find(':'), authority.size());
    return std::ranges::all_of(authority.substr(0, bytes), is_host_byte) ? bytes : 0;
  }
  const std::size_t end = authority.find(']');
  const bool is_closed = end != std::string_view::npos && end > 1;
  return is_closed && std::ranges::all_of(authority.substr(1, end - 1), is_ipv6_byte) ? end + 1 : 0;
}

/// "authority = host [ ":" port ]": a user has no place in it.
Result<WsUrl, WsClientError> read_authority(std::string_view authority, bool is_secure) {
  if (authority.contains('@')) {
    return fail(bad("The URL names a user; use a header for that."));
  }
  const std::size_t bytes = host_bytes(authority);
  if (bytes == 0) {
    return fail(bad("The URL has no valid host."));
  }
  const std::string_view rest = authority.substr(bytes);
  const std::uint16_t usual = is_secure ? 443 : 80;
  const auto port = rest.empty() ? usual : read_port(rest.substr(1), usual);
  if (!port || !(rest.empty() || rest.starts_with(':'))) {
    return fail(bad("The URL's port is no number from 1 to 65535."));
  }
  const bool is_bracketed = authority.starts_with('[');
  const std::string_view host =
      is_bracketed ? authority.substr(1, bytes - 2) : authority.substr(0, bytes);
  return WsUrl{is_secure, std::string(host), *port, std::string(authority), {}};
}

}  // namespace

Result<WsUrl, WsClientError> read_ws_url(std::string_view url) {
  if (url.size() > kUrlBytesMax || !is_url_text(url)) {
    return fail(bad("The URL is too long, or has a byte that must be percent-encoded."));
  }
  const bool is_secure = equals_ignoring_case(url.substr(0, kSecure.size()), kSecure);
  if (!is_secure && !equals_ignoring_case(url.substr(0, kPlain.size()), kPlain)) {
    return fail(bad("The URL does not begin with ws:// or wss://."));
  }
  if (url.contains('#')) {
    return fail(bad("The URL of a WebSocket has no fragment."));
  }
  const std::string_view rest = url.substr((is_secure ? kSecure : kPlain).size());
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  auto read = read_authority(rest.substr(0, end), is_secure);
  if (read) {
    const std::string_view target = rest.substr(end);
    read->target.append(target.starts_with('/') ? "" : "/").append(target);
  }
  return read;
}

}  // namespace eider::detail
