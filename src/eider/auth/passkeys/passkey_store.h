// Where passkeys are kept: the interface of stores, and those that there are.
// Must not check any: what is handed in was checked.
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

/// What becomes of a passkey whose counter of signatures has not gone on.
enum class CounterRule : std::uint8_t {
  goes_on,     ///< it is not used: there may be a copy of the authenticator
  may_go_back  ///< it is, and the larger counter stays
};

/// It is called from every loop, and may wait.
class PasskeyStore {
 public:
  virtual ~PasskeyStore() = default;

  /// Ahead of the first request.
  [[nodiscard]] virtual Task<> start();
  /// Null where there is none.
  [[nodiscard]] virtual Task<std::unique_ptr<Passkey>> find(std::string id) = 0;
  /// Those of a user, the oldest first.
  [[nodiscard]] virtual Task<std::vector<Passkey>> list(std::string user) = 0;
  /// Both in one step, so that no two at once are one too many.
  ///
  /// returns  false where somebody has one of that id, whoever it is, or its user has `count_max`
  ///          by now: nothing was changed
  [[nodiscard]] virtual Task<bool> insert(Passkey passkey, std::size_t count_max) = 0;
  /// Keeps counter, is_backed_up and used of what has logged somebody in. It compares and writes in
  /// one step: of two uses with one counter only one counts, whichever process has looked first.
  ///
  /// returns  false where it is gone, and stays so; and by CounterRule::goes_on where the counter
  ///          that is kept is not below this one, unless both are 0: nothing was changed
  [[nodiscard]] virtual Task<bool> note_use(Passkey passkey, CounterRule rule) = 0;
  /// returns  whether that user had one of that id
  [[nodiscard]] virtual Task<bool> rename(std::string user, std::string id, std::string name) = 0;
  /// Whether or not it is his last: for whoever has another way to log in.
  [[nodiscard]] virtual Task<bool> erase(std::string user, std::string id) = 0;
  /// For who has none but passkeys, in one step, so that of two that are removed at once one stays.
  ///
  /// returns  false where it is not his, or is all he has
  [[nodiscard]] virtual Task<bool> erase_unless_last(std::string user, std::string id) = 0;
};

/// For tests and first steps: they end with the process.
[[nodiscard]] std::shared_ptr<PasskeyStore> memory_passkeys();

/// In the tables `eider_passkeys` and `eider_passkey_owners` of a database, which are made where
/// they are not there.
[[nodiscard]] std::shared_ptr<PasskeyStore> sql_passkeys(Database database);
/// PasskeyStore::insert of sql_passkeys within a transaction: with the account that it is of, so
/// that neither is ever there without the other.
///
/// in  a transaction of that database, which outlives the task
[[nodiscard]] Task<bool> insert_passkey(const db::Statements& in, Passkey passkey,
                                        std::size_t count_max);

}  // namespace eider
