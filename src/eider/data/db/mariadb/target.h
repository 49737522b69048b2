// Where a MariaDB server is and who asks it, from a URL.
// Must not connect, nor repeat anything of the URL in an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider::db::mariadb {

/// One of the hosts that are tried in order.
///
/// name     as it was written
/// address  numbers, or the path of a Unix socket; empty until the name is looked up
struct Host {
  std::string name{};
  std::string address{};
  std::uint16_t port = 3306;

  [[nodiscard]] bool is_unix() const noexcept { return address.starts_with('/'); }
};

enum class TlsMode : std::uint8_t { off, required, verify };

struct Target {
  std::vector<Host> hosts{};
  std::string user{};
  std::string password{};
  std::string database{};
  TlsMode tls = TlsMode::off;
  std::string tls_ca{};
  std::string tls_certificate{};
  std::string tls_key{};
};

/// errors   in a sentence
[[nodiscard]] Result<Target, std::string_view> read_target(std::string_view url);

}  // namespace eider::db::mariadb
