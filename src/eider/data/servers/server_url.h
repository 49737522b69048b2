// The common parts of server URLs: user info, and hosts with ports.
// Layering: must not know a protocol or resolve names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eider::detail::servers {

/// One of the hosts that are tried in order.
///
/// name     as in the URL, without brackets; also the directory of a Unix socket
/// address  a numeric address, or the path of a Unix socket; empty until the name is resolved
struct Host {
  std::string name{};
  std::string address{};
  std::uint16_t port = 0;

  [[nodiscard]] bool is_unix() const noexcept;
  /// Returns whether it has neither a numeric address nor a path.
  [[nodiscard]] bool needs_lookup() const noexcept { return address.empty() && !is_unix(); }
};

/// Returns whether it is a numeric address, not a name.
[[nodiscard]] bool is_number(const std::string& name);

/// Removes `front` from the text, if the text starts with it.
bool take_front(std::string_view& text, std::string_view front) noexcept;

/// is_there  the URL has a login, which may be empty
struct Login {
  bool is_there = false;
  std::string user{};
  std::string password{};
};
/// Removes "user:password@" from the front of an authority. Nothing if it is not percent-encoded.
[[nodiscard]] std::optional<Login> take_login(std::string_view& authority);

/// "host:port", "host" or "[address]:port".
struct HostAndPort {
  std::string_view host;
  bool is_in_brackets = false;
  std::optional<std::uint16_t> port{};
};
/// Returns nothing if brackets are not closed, or the port is not a number from 1 to 65535.
[[nodiscard]] std::optional<HostAndPort> read_host(std::string_view text);

/// Returns nothing if it is not a number from 1 to 65535.
[[nodiscard]] std::optional<std::uint16_t> read_port(std::string_view text) noexcept;

/// Returns the parts between commas: at least one.
[[nodiscard]] std::vector<std::string_view> split_list(std::string_view list);

}  // namespace eider::detail::servers
