// The interface of passkey stores, and the available stores.
// Layering: must not check passkeys; they are checked before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eider/auth/passkeys/passkey.h"
#include "eider/io/runtime/task.h"

namespace eider {

class Database;
namespace db {
class Statements;
}

/// Rule for a passkey whose signature counter did not increase.
enum class CounterRule : std::uint8_t {
  must_increase,  ///< rejects the passkey: there may be a copy of the authenticator
  may_decrease    ///< accepts the passkey, and the larger counter stays
};

/// A store of passkeys. All event loops call it, and it may wait.
class PasskeyStore {
 public:
  virtual ~PasskeyStore() = default;

  /// Prepares the store, before the first request.
  [[nodiscard]] virtual Task<> start();
  /// Returns null if the passkey does not exist.
  [[nodiscard]] virtual Task<std::unique_ptr<Passkey>> find(std::string id) = 0;
  /// Returns the passkeys of a user, the oldest first.
  [[nodiscard]] virtual Task<std::vector<Passkey>> list(std::string user) = 0;
  /// Checks and inserts in one step, so that concurrent calls cannot exceed the limit.
  ///
  /// returns  false if the id exists for any user, or the user already has `count_max` passkeys:
  ///          nothing was changed
  [[nodiscard]] virtual Task<bool> insert(Passkey passkey, std::size_t count_max) = 0;
  /// Stores counter, is_backed_up and used after a login. It compares and writes in one step: of
  /// two uses with the same counter only one succeeds, in any process.
  ///
  /// returns  false if the passkey does not exist; and with CounterRule::must_increase if the
  ///          stored counter is not lower, unless both are 0: nothing was changed
  [[nodiscard]] virtual Task<bool> note_use(Passkey passkey, CounterRule rule) = 0;
  /// returns  whether the user has a passkey with that id
  [[nodiscard]] virtual Task<bool> rename(std::string user, std::string id, std::string name) = 0;
  /// Deletes a passkey, even the last one: for users with another way to log in.
  [[nodiscard]] virtual Task<bool> erase(std::string user, std::string id) = 0;
  /// Deletes a passkey of users who have only passkeys, in one step, so that concurrent calls leave
  /// one.
  ///
  /// returns  false if it does not belong to the user, or is the last one
  [[nodiscard]] virtual Task<bool> erase_unless_last(std::string user, std::string id) = 0;
};

/// Returns a store in memory, for tests and first steps: passkeys are lost when the process ends.
[[nodiscard]] std::shared_ptr<PasskeyStore> memory_passkeys();

/// A store in the tables `eider_passkeys` and `eider_passkey_owners` of a database, which are
/// created if necessary. For SQLite and PostgreSQL, not for MariaDB.
[[nodiscard]] std::shared_ptr<PasskeyStore> sql_passkeys(Database database);
/// PasskeyStore::insert of sql_passkeys within a transaction: insert the account in the same one,
/// so that neither exists without the other.
///
/// in  a transaction of that database, which outlives the task
[[nodiscard]] Task<bool> insert_passkey(const db::Statements& in, Passkey passkey,
                                        std::size_t count_max);

}  // namespace eider
