// Where sessions are kept: the interface of stores, and those that there are.
// Must not know cookies, requests or what applications keep: it is handed names and text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eider/io/runtime/task.h"

namespace eider {

class Database;

/// One session as it is kept.
///
/// user     the key of whose it is, for a store with SessionOptions::space and a blank ahead of it;
///          empty: nobody's
/// began, seen  seconds since 1970
/// version  one more with each write
/// data     the application's struct as JSON; empty: as it is made
/// flashes  messages to be shown once, as JSON; empty: none
/// proven   when its user has last shown who he is, in seconds since 1970; 0: when it began; -1:
/// not
///          in this session. `replace` writes it, too
struct SessionRecord {
  std::string user;
  std::int64_t began = 0;
  std::int64_t seen = 0;
  std::int64_t version = 1;
  std::string data;
  std::string flashes;
  std::int64_t proven = 0;
};

/// One of a user's sessions, to be shown to him.
///
/// name  by which Sessions::end takes it; it opens nothing
/// seen  when it was last used, to a twentieth of SessionOptions::idle
struct KnownSession {
  std::string name;
  std::int64_t began = 0;
  std::int64_t seen = 0;
};

/// Sessions by their names, which are digests of what browsers hold: who reads the store has
/// nothing that opens a session. It is called from every loop, and may wait. What it throws, or
/// that it does not end in time (SessionOptions::store_within), is a 503.
class SessionStore {
 public:
  virtual ~SessionStore() = default;

  /// Ahead of the first request.
  [[nodiscard]] virtual Task<> start();
  /// Nothing where there is none.
  [[nodiscard]] virtual Task<std::unique_ptr<SessionRecord>> find(std::string name) = 0;
  [[nodiscard]] virtual Task<> insert(std::string name, SessionRecord record) = 0;
  /// Puts `record` in the place of the one of that name whose version is one less.
  ///
  /// returns  false where that has another version, or is gone: nothing was changed, and what was
  ///          erased stays so
  [[nodiscard]] virtual Task<bool> replace(std::string name, SessionRecord record) = 0;
  /// Gives the one of that name another, whatever its version, in one step.
  ///
  /// returns  whether it was there
  [[nodiscard]] virtual Task<bool> rename(std::string name, std::string new_name) = 0;
  [[nodiscard]] virtual Task<> erase(std::string name) = 0;
  /// Those of a user, who is somebody, but for the one of that name. Returns how many they were.
  [[nodiscard]] virtual Task<std::size_t> erase_of(std::string user, std::string but_for) = 0;
  [[nodiscard]] virtual Task<std::vector<KnownSession>> list(std::string user) = 0;
  /// Forgets those that were seen up to these seconds since 1970. Called now and then. One that is
  /// too old is not seen any more, so it goes in this way, too.
  [[nodiscard]] virtual Task<> sweep(std::int64_t seen_until) = 0;
};

/// What a store in memory holds at most. Beyond it those that were not used for longest go: ahead
/// of all others nobody's, since anybody can have many of these. Of one user's beyond
/// `user_count_max` his own oldest go, so that one account logs nobody else out.
struct MemorySessions {
  std::size_t count_max = 100'000;
  std::size_t user_count_max = 32;
  std::size_t bytes_max = std::size_t{64} << 20U;
};

/// For one process: they end with it.
[[nodiscard]] std::shared_ptr<SessionStore> memory_sessions(MemorySessions limits = {});

/// In the table `eider_sessions` of a database, which is made where it is not there.
[[nodiscard]] std::shared_ptr<SessionStore> sql_sessions(Database database);

}  // namespace eider
