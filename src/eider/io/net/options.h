// Options for outgoing connections: name servers, allowed addresses, encryption.
// Layering: must not know the requests of the connections.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "eider/io/runtime/time.h"
#include "eider/io/tls/tls_client.h"

namespace eider {

class IpAddress;

/// Returns whether an address may be connected to. Called on the event loop that connects; must not
/// wait.
using AllowAddress = std::function<bool(const IpAddress& address)>;

}  // namespace eider

namespace eider::net {

struct DnsOptions {
  /// "127.0.0.1:53,[::1]:53"; empty: the system's configuration.
  std::string servers = {};
  /// Maximum number of cached names.
  std::size_t cached_max = 256;
  /// Maximum time for which a name is cached, whatever its TTL.
  Duration ttl_max = std::chrono::minutes(5);
  /// Time limit of one query to one server; it is sent twice.
  Duration question = std::chrono::seconds(2);
};

struct Options {
  DnsOptions dns = {};
  /// Called for each address after name resolution. Null: all are allowed.
  AllowAddress allow_address = nullptr;
  /// Servers are verified by default.
  TlsClientOptions tls = {};
  /// Authorities and sessions that several clients share, instead of `tls`.
  std::shared_ptr<TlsClientContext> tls_context = {};
};

}  // namespace eider::net
