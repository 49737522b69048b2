#include "eider/protocols/http/http_url.h"

#include <algorithm>
#include <optional>

#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/protocols/http/authority.h"

namespace eider::detail::http {

namespace {

using Read = Result<HttpUrl, std::string_view>;

constexpr std::string_view kPlain = "http://";
constexpr std::string_view kSecure = "https://";

bool begins_with(std::string_view text, std::string_view scheme) noexcept {
  return equals_ignoring_case(text.substr(0, scheme.size()), scheme);
}

bool is_control(char byte) noexcept {
  return static_cast<unsigned char>(byte) < ' ' || byte == '\x7F';  // char is unsigned on arm64
}

/// pct-encoded = "%" HEXDIG HEXDIG
bool has_valid_escapes(std::string_view text) noexcept {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (escaped_byte(text.substr(at)) < 0) {
      return false;
    }
  }
  return true;
}

/// "example.com." is the same host as "example.com", the form that certificates and cookies use.
std::string_view without_last_dot(std::string_view host) noexcept {
  const bool has_one = host.size() > 1 && host.ends_with('.') && !host.ends_with("..");
  host.remove_suffix(has_one ? 1 : 0);
  return host;
}

std::string_view to_text(AuthorityFlaw flaw) noexcept {
  switch (flaw) {
    case AuthorityFlaw::names_a_user:
      return "The URL contains a user name; use basic_auth() instead.";
    case AuthorityFlaw::bad_host:
      return "The URL has no valid host; write international names in Punycode (xn--…).";
    case AuthorityFlaw::bad_port:
      break;
  }
  return "The URL's port must be a number from 1 to 65535.";
}

Read begin_url(std::string_view authority, bool is_secure) {
  const std::uint16_t usual = is_secure ? 443 : 80;
  const auto read = read_authority(authority, usual);
  if (!read) {
    return fail(to_text(read.error()));
  }
  HttpUrl url{is_secure,
              read->port,
              in_lower_case(without_last_dot(read->host)),
              in_lower_case(without_last_dot(read->host_as_it_is)),
              {}};
  if (read->port != usual) {
    url.authority.append(":").append(std::to_string(read->port));
  }
  return url;
}

/// Returns whether a segment, with the slash before it, is "/." or "/..", also with escaped dots
/// (WHATWG URL, "single-dot" and "double-dot URL path segment").
bool is_dots(std::string_view segment, std::size_t count) noexcept {
  segment.remove_prefix(1);
  std::size_t dots = 0;
  while (!segment.empty()) {
    const std::size_t bytes = segment.starts_with('.')                            ? 1
                              : equals_ignoring_case(segment.substr(0, 3), "%2e") ? 3
                                                                                  : 0;
    if (bytes == 0) {
      return false;
    }
    segment.remove_prefix(bytes);
    ++dots;
  }
  return dots == count;
}

/// remove_dot_segments (RFC 3986, section 5.2.4), by segments. Pre: path starts with '/'.
std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const std::string_view segment = path.substr(0, end);
    const bool is_last = end == path.size();
    path.remove_prefix(end);
    if (is_dots(segment, 1)) {
      out.append(is_last ? "/" : "");
    } else if (is_dots(segment, 2)) {
      // RFC 3986, 5.2.4: ".." at the root has no effect.
      out.resize(std::min(out.rfind('/'), out.size()));
      out.append(is_last ? "/" : "");
    } else {
      out.append(segment);
    }
  }
  return out;
}

void set_target(HttpUrl& url, std::string_view target) {
  const std::size_t path_bytes = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, path_bytes);
  url.target = path.empty() ? "/" : without_dots(path);
  url.target.append(target.substr(path_bytes));
}

/// Reads "//example.com/a" and the text after its slashes.
Read read_behind_scheme(std::string_view rest, bool is_secure) {
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  auto url = begin_url(rest.substr(0, end), is_secure);
  if (url) {
    set_target(*url, rest.substr(end));
  }
  return url;
}

/// Returns the error of a URL or a reference, if any.
std::optional<std::string_view> fault_of(std::string_view url) noexcept {
  if (url.size() > kUrlBytesMax) {
    return "The URL is longer than 8192 bytes.";
  }
  // Reject control characters before encoding: a line end must not silently become "%0A".
  if (std::ranges::any_of(url, is_control)) {
    return "The URL contains a control character.";
  }
  if (!has_valid_escapes(url)) {
    return "The URL contains a '%' without two hexadecimal digits after it; write a literal '%' as "
           "%25.";
  }
  return std::nullopt;
}

/// Returns the URL without its fragment, percent-encoded.
std::string prepared(std::string_view url) {
  return percent_encode_url(url.substr(0, url.find('#')));
}

/// Returns the path and query of a reference without scheme and authority.
std::string merged(const HttpUrl& base, std::string_view reference) {
  if (reference.empty()) {
    return base.target;
  }
  if (reference.starts_with('?')) {
    return std::string(base.path()).append(reference);
  }
  const std::size_t path_bytes = std::min(reference.find('?'), reference.size());
  std::string path(reference.substr(0, path_bytes));
  if (!path.starts_with('/')) {
    path.insert(0, base.path().substr(0, base.path().rfind('/') + 1));
  }
  return without_dots(path).append(reference.substr(path_bytes));
}

/// Finds "scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )" before a colon.
bool has_scheme(std::string_view reference) noexcept {
  const std::size_t end = reference.find_first_of(":/?#");
  return end != std::string_view::npos && reference[end] == ':';
}

}  // namespace

std::string HttpUrl::origin() const {
  return std::string(is_secure ? kSecure : kPlain).append(authority);
}

std::string_view HttpUrl::path() const noexcept {
  return std::string_view(target).substr(0, target.find('?'));
}

Read read_http_url(std::string_view url) {
  if (const auto fault = fault_of(url)) {
    return fail(*fault);
  }
  const bool is_secure = begins_with(url, kSecure);
  if (!is_secure && !begins_with(url, kPlain)) {
    return fail("The URL does not start with http:// or https://.");
  }
  // Remove the fragment of the whole URL first: otherwise a '#' could be in the host or port.
  return read_behind_scheme(prepared(url).substr((is_secure ? kSecure : kPlain).size()), is_secure);
}

Read resolve_reference(const HttpUrl& base, std::string_view reference) {
  if (has_scheme(reference)) {
    // A reference with a scheme is checked like a new URL, so that it cannot use another scheme.
    return read_http_url(reference);
  }
  if (const auto fault = fault_of(reference)) {
    return fail(*fault);
  }
  const std::string text = prepared(reference);
  if (text.starts_with("//")) {
    return read_behind_scheme(std::string_view(text).substr(2), base.is_secure);
  }
  HttpUrl url = base;
  url.target = merged(base, text);
  return url;
}

}  // namespace eider::detail::http
