#include "eider/data/db/migrations/migrate.h"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include "eider/core/kinds/times.h"
#include "eider/data/db/migrations/history.h"
#include "eider/data/db/migrations/migration_faults.h"
#include "eider/data/db/migrations/sql_pieces.h"
#include "eider/io/runtime/sleep.h"

namespace eider {
namespace {

using db::AppliedMigration;
using db::Dialect;
using db::History;
using db::HistoryTable;
using db::MigrationFault;
using db::SqlPiece;
using db::Way;

/// Pause between two attempts to lock. A waiting process holds no transaction in the meantime,
/// because `create index concurrently` waits for all open transactions.
constexpr Duration kLockPause = std::chrono::milliseconds(100);

/// Enables the foreign keys of SQLite's writing connection again when its task ends, even if the
/// task is destroyed while it waits: otherwise later changes would not be checked.
class KeysOff {
 public:
  explicit KeysOff(const Database& database)
      : pool_(database.pool()),
        job_(std::make_unique<db::detail::ExecJob>(
            db::detail::make_statement(db::SqlText("pragma foreign_keys = on")))) {}
  KeysOff(const KeysOff&) = delete;
  KeysOff& operator=(const KeysOff&) = delete;
  ~KeysOff() {
    if (job_ == nullptr) {
      return;
    }
    try {  // after the running statements, without waiting for it
      (void)pool_->submit(job_, db::Lane::writing);
    } catch (const std::exception&) {
      return;  // out of memory
    }
  }
  void note_on() noexcept { job_.reset(); }

 private:
  std::shared_ptr<db::Pool> pool_;
  std::unique_ptr<db::Job> job_;
};

/// The lock that only one process has at a time, for one step.
class DeployLock {
 public:
  explicit DeployLock(Database database) : database_(std::move(database)) {}

  /// Begins a step: a transaction, or on MariaDB, where statements end transactions implicitly, a
  /// session, which continues after that.
  Task<Transaction> begin() const {
    const auto use = is_of_session() ? db::TransactionState::Use::session
                                     : db::TransactionState::Use::transaction;
    db::Pending<db::detail::BeginJob> begun(
        db::Route(database_.pool(), nullptr), db::Lane::writing,
        std::make_unique<db::detail::BeginJob>(database_.pool(), use));
    co_return co_await begun;
  }

  /// Tries to lock within that transaction or session. Returns false while another process has the
  /// lock.
  Task<bool> take(const Transaction& transaction) const {
    if (is_of_session()) {
      // Locks apply to the whole server, and each database needs its own. After a process has
      // crashed, the server may need a moment to notice.
      const std::optional<int> is_taken = co_await transaction.one<int>(
          "select coalesce(get_lock(concat('eider_db_', left(sha2(database(), 256), 32)), 1), 0)");
      co_return is_taken.value_or(0) == 1;
    }
    if (database_.dialect() == Dialect::sqlite) {
      co_return true;  // the transaction is the lock: it was started as a writing one
    }
    // An index that is created concurrently would wait for a transaction with an older snapshot.
    co_await transaction.exec("set transaction isolation level read committed");
    const std::optional<bool> is_taken =
        co_await transaction.one<bool>("select pg_try_advisory_xact_lock($1)", kDeployLock);
    co_return is_taken.value_or(false);
  }

  /// Commits the step's changes; keeps the lock of a session.
  Task<> commit(const Transaction& transaction) const {
    if (is_of_session()) {
      co_await transaction.exec("commit");
    } else {
      co_await transaction.commit();
    }
  }

  /// Rolls back what was not committed, and releases the lock before it returns.
  Task<> release(const Transaction& transaction) const {
    try {
      if (is_of_session()) {
        co_await transaction.exec("rollback");
        co_await transaction.exec(
            "do release_lock(concat('eider_db_', left(sha2(database(), 256), 32)))");
      }
      co_await transaction.roll_back();
    } catch (const db::Failure&) {
      co_return;  // it has already ended
    }
  }

