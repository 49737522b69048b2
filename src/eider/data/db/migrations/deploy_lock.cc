#include "eider/data/db/migrations/deploy_lock.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace eider::db {
namespace {

/// PostgreSQL's advisory lock: any number that nobody else uses.
constexpr std::int64_t kDeployLock = 0x6569'6465'725f'6462;

}  // namespace

Task<Transaction> DeployLock::begin() const {
  const auto use =
      is_of_session() ? TransactionState::Use::session : TransactionState::Use::transaction;
  Pending<detail::BeginJob> begun(Route(database_.pool(), nullptr), Lane::writing,
                                  std::make_unique<detail::BeginJob>(database_.pool(), use));
  co_return co_await begun;
}

Task<bool> DeployLock::take(const Transaction& transaction) const {
  if (is_of_session()) {
    // Its locks are the whole server's, in which another database may have another deployer. Where
    // one has died, the server may need a moment to see it.
    const std::optional<int> is_taken = co_await transaction.one<int>(
        "select coalesce(get_lock(concat('eider_db_', left(sha2(database(), 256), 32)), 1), 0)");
    co_return is_taken.value_or(0) == 1;
  }
  if (database_.dialect() == Dialect::sqlite) {
    co_return true;  // the transaction is the lock: it was begun as the one that writes
  }
  // One that reads by an older snapshot would be waited for by indexes made concurrently.
  co_await transaction.exec("set transaction isolation level read committed");
  const std::optional<bool> is_taken =
      co_await transaction.one<bool>("select pg_try_advisory_xact_lock($1)", kDeployLock);
  co_return is_taken.value_or(false);
}

Task<> DeployLock::commit(const Transaction& transaction) const {
  if (is_of_session()) {
    co_await transaction.exec("commit");
  } else {
    co_await transaction.commit();
  }
}

Task<> DeployLock::release(const Transaction& transaction) const {
  try {
    if (is_of_session()) {
      co_await transaction.exec("rollback");
      co_await transaction.exec(
          "do release_lock(concat('eider_db_', left(sha2(database(), 256), 32)))");
    }
    co_await transaction.roll_back();
  } catch (const Failure&) {
    co_return;  // it is over already
  }
}

}  // namespace eider::db
