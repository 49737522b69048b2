// The TLS properties of a connection, as plain values.
// Layering: must not know any TLS library: runtime/seal.h carries these up, http/request.h shows
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eider {

/// A client's certificate that was verified against the authorities given.
struct ClientCertificate {
  /// Of RFC 4514: "CN=alice,O=Example".
  std::string subject = {};
  std::string issuer = {};
  /// Subject alternative names: "DNS:a.example", "email:a@example", "IP:10.0.0.1", "URI:…".
  std::vector<std::string> names = {};
  /// Of the whole certificate, SHA-256 in lower-case hexadecimal digits: 64 characters.
  std::string fingerprint = {};
  /// Hexadecimal.
  std::string serial = {};
};

struct TlsInfo {
  /// "TLSv1.3"
  std::string_view version = {};
  /// "TLS_AES_128_GCM_SHA256"
  std::string_view cipher = {};
  /// "h2", "http/1.1", or empty when none was agreed on.
  std::string protocol = {};
  /// The host name that the client requested (SNI); may be empty.
  std::string server_name = {};
  bool is_resumed = false;
  /// The certificate of the client; without one, subject and fingerprint are empty.
  ClientCertificate client = {};
};

}  // namespace eider
