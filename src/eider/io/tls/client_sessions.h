// Sessions that a client can resume, by server.
// Layering: must not be used twice: a session of TLS 1.3 is returned once.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/lru_map.h"
#include "eider/io/tls/openssl.h"

namespace eider::detail::tls {

/// Thread-safe: a lock protects the short list.
class ClientSessions {
 public:
  static constexpr std::size_t kServersMax = 256;
  static constexpr std::size_t kPerServerMax = 8;

  void keep(const std::string& server, SessionPtr session);
  /// Returns the newest session, or null. Returns the same one twice only before TLS 1.3, where it
  /// is harmless (RFC 8446, section C.4).
  [[nodiscard]] SessionPtr take(const std::string& server);

 private:
  struct Kept {
    std::string server;
    std::vector<SessionPtr> sessions;  // the newest is last
  };

  std::mutex changing_;
  LruMap<Kept, &Kept::server> kept_;
};

/// Keeps the sessions of one server.
class SessionKeeper {
 public:
  /// server  the argument of `take`
  SessionKeeper(std::shared_ptr<ClientSessions> sessions, std::string server) noexcept
      : sessions_(std::move(sessions)), server_(std::move(server)) {}

  /// Called by OpenSSL from within its own frames, which exceptions must not pass through. A lost
  /// session is harmless.
  void keep(SessionPtr session) const noexcept;

 private:
  std::shared_ptr<ClientSessions> sessions_;
  std::string server_;
};

}  // namespace eider::detail::tls
