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

/// By what a server knows one of its connections.
struct BackendKey {
  std::uint32_t process = 0;
  std::uint32_t secret = 0;
};

/// Notes a connection's key while it is made. libpq shows it nowhere else than in its trace.
class KeyListener {
 public:
  /// connection  outlives this, or `end` comes first
  explicit KeyListener(PGconn* connection);
  ~KeyListener();
  KeyListener(const KeyListener&) = delete;
  KeyListener& operator=(const KeyListener&) = delete;

  /// Listens no more.
  ///
  /// returns  nothing when there was no key, as a pooler may have none
  [[nodiscard]] std::optional<BackendKey> end();

 private:
  PGconn* connection_;
  char* text_ = nullptr;
  std::size_t bytes_ = 0;
  std::FILE* file_ = nullptr;
};

/// The TLS of a request to cancel, as its session has it: with the same settings, and with the very
/// certificate that the server has shown to the session.
struct CancelTls {
  eider::detail::tls::SslPtr ssl;
  eider::detail::tls::CertificatePtr certificate;
};

/// Empty where the session has no TLS.
[[nodiscard]] CancelTls tls_like(PGconn* session);

/// Connects to `server`, sends the request, and waits until the server has closed: then the signal
/// is sent. Gives up after `limit`. The server does not report whether there was anything to
/// cancel. The key of a session with TLS is never sent without TLS, nor to a server with another
/// certificate: then nothing is cancelled.
///
/// returns  false when it may still take effect: it was sent, and the server has not closed
[[nodiscard]] Task<bool> request_cancel(SocketAddress server, BackendKey key, CancelTls tls,
                                        Duration limit);

}  // namespace eider::db::postgres
