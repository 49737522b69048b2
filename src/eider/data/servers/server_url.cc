#include "eider/data/servers/server_url.h"

#include <algorithm>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/io/runtime/address.h"

namespace eider::detail::servers {

bool Host::is_unix() const noexcept {
  return address.empty() ? name.empty() || name.front() == '/' || name.front() == '@'
                         : address.front() == '/';
}

bool is_number(const std::string& name) {
  return name != "localhost" && !name.starts_with("unix:") &&
         SocketAddress::parse(name, 0).has_value();
}

bool take_front(std::string_view& text, std::string_view front) noexcept {
  const bool is_there = text.starts_with(front);
  text.remove_prefix(is_there ? front.size() : 0);
  return is_there;
}

std::optional<Login> take_login(std::string_view& authority) {
  const std::size_t at = authority.rfind('@');
  if (at == std::string_view::npos) {
    return Login();
  }
  const std::string_view login = authority.substr(0, at);
  authority.remove_prefix(at + 1);
  const std::size_t colon = std::min(login.find(':'), login.size());
  auto user = percent_decode(login.substr(0, colon), Plus::literal);
  auto password = percent_decode(login.substr(std::min(colon + 1, login.size())), Plus::literal);
  if (!user || !password) {
    return std::nullopt;
  }
  return Login{true, std::move(*user), std::move(*password)};
}

std::optional<HostAndPort> read_host(std::string_view text) {
  // The colons of an IPv6 address are within brackets.
  const std::size_t bracket = text.find(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  HostAndPort read{.host = text.substr(0, colon)};
  read.is_in_brackets = read.host.starts_with('[');
  if (read.is_in_brackets != read.host.ends_with(']')) {
    return std::nullopt;
  }
  if (read.is_in_brackets) {
    read.host = read.host.substr(1, read.host.size() - 2);
  }
  if (colon != std::string_view::npos) {
    read.port = read_port(text.substr(colon + 1));
    return read.port ? std::optional(read) : std::nullopt;
  }
  return read;
}

std::optional<std::uint16_t> read_port(std::string_view text) noexcept {
  const auto port = parse_integer<std::uint16_t>(text);
  return port == 0 ? std::nullopt : port;
}

std::vector<std::string_view> split_list(std::string_view list) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = list.find(',');
    parts.push_back(list.substr(0, comma));
    if (comma == std::string_view::npos) {
      return parts;
    }
    list.remove_prefix(comma + 1);
  }
}

}  // namespace eider::detail::servers
