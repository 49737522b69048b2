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

/// What a server asks of the maker of its seals.
struct TlsWanted {
  /// PEM files of the command line, or of an address; empty: what the program says.
  std::string certificate;
  std::string key;
  /// They belong to one address: no other certificate may be sent there.
  bool is_of_address = false;
  /// Of ALPN, the preferred first (RFC 7301): "h2", "http/1.1".
  std::vector<std::string> protocols;
  /// The address accepts only these, whatever the program says.
  bool is_restricted = false;
  /// Outlives the seals' maker.
  LogSink* log = nullptr;
};

/// errors  the detail names the file, what is wrong with it, and the mend
using MakeSeals = std::function<Result<std::shared_ptr<SealMaker>>(const TlsWanted&)>;

}  // namespace eider
