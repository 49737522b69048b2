// Options of a Redis connection and its queue.
// Layering: must not contain stored data.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "eider/io/net/options.h"
#include "eider/io/runtime/time.h"
#include "eider/io/tls/tls_client.h"

namespace eider {

struct RedisOptions {
  /// Time limit from the call to the response, including connecting; Redis::within sets another one
  /// for its calls.
  Duration command_time_max = std::chrono::seconds(2);
  /// Time limit for one attempt to connect, including name resolution, TLS and login.
  Duration connect_time_max = std::chrono::seconds(2);
  /// Pause after the first failed attempt; it doubles with each further one.
  Duration retry_first = std::chrono::milliseconds(50);
  Duration retry_max = std::chrono::milliseconds(500);

  /// Connections per event loop, 1 to 16; 1 for a cluster. With more than one, the order of
  /// commands is only guaranteed if one waits for the other.
  std::size_t connections = 1;
  /// Maximum number of unanswered commands of one connection; more fail with `busy`.
  std::size_t commands_max = 16384;
  /// Maximum size of commands that wait to be sent.
  std::size_t waiting_bytes_max = std::size_t{16} * 1024 * 1024;
  /// Maximum size of one response; a larger one closes the connection.
  std::size_t reply_bytes_max = std::size_t{64} * 1024 * 1024;

  /// User for sentinels with authentication; the user in the URL is for the servers.
  std::string sentinel_user = {};
  std::string sentinel_password = {};

  /// Name in CLIENT LIST, without spaces. Empty: none.
  std::string client_name = "eider";

  /// As in net::Options.
  net::DnsOptions dns = {};
  TlsClientOptions tls = {};
  std::shared_ptr<TlsClientContext> tls_context = {};
};

}  // namespace eider
