// The TLS properties of a connection, as plain values.
// Layering: must not know any TLS library: runtime/seal.h carries these up, http/request.h shows
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eider {

/// A client certificate that was verified against the configured authorities.
struct ClientCertificate {
  /// In the format of RFC 4514: "CN=alice,O=Example".
  std::string subject = {};
  std::string issuer = {};
  /// Subject alternative names: "DNS:a.example", "email:a@example", "IP:10.0.0.1", "URI:…".
  std::vector<std::string> names = {};
  /// The SHA-256 digest of the whole certificate: 64 lowercase hexadecimal digits.
  std::string fingerprint = {};
  /// Hexadecimal digits.
  std::string serial = {};
};

struct TlsInfo {
  /// For example "TLSv1.3".
  std::string_view version = {};
  /// For example "TLS_AES_128_GCM_SHA256".
  std::string_view cipher = {};
  /// "h2", "http/1.1", or empty if no protocol was negotiated (ALPN).
  std::string protocol = {};
  /// The host name that the client requested (SNI); may be empty.
  std::string server_name = {};
  bool is_resumed = false;
  /// The certificate of the client; without one, subject and fingerprint are empty.
  ClientCertificate client = {};
};

}  // namespace eider
