#include "eider/client/ws_url.h"

#include <algorithm>

#include "eider/core/base/text.h"
#include "eider/protocols/http/authority.h"

namespace eider::detail::client {

namespace {

constexpr std::size_t kWsUrlBytesMax = 4096;
constexpr std::string_view kWs = "ws://";
constexpr std::string_view kWss = "wss://";

WsClientError bad(std::string_view text) {
  return {WsClientFault::bad_url, std::string(text), 0};
}

/// Returns whether the text is printable ASCII that RFC 3986 permits, with two digits after each
/// '%'.
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

std::string_view advice_on(http::AuthorityFlaw flaw) noexcept {
  switch (flaw) {
    case http::AuthorityFlaw::names_a_user:
      return "The URL contains a user name; use a header instead.";
    case http::AuthorityFlaw::bad_host:
      return "The URL has no valid host.";
    case http::AuthorityFlaw::bad_port:
      break;
  }
  return "The URL's port must be a number from 1 to 65535.";
}

}  // namespace

Result<WsUrl, WsClientError> read_ws_url(std::string_view url) {
  if (url.size() > kWsUrlBytesMax || !is_url_text(url)) {
    return fail(bad("The URL is too long, or contains a byte that must be percent-encoded."));
  }
  const bool is_secure = equals_ignoring_case(url.substr(0, kWss.size()), kWss);
  if (!is_secure && !equals_ignoring_case(url.substr(0, kWs.size()), kWs)) {
    return fail(bad("The URL does not start with ws:// or wss://."));
  }
  if (url.contains('#')) {
    return fail(bad("The URL of a WebSocket must not have a fragment."));
  }
  const std::string_view rest = url.substr((is_secure ? kWss : kWs).size());
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view authority = rest.substr(0, end);
  const auto read = http::read_authority(authority, is_secure ? 443 : 80);
  if (!read) {
    return fail(bad(advice_on(read.error())));
  }
  const std::string_view target = rest.substr(end);
  WsUrl made{is_secure, std::string(read->host), read->port, std::string(authority), {}};
  made.target.append(target.starts_with('/') ? "" : "/").append(target);
  return made;
}

}  // namespace eider::detail::client
