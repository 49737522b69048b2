// Host, user and options of a MariaDB server, from a URL.
// Layering: must not connect, and must not repeat the URL in an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/data/servers/server_url.h"

namespace eider::db::mariadb {

using Host = eider::detail::servers::Host;

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

/// errors   a sentence
[[nodiscard]] Result<Target, std::string_view> read_target(std::string_view url);

}  // namespace eider::db::mariadb
