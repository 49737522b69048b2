#include "eider/io/tls/client_sessions.h"

#include <exception>
#include <utility>

namespace eider::detail::tls {

void ClientSessions::keep(const std::string& server, SessionPtr session) {
  const std::lock_guard changing(changing_);
  Kept* kept = kept_.find(server);
  if (kept == nullptr) {
    kept = &kept_.add({.server = server, .sessions = {}});
  }
  auto& sessions = kept->sessions;
  // Remove the oldest, because servers let their tickets expire.
  if (sessions.size() == kPerServerMax) {
    sessions.erase(sessions.begin());
  }
  sessions.push_back(std::move(session));
  if (kept_.size() > kServersMax) {
    (void)kept_.take_oldest();
  }
}

SessionPtr ClientSessions::take(const std::string& server) {
  const std::lock_guard changing(changing_);
  Kept* const found = kept_.find(server);
  if (found == nullptr) {
    return nullptr;
  }
  // The newest is valid for the longest time, and was made with the newest key.
  SessionPtr newest = std::move(found->sessions.back());
  found->sessions.pop_back();
  // Before TLS 1.3 a session can be used by several connections, so it is also kept.
  if (SSL_SESSION_get_protocol_version(newest.get()) != TLS1_3_VERSION) {
    SSL_SESSION_up_ref(newest.get());
    found->sessions.push_back(SessionPtr(newest.get()));
  }
  if (found->sessions.empty()) {
    (void)kept_.take(server);
  }
  return newest;
}

void SessionKeeper::keep(SessionPtr session) const noexcept {
  try {
    sessions_->keep(server_, std::move(session));
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace eider::detail::tls
