// TLS for a server: certificates, client certificates, accepted connections.
// Layering: must not read from or write to sockets, and names no type of the TLS library.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/seal.h"

namespace eider {

class LogSink;

/// A certificate of a server. The files are watched: new connections use a new certificate within a
/// second, and open connections are not affected.
struct TlsCertificate {
  /// PEM: the server's certificate, then the intermediate certificates.
  std::string certificate = {};
  /// PEM, without a passphrase. Empty if the key is in the certificate file.
  std::string key = {};
  /// DER: an OCSP response (RFC 6960) that confirms the certificate, for clients that request one.
  /// The program that renews it replaces the file. Empty: none.
  std::string ocsp = {};
};

/// Whether clients present certificates.
enum class TlsClients : std::uint8_t {
  anonymous,  ///< no client certificates
  optional,   ///< a client without one is served; a client with a wrong certificate is rejected
  required,   ///< clients without a certificate are rejected
};

enum class TlsVersion : std::uint8_t { tls_1_2, tls_1_3 };

struct TlsOptions {
  /// Certificate for clients that send no name, or a name without a certificate. Without files, a
  /// self-signed certificate for "localhost" is created at startup, for development; no client
  /// trusts it.
  TlsCertificate certificate = {};
  /// Additional certificates. Each is used for clients that request (SNI) one of its names. Of two
  /// with the same names and different types of keys, the client gets the one that it supports.
  std::vector<TlsCertificate> additional_certificates = {};
  TlsClients clients = TlsClients::anonymous;
  /// A PEM file of the authorities for client certificates. Pre: not empty unless anonymous.
  std::string client_authorities = {};
  /// Application protocols, in order of preference (ALPN): {"h2", "http/1.1"}. A client that offers
  /// none of them is rejected; a client without ALPN is served. Empty: the protocols of the app.
  std::vector<std::string> protocols = {};
  TlsVersion version_min = TlsVersion::tls_1_2;
};

/// Creates the TLS of a server, with safe defaults (docs/design/tls.md lists them).
///
/// log     receives warnings about certificates that expire, are renewed or do not match; must
///         outlive the result, may be null
/// errors  each with the file and the solution: the file is missing or unreadable, contains no
///         certificate or key, the key is for another certificate or has a passphrase, or is too
///         weak
[[nodiscard]] Result<std::shared_ptr<SealMaker>> make_server_tls(const TlsOptions& options,
                                                                 LogSink* log);

}  // namespace eider