 private:
  /// PostgreSQL's advisory lock: any number that no application uses.
  static constexpr std::int64_t kDeployLock = 0x6569'6465'725f'6462;

  [[nodiscard]] bool is_of_session() const noexcept {
    return database_.dialect() == Dialect::mariadb;
  }

  Database database_;
};

/// One run of the migrations. Lives in the coroutine frame of the call.
class Migrator {
 public:
  Migrator(Database database, Migrations migrations, MigrateOptions options)
      : database_(std::move(database)),
        lock_(database_),
        migrations_(std::move(migrations)),
        options_(std::move(options)) {}

  Task<std::size_t> up() {
    std::size_t count = 0;
    table_ = co_await HistoryTable::find(database_);
    while (true) {
      const Migration* applied = co_await once(Way::up);
      if (applied == nullptr) {
        co_return count;
      }
      ++count;
      tell(applied->name);
    }
  }

  Task<std::optional<std::string>> down() {
    table_ = co_await HistoryTable::find(database_);
    const Migration* reverted = co_await once(Way::down);
    if (reverted == nullptr) {
      co_return std::nullopt;
    }
    tell(reverted->name);
    co_return reverted->name;
  }

 private:
  enum class Outcome : std::uint8_t { done, settled, waits, to_lift_keys };

  struct Step {
    Outcome outcome;
    const Migration* migration = nullptr;  // null: there was nothing to do
    std::string waits_for{};
  };

  void tell(std::string_view name) const {
    if (options_.on_step) {
      options_.on_step(name);
    }
  }

  /// Runs a step as soon as no other process runs one.
  Task<const Migration*> once(Way way) {
    const Instant until = Loop::current().now() + options_.wait_max;
    while (true) {
      Step step = co_await try_once(way);
      if (step.outcome == Outcome::to_lift_keys) {
        step = co_await without_keys(way);
      }
      if (step.outcome == Outcome::done) {
        co_return step.migration;
      }
      if (step.outcome == Outcome::settled) {
        continue;
      }
      if (Loop::current().now() >= until) {
        throw MigrationFault(std::move(step.waits_for));
      }
      co_await sleep_for(kLockPause);
    }
  }

  /// Foreign keys can only be disabled outside of a transaction.
  Task<Step> without_keys(Way way) {
    KeysOff off(database_);
    co_await database_.exec("pragma foreign_keys = off");
    are_keys_lifted_ = true;
    std::exception_ptr failure;
    Step step{Outcome::waits};
    try {
      step = co_await try_once(way);
    } catch (...) {
      failure = std::current_exception();
    }
    are_keys_lifted_ = false;
    co_await database_.exec("pragma foreign_keys = on");
    off.note_on();
    if (failure) {
      std::rethrow_exception(failure);
    }
    co_return step;
  }

  Task<Step> try_once(Way way) {
    try {
      co_return co_await locked_step(way);
    } catch (const db::Failure& caught) {
      if (caught.kind() != db::FailureKind::busy) {
        throw;
      }
    }
    co_return Step{Outcome::waits, nullptr, db::locked_text()};
  }

  /// Changes that are not committed are rolled back before this returns, so that the next step can
  /// lock.
  Task<Step> locked_step(Way way) {
    const Transaction transaction = co_await lock_.begin();
    std::exception_ptr failure;
    Step step{Outcome::waits};
    try {
      step = co_await step_in(transaction, way);
    } catch (...) {
      failure = std::current_exception();
    }
    co_await lock_.release(transaction);
    if (failure) {
      std::rethrow_exception(failure);
    }
    co_return step;
  }

