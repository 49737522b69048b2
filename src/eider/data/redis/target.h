// Host, user and options of a Redis server, a cluster or sentinels, from a URL.
// Layering: must not connect, and must not repeat the URL in an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider::redis::detail {

/// host  a name, or an address without brackets
struct Place {
  std::string host = "localhost";
  std::uint16_t port = 6379;

  auto operator<=>(const Place&) const = default;
};

enum class TargetKind : std::uint8_t {
  server,
  sentinel,  // `others` know which server is the master
  cluster,   // `others` are some of its nodes
};

/// host    like that of a Place, or "unix:/path"
/// others  1 to kOthersMax, unless it is a single server
/// master  the name of the master at the sentinels
struct Target {
  static constexpr std::size_t kOthersMax = 16;

  std::string host = "localhost";
  std::uint16_t port = 6379;
  bool is_secure = false;
  std::string user{};
  std::string password{};
  unsigned database = 0;
  TargetKind kind = TargetKind::server;
  std::vector<Place> others{};
  std::string master{};

  [[nodiscard]] bool is_unix() const noexcept { return host.starts_with("unix:"); }
  /// Returns "localhost:6379", for messages.
  [[nodiscard]] std::string place() const;
  /// Returns the target for one of its servers, with the same user.
  [[nodiscard]] Target at(const Place& place) const;
};

/// Returns whether the host of a redirect is a name or an address, and so not a path.
[[nodiscard]] bool is_host(std::string_view host);

/// Parses "redis://[[user]:password@]host[:port][/database]", rediss:// for TLS,
/// "unix:[//[[user]:password@]]/path[?db=database]",
/// "redis+sentinel://[[user]:password@]host[:port][,host[:port]…]/master[/database]", or
/// "redis+cluster://[[user]:password@]host[:port][,host[:port]…]"; rediss+… for TLS. User and
/// password are percent-encoded.
///
/// errors   a sentence
[[nodiscard]] Result<Target, std::string_view> read_target(std::string_view url);

}  // namespace eider::redis::detail
