// The interface of session stores, and the available stores.
// Layering: must not know cookies, requests or the contents; it receives names and text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eider/io/runtime/task.h"

namespace eider {

class Database;

/// A stored session.
///
/// user      key of the user; with SessionOptions::space, the space and a blank come first; empty:
///           not logged in
/// began, seen  seconds since 1970
/// version   increases with each write
/// data      the struct of the application as JSON; empty: default values
/// flashes   messages that are shown once, as JSON; empty: none
/// authenticated  time of the user's last authentication, in seconds since 1970; 0: at `began`;
///                -1: not in this session. `replace` writes it, too
struct SessionRecord {
  std::string user;
  std::int64_t began = 0;
  std::int64_t seen = 0;
  std::int64_t version = 1;
  std::string data;
  std::string flashes;
  std::int64_t authenticated = 0;
};

/// A session of a user, for display.
///
/// name  identifier for Sessions::end; it does not grant access
/// seen  time of last use, with a precision of a twentieth of SessionOptions::idle
struct KnownSession {
  std::string name;
  std::int64_t began = 0;
  std::int64_t seen = 0;
};

/// Stores sessions by name. Names are digests of the session ids in browsers, so the contents of
/// the store do not grant access. Functions are called from every event loop, and may wait. An
/// exception or a timeout (SessionOptions::store_within) leads to a 503.
class SessionStore {
 public:
  virtual ~SessionStore() = default;

  /// Prepares the store, before the first request.
  [[nodiscard]] virtual Task<> start();
  /// Returns nothing if the session does not exist.
  [[nodiscard]] virtual Task<std::unique_ptr<SessionRecord>> find(std::string name) = 0;
  [[nodiscard]] virtual Task<> insert(std::string name, SessionRecord record) = 0;
  /// Replaces the session with that name if its version is one less than that of `record`.
  ///
  /// returns  false if the version differs or the session does not exist: nothing was changed, and
  ///          a deleted session stays deleted
  [[nodiscard]] virtual Task<bool> replace(std::string name, SessionRecord record) = 0;
  /// Renames a session, whatever its version, in one step.
  ///
  /// returns  whether it existed
  [[nodiscard]] virtual Task<bool> rename(std::string name, std::string new_name) = 0;
  [[nodiscard]] virtual Task<> erase(std::string name) = 0;
  /// Deletes the sessions of a user (not empty), except the one with that name. Returns their
  /// number.
  [[nodiscard]] virtual Task<std::size_t> erase_of(std::string user, std::string but_for) = 0;
  [[nodiscard]] virtual Task<std::vector<KnownSession>> list(std::string user) = 0;
  /// Deletes sessions that were last used at or before this time, in seconds since 1970. Called
  /// regularly. Expired sessions are deleted in this way, too.
  [[nodiscard]] virtual Task<> sweep(std::int64_t seen_until) = 0;
};

/// Limits of the store in memory. Above them, the least recently used sessions are deleted: first
/// those without a user, because anyone can create many of them. Above `user_count_max`, the oldest
/// sessions of the same user are deleted, so that one account cannot log out others.
struct MemorySessions {
  std::size_t count_max = 100'000;
  std::size_t user_count_max = 32;
  std::size_t bytes_max = std::size_t{64} << 20U;
};

/// Returns a store in memory, for one process: sessions are lost when it ends.
[[nodiscard]] std::shared_ptr<SessionStore> memory_sessions(MemorySessions limits = {});

/// A store in the table `eider_sessions` of a database, which is created if necessary.
[[nodiscard]] std::shared_ptr<SessionStore> sql_sessions(Database database);

}  // namespace eider
