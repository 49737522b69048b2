#include "eider/protocols/http/authority.h"

#include <algorithm>
#include <optional>

#include "eider/core/base/text.h"

namespace eider::detail::http {

namespace {

/// Returns 1 to 65535. "port = *DIGIT" may be empty and then means the default port.
std::optional<std::uint16_t> read_port(std::string_view digits, std::uint16_t usual) noexcept {
  if (digits.empty()) {
    return usual;
  }
  const auto port = parse_integer<std::uint16_t>(digits);
  return port == 0 ? std::nullopt : port;
}

bool is_host_byte(char byte) noexcept {
  return is_digit(byte) || is_letter(byte) || byte == '.' || byte == '-' || byte == '_';
}

bool is_ipv6_byte(char byte) noexcept {
  return hex_value(byte) >= 0 || byte == ':' || byte == '.';
}

/// Returns the size of the host in the authority, including brackets; 0 if it is invalid.
std::size_t host_bytes(std::string_view authority) noexcept {
  if (!authority.starts_with('[')) {
    const std::size_t bytes = std::min(authority.find(':'), authority.size());
    return std::ranges::all_of(authority.substr(0, bytes), is_host_byte) ? bytes : 0;
  }
  const std::size_t end = authority.find(']');
  const bool is_closed = end != std::string_view::npos && end > 1;
  return is_closed && std::ranges::all_of(authority.substr(1, end - 1), is_ipv6_byte) ? end + 1 : 0;
}

}  // namespace

Result<Authority, AuthorityFlaw> read_authority(std::string_view text,
                                                std::uint16_t usual_port) noexcept {
  // Check for a user first: "a@b" would otherwise be reported as an invalid host.
  if (text.contains('@')) {
    return fail(AuthorityFlaw::names_a_user);
  }
  const std::size_t bytes = host_bytes(text);
  if (bytes == 0) {
    return fail(AuthorityFlaw::bad_host);
  }
  const std::string_view rest = text.substr(bytes);
  const auto port = rest.empty() ? usual_port : read_port(rest.substr(1), usual_port);
  if (!port || !(rest.empty() || rest.starts_with(':'))) {
    return fail(AuthorityFlaw::bad_port);
  }
  const std::string_view written = text.substr(0, bytes);
  const bool is_bracketed = written.starts_with('[');
  return Authority{is_bracketed ? written.substr(1, bytes - 2) : written, written, *port};
}

}  // namespace eider::detail::http
