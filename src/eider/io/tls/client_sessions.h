// Sessions that a client can resume, by server.
// Layering: must not be used twice: a session of TLS 1.3 is returned once.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "eider/io/tls/openssl.h"
#include "eider/io/tls/seal_engine.h"

namespace eider::detail::tls {

/// From any thread, under a lock that is held for a look at a short list.
class ClientSessions {
 public:
  static constexpr std::size_t kServersMax = 256;
  static constexpr std::size_t kPerServerMax = 8;

  void keep(const std::string& server, SessionPtr session);
  /// The newest; null when there is none. Twice the same only before TLS 1.3, where it harms nobody
  /// (RFC 8446, section C.4).
  [[nodiscard]] SessionPtr take(const std::string& server);

 private:
  struct Kept {
    std::string server;
    std::vector<SessionPtr> sessions;  // the newest last
  };

  std::mutex changing_;
  std::list<Kept> kept_;  // those of the server heard of last come first
};

/// server  what `take` is asked for
[[nodiscard]] std::unique_ptr<SessionKeeper> make_keeper(std::shared_ptr<ClientSessions> sessions,
                                                         std::string server);

}  // namespace eider::detail::tls
