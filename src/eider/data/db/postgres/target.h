// Connection strings of a PostgreSQL server, parsed by libpq for each attempt.
// Layering: must not resolve names or connect.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/data/db/postgres/postgres.h"
#include "eider/data/servers/server_url.h"

namespace eider::db::postgres {

using Host = eider::detail::servers::Host;

/// others     keywords and values, without those of hosts
/// needs_tls  nothing may be sent without TLS
/// auth       the required authentication methods, "md5,password"; empty: not set
/// warning    a sentence about a security risk, or empty
struct Target {
  std::vector<Host> hosts;
  std::vector<std::pair<std::string, std::string>> others;
  bool needs_tls = false;
  std::string auth{};
  std::string warning{};

  /// Makes statements read-only, unless they change the session's settings. Not with a pooler,
  /// because no settings are sent to its connections.
  void read_only();

  /// The hosts, with a Unix socket before each `localhost` if there is one. Not if TLS is required:
  /// libpq does not use it over a socket, and any user of the machine may listen on such a socket.
  ///
  /// directory  of the sockets, in which only the server's user can create files
  [[nodiscard]] std::vector<Host> unix_first(
      const std::string& directory = "/var/run/postgresql") const;
};

/// Returns "db.example/shop", without user and options.
[[nodiscard]] std::string text_of(const Target& target);

/// errors   a sentence with libpq's error, without any part of `where`
[[nodiscard]] Result<Target, std::string> read_target(std::string_view where,
                                                      const PostgresOptions& options);

/// Keywords for PQconnectStartParams. Valid while this object exists.
class Keywords {
 public:
  Keywords(const Target& target, const std::vector<Host>& hosts);
  Keywords(const Keywords&) = delete;
  Keywords& operator=(const Keywords&) = delete;

  [[nodiscard]] const char* const* keys() const noexcept { return keys_.data(); }
  [[nodiscard]] const char* const* values() const noexcept { return values_.data(); }

 private:
  void add(const char* key, const char* value);

  std::string hosts_;
  std::string addresses_;
  std::string ports_;
  std::vector<const char*> keys_;  // each list ends with null
  std::vector<const char*> values_;
};

}  // namespace eider::db::postgres
