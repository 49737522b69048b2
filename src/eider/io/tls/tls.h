// TLS for a server: certificates, who may connect, and the seals of accepted connections.
// Must not read from or write to sockets, and names no type of the library behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/seal.h"

namespace eider {

class App;
class LogSink;

/// One identity of a server. The files are watched: a new certificate holds for new connections a
/// second later at most, and those that stand are not touched.
struct TlsCertificate {
  /// PEM: the server's certificate, then those that lead to a well-known authority.
  std::string certificate = {};
  /// PEM, without a passphrase. Empty when the key is in the certificate's file.
  std::string key = {};
  /// DER: the authority's word that the certificate still holds (OCSP, RFC 6960), for clients that
  /// ask. The program that renews it writes the file anew. Empty is none.
  std::string ocsp = {};
};

/// Whether clients show a certificate of their own.
enum class TlsClients : std::uint8_t {
  anonymous,  ///< they are not asked
  asked,      ///< one without a certificate is served too; one with a wrong one is not
  required,   ///< nobody is served without
};

enum class TlsVersion : std::uint8_t { tls_1_2, tls_1_3 };

struct TlsOptions {
  /// For clients that ask for no name, or for one that no certificate has. Without files a
  /// certificate for "localhost" is made at start, which no client trusts: for development.
  TlsCertificate certificate = {};
  /// Further ones. Each is shown to clients that ask (SNI) for one of the names in it; of two with
  /// the same names and different kinds of keys the client gets the one that it can check.
  std::vector<TlsCertificate> more = {};
  TlsClients clients = TlsClients::anonymous;
  /// A PEM file of the authorities that vouch for clients. Pre: not empty unless anonymous.
  std::string client_authorities = {};
  /// Application protocols, best first (ALPN): {"h2", "http/1.1"}. A client that knows none of them
  /// is refused; one that offers nothing at all is served. Empty: what the app speaks.
  std::vector<std::string> protocols = {};
  TlsVersion version_min = TlsVersion::tls_1_2;
};

/// Makes the seals of a server's connections, with safe defaults (docs/design/tls.md lists them).
///
/// log     hears of certificates that expire, of new ones and of those that do not fit; outlives
///         the maker, may be null
/// errors  each with the file and the mend: it is missing or unreadable, holds no certificate or
///         key, the key is another certificate's or has a passphrase, or both are too weak
[[nodiscard]] Result<std::shared_ptr<SealMaker>> make_server_tls(const TlsOptions& options,
                                                                 LogSink* log);

/// Lets the app speak TLS at the places that its options name (--tls-port, --listen-tls). A
/// certificate of the command line (--cert, --key) takes the place of the one here.
void enable_tls(App& app, TlsOptions options = {});

}  // namespace eider
