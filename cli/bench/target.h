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
/// host       for the certificate: a name or an address without brackets
/// authority  for the Host field
/// target     path and query
struct Target {
  SocketAddress address;
  std::string host;
  std::uint16_t port = 80;
  std::string authority;
  std::string target;
  std::shared_ptr<TlsClientContext> tls;
};

/// errors   the URL cannot be asked, with what may have been meant
[[nodiscard]] Result<void, std::string> check_url(const Options& options);

/// Reads the URL, resolves its name, and connects once to see which of its addresses answers.
/// Blocks.
///
/// errors   one sentence: what is wrong, and what to do about it
[[nodiscard]] Result<Target, std::string> find_target(const Options& options);

}  // namespace eider::bench
