// How a Redis server is connected to, and what waits for it at most.
// Must not hold what is stored.
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
  /// From the call to the answer, connecting included; Redis::within has another for its calls.
  Duration command_time_max = std::chrono::seconds(2);
  /// For one attempt to connect, with the name's lookup, TLS and the login.
  Duration connect_time_max = std::chrono::seconds(2);
  /// Behind the first attempt that failed; twice as long behind each further one.
  Duration retry_first = std::chrono::milliseconds(50);
  Duration retry_max = std::chrono::milliseconds(500);

  /// Connections of each loop, 1 to 16. With more than one, commands are done in their order only
  /// where one waits for the other.
  std::size_t connections = 1;
  /// Commands of one connection that have no answer yet; more fail with `busy`.
  std::size_t commands_max = 16384;
  /// Bytes of commands that wait to be sent.
  std::size_t waiting_bytes_max = std::size_t{16} * 1024 * 1024;
  /// Of one answer. What is larger breaks the connection.
  std::size_t reply_bytes_max = std::size_t{64} * 1024 * 1024;

  /// Who asks the sentinels, where they want to know: the URL's user is that of the servers.
  std::string sentinel_user = {};
  std::string sentinel_password = {};

  /// What CLIENT LIST shows; without blanks. Empty: none.
  std::string client_name = "eider";

  /// As net::Options has them.
  net::DnsOptions dns = {};
  TlsClientOptions tls = {};
  std::shared_ptr<TlsClientContext> tls_context = {};
};

}  // namespace eider
