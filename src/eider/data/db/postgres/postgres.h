// Opens a PostgreSQL database.
// Layering: must not include the header of libpq.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/data/db/database.h"

namespace eider {

struct PostgresOptions {
  /// Connections per event loop, at least 1. They are opened on demand.
  std::size_t connections_max = 4;
  /// Time limit of one attempt to connect, including name resolution and login. Several hosts share
  /// it: the next attempt starts with the host after one that does not respond.
  Duration connect_time_max = std::chrono::seconds(5);
  /// Time limit for a statement that waits for a connection.
  Duration wait_time_max = std::chrono::seconds(5);
  /// Connections that row streams may use at a time, at least 1; other streams wait. If there are
  /// at least two connections, one is always reserved for statements.
  std::size_t streams_max = 2;
  /// Connections that are idle for longer are closed.
  Duration idle_time_max = std::chrono::minutes(5);
  /// Idle time after which a PostgresSubscriber checks its connection, repeatedly until it counts
  /// as lost.
  Duration ping_after = std::chrono::seconds(15);
  /// Maximum size of the result of one statement in memory. A larger result fails as `row`, and the
  /// statement is canceled.
  std::size_t result_bytes_max = std::size_t{64} << 20U;
  /// Number of prepared statements per connection. 0: nothing is prepared, and no session settings
  /// are used, for connection poolers in transaction mode.
  std::size_t statements_max = 256;
  /// Runs plain reads that are sent to a connection together in one transaction, and repeats them
  /// once if one of them fails or the connection is lost. Set this to false if reads can write
  /// through views or operators: then each read is separate, and runs once.
  bool batch_reads = true;
  /// Replicas of this server, each as `where`: `Database::replica()` reads from them in turn. Each
  /// has `connections_max` connections per event loop, and one for health checks.
  std::vector<std::string> replicas{};
  /// A replica with a larger lag is not used, nor is one that does not respond.
  Duration replica_lag_max = std::chrono::seconds(10);
  /// `queue_max` applies to each event loop. After its time limit, the server gets half a second to
  /// cancel a statement.
  db::PoolLimits limits{};
  /// Called when a database is opened in a way that is dangerous, such as one on another machine
  /// without TLS. Default: the warning goes to stderr.
  std::function<void(std::string_view)> on_warning{};
};

/// Opens a database of a PostgreSQL server. Connections are opened with the first statement, and
/// each event loop has its own. With simulated time, the clock stops while a statement runs.
///
/// where    "postgres://user@host:5432/name" or "host=… dbname=…", with all options of libpq;
///          missing values come from PGHOST etc., the password also from a PGPASSFILE. For
///          "localhost", the Unix socket in /var/run/postgresql is tried first, unless TLS is
///          required (sslmode=require or stricter). If any host is neither a Unix socket nor a
///          loopback address, the defaults are sslmode=require and, from libpq 16 on,
///          require_auth=scram-sha-256. Without TLS, the password is not sent over a network socket
///          in clear text or as MD5, unless `where` has require_auth=password or md5
/// errors   db::Failure(open), thrown: `where`, a replica or an option is invalid
[[nodiscard]] Database open_postgres(std::string_view where, const PostgresOptions& options = {});

/// Returns the error text instead of throwing an exception.
[[nodiscard]] Result<Database, std::string> try_open_postgres(std::string_view where,
                                                              const PostgresOptions& options = {});

}  // namespace eider
