// Cancels the statement of a connection over another connection.
// Layering: must not use PQcancel, which blocks.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>

#include "eider/data/db/postgres/handles.h"
#include "eider/io/runtime/address.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/io/tls/openssl.h"

namespace eider::db::postgres {

/// Identifies a connection at the server.
struct BackendKey {
  std::uint32_t process = 0;
  std::uint32_t secret = 0;
};

/// Reads the key of a new connection. libpq only provides it in its trace.
class KeyListener {
 public:
  /// connection  must outlive this, or `end` is called before
  explicit KeyListener(PGconn* connection);
  ~KeyListener();
  KeyListener(const KeyListener&) = delete;
  KeyListener& operator=(const KeyListener&) = delete;

  /// Stops listening.
  ///
  /// returns  std::nullopt if there was no key, as with some connection poolers
  [[nodiscard]] std::optional<BackendKey> end();

 private:
  PGconn* connection_;
  char* text_ = nullptr;
  std::size_t bytes_ = 0;
  std::FILE* file_ = nullptr;
};

/// The TLS state of a cancel request: the settings of its session, and the certificate that the
/// server presented to that session.
struct CancelTls {
  eider::detail::tls::SslPtr ssl;
  eider::detail::tls::CertificatePtr certificate;
};

/// Empty if the session does not use TLS.
[[nodiscard]] CancelTls tls_like(PGconn* session);

/// Connects to `server`, sends the request, and waits until the server closes the connection: then
/// the signal has been sent. Gives up after `limit`. The server does not report whether a statement
/// was canceled. The key of a session with TLS is never sent without TLS, nor to a server with
/// another certificate: then nothing is canceled.
///
/// returns  false if the request may still take effect: it was sent, and the server has not closed
[[nodiscard]] Task<bool> request_cancel(SocketAddress server, BackendKey key, CancelTls tls,
                                        Duration limit);

}  // namespace eider::db::postgres
