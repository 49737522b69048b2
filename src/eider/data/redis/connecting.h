// Opens one connection to a Redis server until commands can be sent.
// Layering: must not retry or store anything.
#pragma once

#include <memory>
#include <string>

#include "eider/core/base/result.h"
#include "eider/data/redis/redis_failure.h"
#include "eider/data/redis/redis_options.h"
#include "eider/data/redis/target.h"
#include "eider/io/net/net.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/tcp.h"

namespace eider::redis::detail {

/// Shared by all loops.
struct Settings {
  Target target;
  RedisOptions options;
};

/// fault  login: the server rejected the login; other failures are temporary
struct ConnectFailure {
  RedisFault fault;
  std::string why;
};

/// host  the host that responded
struct Opened {
  std::unique_ptr<TcpStream> stream;
  std::string host;
};

using Connected = Result<Opened, ConnectFailure>;

/// Connects, starts TLS if the URL requires it, logs in and selects the database. Has no time limit
/// of its own, except that several hosts share RedisOptions::connect_time_max.
///
/// Queries the sentinels in turn, until one reports a server that confirms to be the master; in a
/// cluster, uses the first node that responds.
///
/// Both arguments must outlive the task.
[[nodiscard]] Task<Connected> open_connection(net::Net& net, const Settings& settings);

}  // namespace eider::redis::detail
