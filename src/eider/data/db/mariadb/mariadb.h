// Opens a MariaDB or MySQL database.
// Layering: must not include the header of Connector/C.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/data/db/database.h"

namespace eider {

using MariadbIsolation = db::Isolation;

struct MariadbOptions {
  /// Connections per event loop, at least 1. They are opened on demand.
  std::size_t connections_max = 4;
  /// Time limit for one attempt to connect, including DNS and authentication. Several hosts share
  /// it.
  Duration connect_time_max = std::chrono::seconds(5);
  /// Time limit for a statement that waits for a connection.
  Duration wait_time_max = std::chrono::seconds(5);
  /// Connections that row streams may use at a time, at least 1; other streams wait. If there are
  /// at least two connections, one is always reserved for statements.
  std::size_t streams_max = 2;
  /// Connections that are idle for longer are closed.
  Duration idle_time_max = std::chrono::minutes(5);
  /// Maximum size of the result of one statement. A larger result fails as `row`, and the statement
  /// is canceled; a single row of more than twice that size closes the connection.
  std::size_t result_bytes_max = std::size_t{64} << 20U;
  /// Number of prepared statements per connection. 0: none.
  std::size_t statements_max = 256;
  /// Isolation level of all transactions of these connections.
  MariadbIsolation isolation = MariadbIsolation::server;
  /// `queue_max` applies to each event loop. After its time limit, the server gets half a second to
  /// cancel a statement.
  db::PoolLimits limits{};
};

/// Opens a database of a MariaDB or MySQL server. Connections are opened with the first statement,
/// and each event loop has its own. With simulated time, the clock stops while a statement runs.
///
/// where    "mysql://user:password@host:3306/name" or "mariadb://…", percent-encoded. Separate
///          several hosts with commas; "localhost" without a port and TLS uses the Unix socket
///          /run/mysqld/mysqld.sock if it exists. Options after '?', joined by '&': socket=/path,
///          tls=off|required|verify (default: off), tls-ca=, tls-cert= and tls-key=. With verify,
///          the certificate must contain the host, by its name or address, as written here
/// errors   db::Failure(open), thrown: `where` or an option is invalid
[[nodiscard]] Database open_mariadb(std::string_view where, const MariadbOptions& options = {});

/// Returns the error text instead of throwing an exception.
[[nodiscard]] Result<Database, std::string> try_open_mariadb(std::string_view where,
                                                             const MariadbOptions& options = {});

}  // namespace eider