  Task<Step> step_in(const Transaction& transaction, Way way) {
    if (!co_await lock_.take(transaction)) {
      co_return Step{Outcome::waits, nullptr, db::locked_text()};
    }
    const History history = co_await table_->read(transaction, migrations_);
    const AppliedMigration* unfinished = db::unfinished_in(history);
    if (unfinished != nullptr && !may_settle(*unfinished, way)) {
      co_return Step{Outcome::waits, nullptr, db::unfinished_text(*unfinished)};
    }
    std::string faults = db::faults_of_history(history, migrations_, options_.accepts_newer);
    if (!faults.empty()) {
      throw MigrationFault(std::move(faults));
    }
    if (unfinished != nullptr && options_.unfinished == MigrateOptions::Unfinished::mark_done) {
      co_return co_await take_as_done(transaction, *unfinished);
    }
    const Migration* migration = unfinished != nullptr ? &file_of(*unfinished)
                                 : way == Way::up      ? next(history)
                                                       : last(history);
    if (migration == nullptr) {
      co_return Step{Outcome::done};
    }
    co_return co_await run_script(transaction, *migration, way);
  }

  Task<Step> run_script(const Transaction& transaction, const Migration& migration, Way way) {
    const MigrationScript& script = way == Way::up ? migration.up : down_of(migration);
    // Checked before the first statement: outside of a transaction, half a script would stay.
    if (const auto refused = db::refused_in(script, database_.dialect())) {
      throw MigrationFault(db::text_of(db::file_name(migration, way), *refused));
    }
    if (!script.holds_foreign_keys && !are_keys_lifted_ && is_on(Dialect::sqlite)) {
      co_return Step{Outcome::to_lift_keys};
    }
    if (db::stays_in_transaction(script, database_.dialect())) {
      co_await run_in(transaction, migration, script, way);
    } else {
      co_await run_beside(transaction, migration, script, way);
    }
    co_return Step{Outcome::done, &migration};
  }

  /// Only a call in the same direction: an interrupted `down` must not be finished by `up`.
  [[nodiscard]] bool may_settle(const AppliedMigration& unfinished, Way way) const noexcept {
    return options_.unfinished != MigrateOptions::Unfinished::fail &&
           unfinished.is_going_down() == (way == Way::down);
  }

  /// Records the current file, fixed or not, because the next database will get the same one.
  Task<Step> take_as_done(const Transaction& transaction, const AppliedMigration& unfinished) {
    const Migration& migration = file_of(unfinished);
    if (unfinished.is_going_down()) {
      co_await table_->forget(transaction, migration.number);
    } else {
      co_await table_->note(transaction, migration, unfinished.begun, now_text());
    }
    co_await lock_.commit(transaction);
    co_return Step{unfinished.is_going_down() ? Outcome::done : Outcome::settled, &migration};
  }

  [[nodiscard]] const Migration* next(const History& history) const noexcept {
    const Migration* found = db::next_of(migrations_, history);
    return found == nullptr || found->number > options_.last ? nullptr : found;
  }

  /// Returns the last applied migration. Only migrations newer than the application are unknown
  /// here.
  [[nodiscard]] const Migration* last(const History& history) const {
    if (history.empty()) {
      return nullptr;
    }
    return &file_of(history.back());
  }

  [[nodiscard]] const Migration& file_of(const AppliedMigration& applied) const {
    const Migration* found = db::find(migrations_, applied.number);
    if (found == nullptr) {
      throw MigrationFault(
          db::fault_text(applied.name, "missing",
                         "the migration was the last to be applied, but the file does not exist"));
    }
    return *found;
  }

  static const MigrationScript& down_of(const Migration& migration) {
    if (!migration.down) {
      throw MigrationFault(
          db::fault_text(migration.name, "no_down",
                         "there is no script that undoes this migration: write " + migration.name +
                             ".down.sql, or a new migration that undoes the change"));
    }
    return *migration.down;
  }

