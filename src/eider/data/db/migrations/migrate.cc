#include "eider/data/db/migrations/migrate.h"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include "eider/data/db/impatient.h"
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

/// Between two looks for a lock. A deployer that waits holds nothing meanwhile: an index that is
/// made concurrently waits for every open transaction.
constexpr Duration kLockPause = std::chrono::milliseconds(100);

/// Has the foreign keys of SQLite's connection that writes on again wherever its task ends, which
/// may be destroyed at each of its waits: without them all that is written later is not checked.
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
    try {  // behind what is under way, and nobody waits for it
      (void)pool_->submit(job_, db::Lane::writing);
    } catch (const std::exception&) {
      return;  // there is no memory to ask with
    }
  }
  void note_on() noexcept { job_.reset(); }

 private:
  std::shared_ptr<db::Pool> pool_;
  std::unique_ptr<db::Job> job_;
};

/// What one deployer at a time has, for one step.
class DeployLock {
 public:
  explicit DeployLock(Database database) : database_(std::move(database)) {}

  /// Begins what a step is done in: a transaction; on MariaDB, where statements end transactions by
  /// themselves, a session, which continues after that.
  Task<Transaction> begin() const {
    const auto use = is_of_session() ? db::TransactionState::Use::session
                                     : db::TransactionState::Use::transaction;
    db::Pending<db::detail::BeginJob> begun(
        db::Route(database_.pool(), nullptr), db::Lane::writing,
        std::make_unique<db::detail::BeginJob>(database_.pool(), use));
    co_return co_await begun;
  }

  /// Within that. Returns false while another deployer has it.
  Task<bool> take(const Transaction& transaction) const {
    if (is_of_session()) {
      // Its locks are those of the whole server, in which each database may have a deployer. After
      // a deployer has died, the server may need a moment to notice.
      const std::optional<int> is_taken = co_await transaction.one<int>(
          "select coalesce(get_lock(concat('eider_db_', left(sha2(database(), 256), 32)), 1), 0)");
      co_return is_taken.value_or(0) == 1;
    }
    if (database_.dialect() == Dialect::sqlite) {
      co_return true;  // the transaction is the lock: it was begun as the one that writes
    }
    // An index that is created concurrently would wait for a transaction with an older snapshot.
    co_await transaction.exec("set transaction isolation level read committed");
    const std::optional<bool> is_taken =
        co_await transaction.one<bool>("select pg_try_advisory_xact_lock($1)", kDeployLock);
    co_return is_taken.value_or(false);
  }

  /// Keeps the step's changes, and the lock of a session.
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
      co_return;  // it is over already
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

/// One call's way through the migrations. Lives in the frame of the call.
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

  /// A step, as soon as no other deployer is at one.
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

  /// Foreign keys can only be lifted outside of a transaction.
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

  /// What is not kept is taken back before this returns, so that the next one finds no lock.
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
    // Ahead of its first statement: half of one that is run beside would stay.
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

  /// Only a call that goes the same way: to run a broken-off way back again is no way up.
  [[nodiscard]] bool may_settle(const AppliedMigration& unfinished, Way way) const noexcept {
    return options_.unfinished != MigrateOptions::Unfinished::fail &&
           unfinished.is_going_down() == (way == Way::down);
  }

  /// As it is now, mended or not: that is what the next database will be given.
  Task<Step> take_as_done(const Transaction& transaction, const AppliedMigration& unfinished) {
    const Migration& migration = file_of(unfinished);
    if (unfinished.is_going_down()) {
      co_await table_->forget(transaction, migration.number);
    } else {
      co_await table_->note(transaction, migration, unfinished.begun, db::now_as_text());
    }
    co_await lock_.commit(transaction);
    co_return Step{unfinished.is_going_down() ? Outcome::done : Outcome::settled, &migration};
  }

  [[nodiscard]] const Migration* next(const History& history) const noexcept {
    const Migration* found = db::next_of(migrations_, history);
    return found == nullptr || found->number > options_.last ? nullptr : found;
  }

  /// The last that was applied. Only what is newer than the program is unknown here.
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
      co_await table_->make(transaction);  // which ends what was begun
      co_await transaction.exec("start transaction");
    }
    const std::vector<SqlPiece> pieces = db::split_sql(script.sql, database_.dialect());
    for (const SqlPiece& piece : pieces) {
      co_await run_piece(transaction, migration, piece, way);
    }
    if (is_on(Dialect::postgres)) {
      // By set_config('search_path', …), as pg_dump says it, it would outlast the transaction.
      co_await transaction.exec("reset search_path");
    } else if (is_on(Dialect::sqlite) && !script.holds_foreign_keys) {
      co_await check_keys(transaction, migration, way);
    }
    if (way == Way::up) {
      if (!is_on(Dialect::mariadb)) {
        co_await table_->make(transaction);
      }
      const std::string now = db::now_as_text();
      co_await table_->note(transaction, migration, now, now);
    } else {
      co_await table_->forget(transaction, migration.number);
    }
    co_await lock_.commit(transaction);
  }

  /// The row stands there ahead of it, so that what is broken off shows. PostgreSQL's lock is held
  /// meanwhile by the transaction, which does nothing else; SQLite's would be in its own way.
  /// MariaDB's is the session's own: one that is broken off loses both.
  Task<> run_beside(const Transaction& transaction, const Migration& migration,
                    const MigrationScript& script, Way way) {
    if (is_on(Dialect::postgres)) {
      co_await note_beside_lock(migration, way);
      // Ends the portal ahead of it, whose snapshot an index made concurrently would wait for.
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
      co_await table_->end(on, migration.number, db::now_as_text());
    } else {
      co_await table_->forget(on, migration.number);
    }
    if (is_on(Dialect::mariadb)) {
      co_await lock_.commit(transaction);  // what a migration has begun by `set autocommit = 0`
    }
  }

  /// Where what is not in a transaction runs.
  [[nodiscard]] const db::Statements& beside(const Transaction& transaction) const noexcept {
    return is_on(Dialect::mariadb) ? static_cast<const db::Statements&>(transaction) : database_;
  }

  Task<> note_begun(const db::Statements& on, const Migration& migration, Way way) const {
    if (way == Way::down) {
      co_await table_->end(on, migration.number, std::string(db::kGoingDown));
      co_return;
    }
    co_await table_->make(on);
    co_await table_->note(on, migration, db::now_as_text(), std::nullopt);
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
        co_await on.exec(sql);  // a script has a transaction of its own there
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

/// A line for each that will be refused.
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
