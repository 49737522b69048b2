#include <array>
#include <cstdint>

#include "eider/base/text.h"
#include "eider/http/h1/detail/target.h"

namespace eider::h1::detail {

namespace {

constexpr std::size_t kPortDigitsMax = 5;
constexpr std::uint32_t kPortMax = 65535;

std::string_view between(const char* begin, const char* end) noexcept {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// port = *DIGIT, and a number that a port can have.
bool is_port(std::string_view text) noexcept {
  std::uint32_t port = 0;
  for (const char byte : text) {
    port = port * 10 + static_cast<std::uint32_t>(byte - '0');
    if (!is_digit(byte)) {
      return false;
    }
  }
  return text.size() <= kPortDigitsMax && port <= kPortMax;
}

/// Behind the host: nothing, or ":" port.
bool is_port_part(std::string_view text) noexcept {
  return text.empty() || (text.front() == ':' && is_port(text.substr(1)));
}

/// unreserved / sub-delims (RFC 3986, section 2)
constexpr auto kNameTable = [] {
  std::array<bool, 256> table{};
  for (const char byte : std::string_view("-._~!$&'()*+,;=0123456789abcdefghijklmnopqrstuvwxyz"
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    table[static_cast<unsigned char>(byte)] = true;
  }
  return table;
}();

bool is_name_byte(char byte) noexcept {
  return kNameTable[static_cast<unsigned char>(byte)];
}

bool is_escape(std::string_view text) noexcept {
  return text.size() >= 3 && hex_value(text[1]) >= 0 && hex_value(text[2]) >= 0;
}

/// reg-name = *( unreserved / pct-encoded / sub-delims ), with a port behind it perhaps; where an
/// escape is what is not plain in it.
bool is_escaped_host(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size() && text[at] != ':') {
    const bool is_escaped = text[at] == '%';
    if (is_escaped ? !is_escape(text.substr(at)) : !is_name_byte(text[at])) {
      return false;
    }
    at += is_escaped ? 3 : 1;
  }
  return at != 0 && is_port_part(text.substr(at));
}

/// IP-literal = "[" ( IPv6address / IPvFuture ) "]"; here what is between the brackets, by its
/// bytes: what address it is does not change how a request is read.
bool is_address(std::string_view text) noexcept {
  for (const char byte : text) {
    if (hex_value(byte) < 0 && byte != ':' && byte != '.') {
      return false;
    }
  }
  return text.size() >= 2 && text.find(':') != std::string_view::npos;
}

/// absolute-form = scheme "://" authority path-abempty [ "?" query ]; only the http schemes.
std::string_view without_scheme(std::string_view target) noexcept {
  for (const std::string_view scheme :
       {std::string_view("http://"), std::string_view("https://")}) {
    if (equals_ignoring_case(target.substr(0, scheme.size()), scheme)) {
      return target.substr(scheme.size());
    }
  }
  return {};
}

/// The path's bytes, and every '%' in front of two hexadecimal digits.
bool is_path(std::string_view text) noexcept {
  for (; !text.empty(); text.remove_prefix(1)) {
    if (text.front() == '\\' || (text.front() == '%' && !is_escape(text))) {
      return false;
    }
  }
  return true;
}

bool is_bracketed_host(std::string_view text) noexcept {
  const std::size_t end = text.find(']');
  return text.front() == '[' && end != std::string_view::npos &&
         is_address(text.substr(1, end - 1)) && is_port_part(text.substr(end + 1));
}

bool split_absolute(RequestHead& head) noexcept {
  const std::string_view rest = without_scheme(head.target);
  const std::size_t host_bytes = rest.find_first_of("/?");
  head.form = TargetForm::absolute;
  head.authority = rest.substr(0, host_bytes);
  if (head.authority.empty() || !is_host(head.authority)) {
    return false;
  }
  const std::string_view tail = rest.substr(head.authority.size());
  const std::size_t path_bytes = tail.find('?');
  head.path = tail.substr(0, path_bytes);
  head.query =
      path_bytes == std::string_view::npos ? std::string_view() : tail.substr(path_bytes + 1);
  if (head.path.empty()) {
    // RFC 9112, section 3.2.4: OPTIONS without path and query is about the server as a whole.
    head.path = head.method == Method::options && tail.empty() ? "*" : "/";
  }
  return is_path(head.path);
}

/// authority-form = uri-host ":" port, both of them there.
bool split_authority(RequestHead& head) noexcept {
  head.form = TargetForm::authority;
  head.authority = head.target;
  return is_host(head.target) && is_digit(head.target.back()) &&
         head.target.substr(0, head.target.find_last_of("]:") + 1).ends_with(':');
}

}  // namespace

bool is_any_host(std::string_view text) noexcept {
  const char* const end = text.data() + text.size();
  const char* at = text.data();
  while (at != end && is_name_byte(*at)) {
    ++at;
  }
  if (at == end) {
    return true;
  }
  if (*at == ':') {
    return at != text.data() && is_port(between(at + 1, end));
  }
  return *at == '[' ? is_bracketed_host(text) : *at == '%' && is_escaped_host(text);
}

bool split_target(RequestHead& head) noexcept {
  if (head.method == Method::connect) {
    return split_authority(head);
  }
  if (head.target == "*") {
    head.form = TargetForm::asterisk;
    head.path = head.target;
    return head.method == Method::options;
  }
  return split_absolute(head);
}

}  // namespace eider::h1::detail
