// What one deployer has at a time, for a step of its way.
// Must not know what is done under it.
#pragma once

#include "eider/data/db/database.h"
#include "eider/io/runtime/task.h"

namespace eider::db {

class DeployLock {
 public:
  explicit DeployLock(Database database) : database_(std::move(database)) {}

  /// What a step is done in: a transaction; of MariaDB, where statements end transactions by
  /// themselves, a session, which goes on behind that.
  [[nodiscard]] Task<Transaction> begin() const;
  /// Within that. Returns false while another deployer has it.
  [[nodiscard]] Task<bool> take(const Transaction& transaction) const;
  /// Keeps what was done, and the lock of a session.
  [[nodiscard]] Task<> commit(const Transaction& transaction) const;
  /// Takes back what was not kept, and lets go of the lock before it returns.
  [[nodiscard]] Task<> release(const Transaction& transaction) const;

 private:
  [[nodiscard]] bool is_of_session() const noexcept {
    return database_.dialect() == Dialect::mariadb;
  }

  Database database_;
};

}  // namespace eider::db