  Task<> run_in(const Transaction& transaction, const Migration& migration,
                const MigrationScript& script, Way way) {
    if (is_on(Dialect::mariadb)) {
      co_await table_->make(transaction);  // ends the current transaction
      co_await transaction.exec("start transaction");
    }
    const std::vector<SqlPiece> pieces = db::split_sql(script.sql, database_.dialect());
    for (const SqlPiece& piece : pieces) {
      co_await run_piece(transaction, migration, piece, way);
    }
    if (is_on(Dialect::postgres)) {
      // A set_config('search_path', …), as in files of pg_dump, would outlast the transaction.
      co_await transaction.exec("reset search_path");
    } else if (is_on(Dialect::sqlite) && !script.holds_foreign_keys) {
      co_await check_keys(transaction, migration, way);
    }
    if (way == Way::up) {
      if (!is_on(Dialect::mariadb)) {
        co_await table_->make(transaction);
      }
      const std::string now = now_text();
      co_await table_->note(transaction, migration, now, now);
    } else {
      co_await table_->forget(transaction, migration.number);
    }
    co_await lock_.commit(transaction);
  }

  /// The row is inserted before, so that an interrupted migration can be detected. In the meantime,
  /// PostgreSQL's lock is held by the transaction, which is otherwise idle; SQLite's would block
  /// the migration itself. MariaDB's belongs to the session, so both end if it is lost.
  Task<> run_beside(const Transaction& transaction, const Migration& migration,
                    const MigrationScript& script, Way way) {
    if (is_on(Dialect::postgres)) {
      co_await note_beside_lock(migration, way);
      // Closes the previous portal; a concurrent index build would wait for its snapshot.
      co_await transaction.script("select 1");
    } else {
      co_await note_begun(transaction, migration, way);
      co_await lock_.commit(transaction);
    }
    const db::Statements& on = beside(transaction);
    const std::vector<SqlPiece> pieces = db::split_sql(script.sql, database_.dialect());
    for (const SqlPiece& piece : pieces) {
      co_await run_piece(on, migration, piece, way, db::remaining_text(way));
    }
    if (way == Way::up) {
      co_await table_->end(on, migration.number, now_text());
    } else {
      co_await table_->forget(on, migration.number);
    }
    if (is_on(Dialect::mariadb)) {
      // A transaction that the migration has started with `set autocommit = 0`.
      co_await lock_.commit(transaction);
    }
  }

  /// Returns where to run statements outside of a transaction.
  [[nodiscard]] const db::Statements& beside(const Transaction& transaction) const noexcept {
    return is_on(Dialect::mariadb) ? static_cast<const db::Statements&>(transaction) : database_;
  }

  Task<> note_begun(const db::Statements& on, const Migration& migration, Way way) const {
    if (way == Way::down) {
      co_await table_->end(on, migration.number, std::string(db::kGoingDown));
      co_return;
    }
    co_await table_->make(on);
    co_await table_->note(on, migration, now_text(), std::nullopt);
  }

  Task<> note_beside_lock(const Migration& migration, Way way) const {
    try {
      co_await note_begun(database_, migration, way);
      co_return;
    } catch (const db::Failure& failure) {
      if (failure.kind() != db::FailureKind::busy) {
        throw;
      }
    }
    throw MigrationFault(
        db::fault_text_at(migration, way, 1, "connections",
                          "the migration runs outside of a transaction, and the only connection "
                          "holds the lock: set connections_max to at least 2"));
  }

  Task<> run_piece(const db::Statements& on, const Migration& migration, const SqlPiece& piece,
                   Way way, const std::string& what_stands = {}) {
    std::string cause;
    std::size_t line = piece.line;
    try {
      const db::RuntimeSql sql{std::string(piece.text)};
      const bool is_alone = &on == &database_ && is_on(Dialect::sqlite);
      if (is_alone) {
        co_await on.exec(sql);  // there, a script has its own transaction
      } else {
        co_await on.script(sql);
      }
    } catch (const db::Failure& failure) {
      cause = db::cause_of(failure);
      line += static_cast<std::size_t>(std::max<std::int64_t>(failure.by().line, 1)) - 1;
    }
    if (!cause.empty()) {
      throw MigrationFault(db::fault_text_at(migration, way, line, "failed", cause + what_stands));
    }
  }

