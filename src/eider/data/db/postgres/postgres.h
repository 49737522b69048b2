// Opens a PostgreSQL database.
// Must not need libpq's own header.
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
  /// Connections of each loop, at least 1. They are made when they are needed.
  std::size_t connections_max = 4;
  /// For one attempt to connect, names and passwords included. Several hosts share it: the next
  /// attempt begins with the one behind a host that says nothing.
  Duration connect_time_max = std::chrono::seconds(5);
  /// For how long a statement waits for a connection.
  Duration wait_time_max = std::chrono::seconds(5);
  /// How many of those may be kept by a stream of rows each, at least 1; other streams wait. One is
  /// left for statements in any case, where there are two.
  std::size_t streams_max = 2;
  /// A connection that has had nothing to do for so long is closed.
  Duration idle_time_max = std::chrono::minutes(5);
  /// How long the server may say nothing to a PostgresSubscriber before it is asked whether it is
  /// there, and then again until it counts as lost.
  Duration silence_max = std::chrono::seconds(15);
  /// What the rows of one statement may take in memory, while they are read. A statement that gives
  /// more fails as `row`, and the server is asked to cancel it.
  std::size_t result_bytes_max = std::size_t{64} << 20U;
  /// Statements that each connection keeps prepared. 0 prepares none, and sets nothing for the
  /// length of a connection: for poolers that change it behind each transaction.
  std::size_t statements_max = 256;
  /// Plain reads that go to a connection together share a transaction, and are read once more where
  /// one of them fails, or their connection is lost. Not for a schema in which what a read calls
  /// unseen (views, operators) writes: there each is its own, and read once.
  bool joins_reads = true;
  /// Servers that follow this one, each as `where`: `Database::replica()` reads from them in turns.
  /// Each has `connections_max` connections of each loop, and one more that looks after it.
  std::vector<std::string> replicas{};
  /// A replica that is further behind is passed over, as is one that does not answer.
  Duration replica_lag_max = std::chrono::seconds(10);
  /// `queue_max` counts for each loop. A statement gets half a second more than its time, in which
  /// the server is asked to cancel it.
  db::PoolLimits limits{};
  /// Called when a database is opened in a way that is dangerous, such as one on another machine
  /// without TLS. Default: the warning goes to stderr.
  std::function<void(std::string_view)> on_warning{};
};

/// A database of a PostgreSQL server. Nothing is connected before the first statement, and each
/// loop has connections of its own; it is to be used on loops that run in real time.
///
/// where    "postgres://user@host:5432/name" or "host=… dbname=…", with all that libpq knows; what
///          is missing comes from PGHOST and its like, the password from a PGPASSFILE, too. For
///          the name "localhost" the Unix socket in /var/run/postgresql is tried first, unless TLS
///          is asked for (sslmode=require or more). Where any host is neither a Unix socket nor a
///          loopback address, the defaults are sslmode=require and, from libpq 16 on,
///          require_auth=scram-sha-256. Without TLS no password is sent over a network socket in
///          clear text or as MD5, unless `where` has require_auth=password or md5
/// errors   db::Failure(open), thrown: `where` is not understood
[[nodiscard]] Database open_postgres(std::string_view where, const PostgresOptions& options = {});

/// The same with the text instead of an exception.
[[nodiscard]] Result<Database, std::string> try_open_postgres(std::string_view where,
                                                              const PostgresOptions& options = {});

}  // namespace eider
