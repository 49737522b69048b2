// Creates the TLS side of an application, without linking a TLS library here.
// Layering: must not know the library; add_tls (tls/tls.h) sets the function.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/core/base/result.h"

namespace eider {

class SealMaker;

/// The TLS configuration that the server requests. ("Seals" create the TLS side of a connection.)
struct TlsWanted {
  /// PEM files of the command line or of an address; empty: those that the program sets.
  std::string certificate;
  std::string key;
  /// The files belong to one address: no other certificate may be sent there.
  bool is_of_address = false;
  /// ALPN protocols, most preferred first (RFC 7301): "h2", "http/1.1".
  std::vector<std::string> protocols;
  /// The address accepts only these protocols, even if the program sets others.
  bool is_restricted = false;
  /// Outlives the result of MakeSeals.
  LogSink* log = nullptr;
};

/// errors  the detail contains the file, the error and how to fix it
using MakeSeals = std::function<Result<std::shared_ptr<SealMaker>>(const TlsWanted&)>;

}  // namespace eider