  Task<> check_keys(const Transaction& transaction, const Migration& migration, Way way) {
    const auto broken = co_await transaction.all<db::Row>("pragma foreign_key_check");
    if (!broken.empty()) {
      throw MigrationFault(db::fault_text_at(
          migration, way, 1, "foreign_keys",
          std::to_string(broken.size()) + " rows have invalid foreign keys after this migration: "
                                          "all changes were rolled back"));
    }
  }

  [[nodiscard]] bool is_on(Dialect dialect) const noexcept {
    return database_.dialect() == dialect;
  }

  Database database_;
  DeployLock lock_;
  const Migrations migrations_;
  const MigrateOptions options_;
  std::optional<HistoryTable> table_{};
  bool are_keys_lifted_ = false;
};

MigrationState state_of(const AppliedMigration& applied) {
  return {.name = applied.name, .applied = applied.begun, .is_unfinished = applied.is_unfinished()};
}

/// Returns a line for each pending migration that will be rejected.
std::string faults_of_waiting(const History& history, const Migrations& migrations,
                              Dialect dialect) {
  std::string faults;
  for (const Migration& migration : migrations) {
    const auto refused = db::refused_in(migration.up, dialect);
    if (refused &&
        std::ranges::find(history, migration.number, &AppliedMigration::number) == history.end()) {
      faults += (faults.empty() ? "" : "\n") + db::text_of(migration.name + ".sql", *refused);
    }
  }
  return faults;
}

}  // namespace

Task<Result<std::size_t, std::string>> migrate(Database database, Migrations migrations,
                                               MigrateOptions options) {
  const db::Impatient impatient(database.pool());
  Migrator migrator(std::move(database), std::move(migrations), std::move(options));
  try {
    co_return co_await migrator.up();
  } catch (const MigrationFault& fault) {
    co_return fail(std::string(fault.what()));
  } catch (const db::Failure& failure) {
    co_return fail(db::unusable_text(failure));
  }
}

Task<Result<std::optional<std::string>, std::string>> migrate_down(Database database,
                                                                   Migrations migrations,
                                                                   MigrateOptions options) {
  const db::Impatient impatient(database.pool());
  Migrator migrator(std::move(database), std::move(migrations), std::move(options));
  try {
    co_return co_await migrator.down();
  } catch (const MigrationFault& fault) {
    co_return fail(std::string(fault.what()));
  } catch (const db::Failure& failure) {
    co_return fail(db::unusable_text(failure));
  }
}

bool MigrationStatus::is_current() const noexcept {
  return errors.empty() && std::ranges::all_of(all, [](const MigrationState& state) {
           return state.applied.has_value() && !state.is_unfinished;
         });
}

Task<MigrationStatus> migration_status(Database database, Migrations migrations,
                                       MigrateOptions options) {
  History history;
  MigrationStatus status;
  try {
    const HistoryTable table = co_await HistoryTable::find(database);
    history = co_await table.read(database, migrations);
  } catch (const MigrationFault& fault) {
    status.errors = fault.what();
    co_return status;
  }
  std::map<std::int64_t, MigrationState> states;
  for (const Migration& migration : migrations) {
    states.emplace(migration.number, MigrationState{.name = migration.name, .applied = {}});
  }
  for (const AppliedMigration& applied : history) {
    states.insert_or_assign(applied.number, state_of(applied));
  }
  for (auto& [number, state] : states) {
    status.all.push_back(std::move(state));
  }
  status.errors = db::faults_of_history(history, migrations, options.accepts_newer);
  const std::string waiting = faults_of_waiting(history, migrations, database.dialect());
  status.errors += status.errors.empty() || waiting.empty() ? waiting : "\n" + waiting;
  co_return status;
}

}  // namespace eider
