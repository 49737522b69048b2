// The target of a run: the parsed URL, its address, and trusted certificates.
// Layering: must not keep a connection.
#pragma once

#include <memory>
#include <string>

#include "cli/bench/options.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/address.h"
#include "eider/io/tls/tls_client.h"

namespace eider::bench {

/// tls        null for http://
/// host       for the certificate: a name, or an address without brackets
/// authority  for the Host header
/// target     path and query
struct Target {
  SocketAddress address;
  std::string host;
  std::uint16_t port = 80;
  std::string authority;
  std::string target;
  std::shared_ptr<TlsClientContext> tls;
};

/// errors   the URL is invalid, with a suggestion
[[nodiscard]] Result<void, std::string> check_url(const Options& options);

/// Parses the URL, resolves its name, and connects once to find an address that responds. Blocks.
///
/// errors   one sentence: the error and its fix
[[nodiscard]] Result<Target, std::string> find_target(const Options& options);

}  // namespace eider::bench
