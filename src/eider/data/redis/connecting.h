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

/// What all loops share.
struct Settings {
  Target target;
  RedisOptions options;
};

/// fault  login: the server has said no; others pass
struct ConnectFailure {
  RedisFault fault;
  std::string why;
};

/// host  that has answered
struct Opened {
  std::unique_ptr<TcpStream> stream;
  std::string host;
};

using Connected = Result<Opened, ConnectFailure>;

/// Connects, agrees on encryption where the URL says so, logs in and chooses the database. Without
/// a deadline of its own for all of that, save that of several hosts each has its share of
/// RedisOptions::connect_time_max.
///
/// Of sentinels each is asked in turn, until one has told of a server that says of itself that it
/// is the master; of a cluster the first node that answers will do.
///
/// both  outlive the task
[[nodiscard]] Task<Connected> open_connection(net::Net& net, const Settings& settings);

}  // namespace eider::redis::detail
