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
/// needs_tls  nothing may be sent without it
/// auth       the ways of authentication that are asked for, "md5,password"; empty: not said
/// warning    what is dangerous about it, in a sentence; empty where nothing is
struct Target {
  std::vector<Host> hosts;
  std::vector<std::pair<std::string, std::string>> others;
  bool needs_tls = false;
  std::string auth{};
  std::string warning{};

  /// Nothing that is asked there writes, save where the session's own settings are changed. Not
  /// behind a pooler, for whose connections nothing is set.
  void read_only();

  /// The hosts, with a Unix socket before each `localhost` if there is one. Not if TLS is required:
  /// libpq does not use it over a socket, and any user of the machine may listen on such a socket.
  ///
  /// directory  of the sockets; one in which only the server's user makes files
  [[nodiscard]] std::vector<Host> unix_first(
      const std::string& directory = "/var/run/postgresql") const;
};

/// "db.example/shop": without who asks and how.
[[nodiscard]] std::string text_of(const Target& target);

/// errors   in a sentence: what libpq does not understand, without anything that was in `where`
[[nodiscard]] Result<Target, std::string> read_target(std::string_view where,
                                                      const PostgresOptions& options);

/// As PQconnectStartParams takes it. Valid as long as it is where it is.
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
  std::vector<const char*> keys_;  // each ends with null
  std::vector<const char*> values_;
};

}  // namespace eider::db::postgres
