// A temporary PostgreSQL server with its own data directory and a Unix socket.
// Layering: must not need libpq.
#pragma once

#include <csignal>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/result.h"
#include "eider/data/db/scratch/scratch_server.h"

namespace eider::detail::scratch {

/// Returns the directory of initdb and postgres: EIDER_POSTGRES_BIN, the latest version of Debian,
/// or from the PATH.
///
/// errors   not found: what to install
[[nodiscard]] Result<std::string, std::string> find_postgres_programs();

/// Quotes a value for a connection string of libpq: 'a b'
[[nodiscard]] std::string quoted_option(std::string_view value);

/// Returns the address of another database of the server.
[[nodiscard]] std::string postgres_database(const std::string& server, const std::string& name);

class PostgresCluster final : public ScratchServer {
 public:
  explicit PostgresCluster(std::string programs)
      : ScratchServer({.user = "postgres", .socket = "/.s.PGSQL.5432", .end_signal = SIGQUIT}),
        programs_(std::move(programs)) {}

  /// returns  "host='…' port=5432 user=eider dbname=postgres"
  Result<std::string, std::string> make(const Parent& other) override;

 private:
  [[nodiscard]] Result<void, std::string> make_cluster(const Parent& other);
  [[nodiscard]] Result<void, std::string> start_server(const Parent& other);
  [[nodiscard]] bool is_ready() const override;

  std::string programs_;
};

}  // namespace eider::detail::scratch
