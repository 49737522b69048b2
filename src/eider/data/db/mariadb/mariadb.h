// Opens a MariaDB or MySQL database.
// Must not need Connector/C's own header.
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
  /// Connections of each loop, at least 1. They are made when they are needed.
  std::size_t connections_max = 4;
  /// For one attempt to connect, names and passwords included. Several hosts share it.
  Duration connect_time_max = std::chrono::seconds(5);
  /// For how long a statement waits for a connection.
  Duration wait_time_max = std::chrono::seconds(5);
  /// How many of those may be kept by a stream of rows each, at least 1; other streams wait. One is
  /// left for statements in any case, where there are two.
  std::size_t streams_max = 2;
  /// A connection that has had nothing to do for so long is closed.
  Duration idle_time_max = std::chrono::minutes(5);
  /// What the rows of one statement may take. A statement that gives more fails as `row`, and the
  /// server is asked to end it; one row of more than twice that ends the connection.
  std::size_t result_bytes_max = std::size_t{64} << 20U;
  /// Statements that each connection keeps prepared. 0 keeps none.
  std::size_t statements_max = 256;
  /// Of all transactions of these connections.
  MariadbIsolation isolation = MariadbIsolation::server;
  /// `queue_max` counts for each loop. A statement gets half a second more than its time, in which
  /// the server is asked to end it.
  db::PoolLimits limits{};
};

/// A database of a MariaDB or MySQL server. Nothing is connected before the first statement, and
/// each loop has connections of its own; it is to be used on loops that run in real time.
///
/// where    "mysql://user:password@host:3306/name" or "mariadb://…", percent-encoded. Several hosts
///          stand behind one another, with commas; "localhost" without a port is the Unix socket
///          /run/mysqld/mysqld.sock where there is one. Behind a '?' may stand socket=/path,
///          tls=off|required|verify, tls-ca=, tls-cert= and tls-key=, joined by '&'. With verify
///          the certificate has to name the host, by its name or its number, as it stands here
/// errors   db::Failure(open), thrown: `where` is not understood
[[nodiscard]] Database open_mariadb(std::string_view where, const MariadbOptions& options = {});

/// The same with the text instead of an exception.
[[nodiscard]] Result<Database, std::string> try_open_mariadb(std::string_view where,
                                                             const MariadbOptions& options = {});

}  // namespace eider
