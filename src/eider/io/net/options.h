// How connections to other servers are made: name servers, addresses that may be, encryption.
// Must not know what is asked over them.
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

/// Whether an address may be connected to. On the loop that connects; must not wait.
using AllowAddress = std::function<bool(const IpAddress& address)>;

}  // namespace eider

namespace eider::net {

struct DnsOptions {
  /// "127.0.0.1:53,[::1]:53"; empty: as the system is configured.
  std::string servers = {};
  /// Answers that are remembered.
  std::size_t cached_max = 256;
  /// However long an answer itself says that it holds.
  Duration ttl_max = std::chrono::minutes(5);
  /// For one question to one server; it is asked twice.
  Duration question = std::chrono::seconds(2);
};

struct Options {
  DnsOptions dns = {};
  /// Asked behind the name's lookup, about each address. Null: all are allowed.
  AllowAddress allow_address = nullptr;
  /// Servers are verified unless this says otherwise.
  TlsClientOptions tls = {};
  /// In place of `tls`: authorities and sessions that several share.
  std::shared_ptr<TlsClientContext> tls_context = {};
};

}  // namespace eider::net
