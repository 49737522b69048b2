#include "eider/protocols/http/target.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "eider/core/base/text.h"
#include "eider/core/base/url.h"

namespace eider {

namespace {

constexpr std::size_t kPortDigitsMax = 5;
constexpr std::uint32_t kPortMax = 65535;

using Table = std::array<bool, 256>;

constexpr bool is_in(const Table& table, char byte) noexcept {
  return table[static_cast<unsigned char>(byte)];
}

/// unreserved / sub-delims (RFC 3986, section 2)
constexpr Table kNameTable = [] {
  Table table{};
  for (const char byte : std::string_view("-._~!$&'()*+,;=0123456789abcdefghijklmnopqrstuvwxyz"
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    table[static_cast<unsigned char>(byte)] = true;
  }
  return table;
}();

/// Printable ASCII without the marks that a URL must not contain unencoded.
constexpr Table kQueryTable = [] {
  Table table{};
  for (std::size_t value = 0x21; value < 0x7F; ++value) {
    table[value] =
        std::string_view("\"#<>").find(static_cast<char>(value)) == std::string_view::npos;
  }
  return table;
}();

/// The same without the end of a path, and without the backslash, which browsers treat as '/'.
constexpr Table kPathTable = [] {
  Table table = kQueryTable;
  for (const char byte : {'?', '\\'}) {
    table[static_cast<unsigned char>(byte)] = false;
  }
  return table;
}();

bool is_port_part(std::string_view text) noexcept {
  if (text.empty()) {
    return true;
  }
  const std::string_view digits = text.substr(1);
  std::uint32_t port = 0;
  if (text.front() != ':' || digits.size() > kPortDigitsMax) {
    return false;
  }
  for (const char byte : digits) {
    if (!is_digit(byte)) {
      return false;
    }
    port = port * 10 + static_cast<std::uint32_t>(byte - '0');
  }
  return port <= kPortMax;
}

/// IP-literal = "[" ( IPv6address / IPvFuture ) "]", checked only by its characters.
bool is_bracketed_host(std::string_view text) noexcept {
  const std::size_t end = text.find(']');
  if (end == std::string_view::npos) {
    return false;
  }
  const std::string_view address = text.substr(1, end - 1);
  const bool is_address = std::ranges::all_of(
      address, [](char byte) { return hex_value(byte) >= 0 || byte == ':' || byte == '.'; });
  // An address has a colon, and at least two bytes ("::").
  return is_address && address.size() >= 2 && address.find(':') != std::string_view::npos &&
         is_port_part(text.substr(end + 1));
}

/// Returns the first position from `at` on whose byte is not in the table, or the size of the text.
std::size_t skip(std::string_view text, std::size_t at, const Table& table) noexcept {
  while (at < text.size() && is_in(table, text[at])) {
    ++at;
  }
  return at;
}

/// Returns the end of a run of escapes and bytes in the table.
std::size_t skip_escaped(std::string_view text, const Table& table) noexcept {
  std::size_t at = skip(text, 0, table);
  while (at < text.size() && escaped_byte(text.substr(at)) >= 0) {
    at = skip(text, at + 3, table);
  }
  return at;
}

/// reg-name = *( unreserved / pct-encoded / sub-delims )
bool is_named_host(std::string_view text) noexcept {
  const std::size_t end = skip_escaped(text, kNameTable);
  return end != 0 && is_port_part(text.substr(end));
}

}  // namespace

bool is_host(std::string_view text) noexcept {
  return text.starts_with('[') ? is_bracketed_host(text) : is_named_host(text);
}

std::string_view host_of(std::string_view authority) noexcept {
  const std::size_t bracket = authority.find(']');
  return bracket == std::string_view::npos ? authority.substr(0, authority.find(':'))
                                           : authority.substr(0, bracket + 1);
}

bool is_origin_form(std::string_view target) noexcept {
  const std::size_t end = skip(target, 0, kPathTable);
  return target.starts_with('/') &&
         (end == target.size() ||
          (target[end] == '?' && skip(target, end, kQueryTable) == target.size()));
}

std::string_view asked_path(std::string_view target) noexcept {
  target = target.substr(0, target.find('?'));
  if (target.starts_with('/')) {
    return target;
  }
  constexpr std::string_view kBehindScheme = "://";
  const std::size_t scheme = target.find(kBehindScheme);
  if (scheme == target.npos) {
    return {};
  }
  target.remove_prefix(scheme + kBehindScheme.size());
  return target.substr(std::min(target.find('/'), target.size()));
}

}  // namespace eider
