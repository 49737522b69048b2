#include "eider/data/db/sqlite/sqlite_connection.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "eider/core/base/reached.h"
#include "eider/core/kinds/decimal.h"
#include "eider/core/kinds/times.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/sqlite/open_cursor.h"
#include "eider/data/db/sqlite/sqlite_error.h"

namespace eider::db {
namespace {

/// Directory for SQLite's temporary files, such as those of large sorts: the first writable
/// directory in SQLite's list.
std::string temporary_directory() {
  const std::array<const char*, 6> places = {
      std::getenv("SQLITE_TMPDIR"), std::getenv("TMPDIR"), "/var/tmp", "/usr/tmp", "/tmp", "."};
  for (const char* place : places) {
    std::error_code failed;
    if (place != nullptr && std::filesystem::is_directory(place, failed) &&
        ::access(place, W_OK | X_OK) == 0) {
      return place;
    }
  }
  return {};
}

/// SQLite creates and deletes the log, index and journal next to the file.
void allow_files(sqlite3* handle, const SqliteOptions& options) {
  const char* const file = sqlite3_db_filename(handle, "main");
  if (file == nullptr || *file == '\0') {
    return;  // in memory
  }
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
    const std::string path = std::string(file) + ending;
    options.is_read_only ? eider::detail::base::allow_in_sandbox(path)
                         : eider::detail::base::will_write(path);
  }
  eider::detail::base::will_write(temporary_directory());
}

[[noreturn]] void throw_open(const std::string& path, const std::string& cause, const char* mend) {
  throw Failure(FailureKind::open, "cannot open the database " + path + ": " + cause + ". " + mend);
}

const char* mend_of(int code) noexcept {
  switch (code & 0xFF) {
    case SQLITE_CANTOPEN:
      return "Create its directory, writable for this user, or use another path.";
    case SQLITE_NOTADB:
      return "The file is not an SQLite database: move it away, or use another path.";
    case SQLITE_CORRUPT:
      return "The file is damaged: restore a backup.";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "Make the file and its directory writable for this user.";
    case SQLITE_BUSY:
      return "Another process has locked the file: stop that process first.";
    case SQLITE_FULL:
      return "The disk is full: free some space.";
    default:
      return "Check the path and its permissions.";
  }
}

/// Texts without a value come after all others.
template <class T>
int compare_values(const std::optional<T>& one, const std::optional<T>& other,
                   std::string_view left, std::string_view right) noexcept {
  if (one && other) {
    return *one < *other ? -1 : static_cast<int>(*other < *one);
  }
  return one || other ? (one ? -1 : 1) : left.compare(right);
}

int compare_decimals(std::string_view left, std::string_view right) noexcept {
  return compare_values(Decimal::parse(left), Decimal::parse(right), left, right);
}

int compare_durations(std::string_view left, std::string_view right) noexcept {
  const auto parse = [](std::string_view text) {
    const auto length = eider::detail::kinds::parse_length(text);
    return length ? std::optional(std::pair(length->seconds, length->nanoseconds)) : std::nullopt;
  };
  return compare_values(parse(left), parse(right), left, right);
}

/// Compares two texts that SQLite passes to a collation.
template <int (*kCompare)(std::string_view, std::string_view) noexcept>
int collate(void* /*unused*/, int left_bytes, const void* left, int right_bytes,
            const void* right) noexcept {
  return kCompare({static_cast<const char*>(left), static_cast<std::size_t>(left_bytes)},
                  {static_cast<const char*>(right), static_cast<std::size_t>(right_bytes)});
}

constexpr std::size_t kStatementsMax = 128;
/// Steps of SQLite's virtual machine between two checks of the limit: some tens of microseconds.
constexpr int kStepsPerLook = 1000;
/// Number of pages in the log that starts a checkpoint, as far as current reads allow it.
constexpr int kLogPagesPerCopy = 1000;
/// Marker for a statement without inserted rows, because 0 and -1 are valid row IDs.
constexpr std::int64_t kNothingInserted = std::numeric_limits<std::int64_t>::min();

}  // namespace

void CloseSqlite::operator()(sqlite3* handle) const noexcept {
  sqlite3_close(handle);
}

SqliteHandle open_file(const std::string& path, const SqliteOptions& options) {
  // SQLite would create a file that everyone can read, and gives its log and index the same
  // permissions. open() is not used, because closing its descriptor would drop the locks of other
  // connections of the process. "file:" begins a URI in SQLite versions that support it.
  if (path != kInMemory && !path.starts_with("file:") && !options.is_read_only) {
    // An existing file is not changed; SQLite reports errors.
    ::mknod(path.c_str(), S_IFREG | options.file_mode, 0);
  }
  sqlite3* made = nullptr;
  const int way =
      options.is_read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(path.c_str(), &made,
                                   way | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  SqliteHandle handle(made);
  if (made == nullptr) {
    throw_open(path, "out of memory", "Free some memory.");
  }
  if (code != SQLITE_OK) {
    const int error = sqlite3_system_errno(made);
    throw_open(path, error != 0 ? std::strerror(error) : sqlite3_errmsg(made), mend_of(code));
  }
  allow_files(made, options);
  return handle;
}

void throw_cannot_open(const std::string& path, sqlite3* handle) {
  throw_open(path, sqlite3_errmsg(handle), mend_of(sqlite3_extended_errcode(handle)));
}

/// One execution of a prepared statement; resets it for the next one.
class SqliteConnection::Run {
 public:
  Run(SqliteConnection& connection, const PreparedStatement& prepared, const Limit& limit) noexcept
      : connection_(connection), prepared_(prepared), statement_(prepared.get()) {
    connection.limit_ = &limit;
    connection.only_reads_ = prepared.only_reads();
    // The marker shows whether this statement inserts: its row may have the same ID as the previous
    // one.
    connection.inserted_before_ = sqlite3_last_insert_rowid(connection.handle_.get());
    sqlite3_set_last_insert_rowid(connection.handle_.get(), kNothingInserted);
  }
  ~Run() {
    connection_.limit_ = nullptr;
    if (inserted() == kNothingInserted) {
      sqlite3_set_last_insert_rowid(connection_.handle_.get(), connection_.inserted_before_);
    }
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Changed step_all(RowSink* rows) {
    sqlite3* handle = connection_.handle_.get();
    const std::int64_t before = sqlite3_total_changes64(handle);
    int code = rows == nullptr ? sqlite3_step(statement_) : begin_rows(*rows);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement_)) {
      if (rows != nullptr) {
        or_take_back([&] { db::add_row(statement_, connection_.cells_, *rows); });
      }
    }
    if (code != SQLITE_DONE) {
      throw_sqlite(statement_, prepared_.sql());
    }
    const bool has_changed = sqlite3_total_changes64(handle) != before;
    return {has_changed ? sqlite3_changes64(handle) : 0,
            inserted() == kNothingInserted ? 0 : inserted()};
  }

 private:
  [[nodiscard]] std::int64_t inserted() const noexcept {
    return sqlite3_last_insert_rowid(connection_.handle_.get());
  }

  /// The first step determines the columns: if the schema has changed, it prepares the statement
  /// again. But a statement that writes is not started if its columns will be rejected.
  int begin_rows(RowSink& rows) {
    const auto begin = [&] {
      db::begin_rows(statement_, connection_.shape_, connection_.cells_, rows);
    };
    if (!prepared_.only_reads()) {
      begin();
    }
    const int reprepared = times_reprepared(statement_);
    const int code = sqlite3_step(statement_);
    if (prepared_.only_reads() ? code == SQLITE_ROW || code == SQLITE_DONE
                               : code == SQLITE_ROW && times_reprepared(statement_) != reprepared) {
      or_take_back(begin);
    }
    return code;
  }

  /// Undoes the statement if `use` rejects a row.
  template <class Use>
  void or_take_back(Use use) {
    try {
      use();
    } catch (...) {
      take_back();
      throw;
    }
  }

  /// A statement makes all its changes before its first row, and a reset would keep them.
  void take_back() {
    if (prepared_.only_reads()) {
      return;
    }
    if (connection_.has_savepoint_) {
      sqlite3_reset(statement_);
      connection_.execute("rollback to eider_rows");
    } else {
      sqlite3_interrupt(connection_.handle_.get());
      sqlite3_step(statement_);
    }
  }

  SqliteConnection& connection_;
  const PreparedStatement& prepared_;
  sqlite3_stmt* statement_;
};

SqliteConnection::SqliteConnection(const std::string& path, Role role, const SqliteOptions& options)
    : role_(role), handle_(open_file(path, options)), cache_(kStatementsMax) {
  try {
    set_up(options);
  } catch (const Failure&) {
    throw_cannot_open(path, handle_.get());
  }
  if (role_ == Role::writes && !options.schema.empty() && !options.is_read_only) {
    set_up_schema(path, options.schema);
  }
}

SqliteConnection::~SqliteConnection() {
  close_cursors();
  cache_.clear();  // a handle with open statements cannot be closed
}

void SqliteConnection::set_up(const SqliteOptions& options) {
  const auto busy_ms = std::chrono::duration_cast<std::chrono::milliseconds>(options.busy_time_max);
  sqlite3_busy_timeout(handle_.get(), static_cast<int>(busy_ms.count()));
  sqlite3_progress_handler(handle_.get(), kStepsPerLook, &SqliteConnection::ask_limit, this);
  if (!options.is_read_only) {
    begin_log(options.busy_time_max);
  }
  execute("pragma foreign_keys = on");
  execute("pragma trusted_schema = off");
  add_last_insert_rowid();
  add_collations();
  if (role_ == Role::reads) {
    execute("pragma query_only = on");
    keep_query_only();
    return;
  }
  if (options.is_read_only) {
    // Reads the file, so that an invalid file is reported now, with its name.
    execute("pragma schema_version");
    return;
  }
  execute(options.durability == SqliteOptions::Durability::power ? "pragma synchronous = full"
                                                                 : "pragma synchronous = normal");
  watch_log(options);
  prove_writable();
  sqlite3_busy_timeout(handle_.get(), static_cast<int>(busy_ms.count()));
}

/// If several connections switch a new file to write-ahead mode, SQLite rejects all but one
/// immediately, without its busy timeout.
void SqliteConnection::begin_log(Duration busy_time_max) {
  constexpr Duration kPause = std::chrono::milliseconds(5);
  const Instant end = std::chrono::steady_clock::now() + busy_time_max;
  for (bool has_begun = false; !has_begun;) {
    try {
      execute("pragma journal_mode = wal");
      has_begun = true;
    } catch (const Failure& failure) {
      if (failure.kind() != FailureKind::busy || std::chrono::steady_clock::now() >= end) {
        throw;
      }
      std::this_thread::sleep_for(kPause);
    }
  }
}

/// Reports at startup, instead of at the first request, that the file is not writable. If another
/// connection writes at the moment, this is not an error, and does not wait: later writes will
/// wait.
void SqliteConnection::prove_writable() {
  sqlite3_busy_timeout(handle_.get(), 0);
  try {
    execute("begin immediate");
    execute("rollback");
  } catch (const Failure& failure) {
    if (failure.kind() != FailureKind::busy) {
      throw;
    }
  }
}

void SqliteConnection::set_up_schema(const std::string& path, const std::string& schema) {
  try {
    script(schema);
  } catch (const Failure& failure) {
    throw Failure(FailureKind::open,
                  "cannot set up the schema of the database " + path + ": " + failure.what());
  }
}

void SqliteConnection::execute(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw_sqlite(handle_.get(), sql);
  }
}

/// Replaces SQLite's own hook, which starts checkpoints and does not report the size of the log.
void SqliteConnection::watch_log(const SqliteOptions& options) {
  on_large_log_ = options.on_large_log;
  large_log_bytes_ = options.large_log_bytes;
  told_from_bytes_ = large_log_bytes_;
  execute(("pragma journal_size_limit = " + std::to_string(large_log_bytes_)).c_str());
  sqlite3_stmt* statement = cache_.get(handle_.get(), "pragma page_size").get();
  page_bytes_ = sqlite3_step(statement) == SQLITE_ROW
                    ? static_cast<std::uint64_t>(sqlite3_column_int64(statement, 0))
                    : 0;
  sqlite3_reset(statement);
  const auto hook = [](void* self, sqlite3* handle, const char* name, int pages_count) {
    if (pages_count >= kLogPagesPerCopy) {
      sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    }
    static_cast<SqliteConnection*>(self)->on_log(static_cast<std::uint64_t>(pages_count));
    return SQLITE_OK;
  };
  sqlite3_wal_hook(handle_.get(), hook, this);
}

/// Called after each commit.
void SqliteConnection::on_log(std::uint64_t pages_count) {
  const std::uint64_t bytes = pages_count * page_bytes_;
  if (bytes < large_log_bytes_) {
    told_from_bytes_ = large_log_bytes_;
  } else if (bytes >= told_from_bytes_) {
    told_from_bytes_ = 2 * bytes;
    if (on_large_log_) {
      on_large_log_(bytes);
    }
  }
}

/// Implements last_insert_rowid() of SQL, which ignores the marker of the running statement.
void SqliteConnection::add_last_insert_rowid() {
  const auto answer = [](sqlite3_context* context, int, sqlite3_value**) {
    const auto& self = *static_cast<const SqliteConnection*>(sqlite3_user_data(context));
    const std::int64_t inserted = sqlite3_last_insert_rowid(self.handle_.get());
    sqlite3_result_int64(context, inserted == kNothingInserted ? self.inserted_before_ : inserted);
  };
  const int code = sqlite3_create_function_v2(handle_.get(), "last_insert_rowid", 0,
                                              SQLITE_UTF8 | SQLITE_INNOCUOUS, this, answer, nullptr,
                                              nullptr, nullptr);
  if (code != SQLITE_OK) {
    throw_sqlite(handle_.get(), "last_insert_rowid()");
  }
}

/// Decimals and durations are stored as texts, and compared by their values with these collations.
void SqliteConnection::add_collations() {
  const auto add = [this](const char* name, auto compare) {
    if (sqlite3_create_collation_v2(handle_.get(), name, SQLITE_UTF8, nullptr, compare, nullptr) !=
        SQLITE_OK) {
      throw_sqlite(handle_.get(), name);
    }
  };
  add("eider_decimal", &collate<&compare_decimals>);
  add("eider_duration", &collate<&compare_durations>);
}

/// SQLite treats the pragma as read-only, so a reader could run it.
void SqliteConnection::keep_query_only() {
  const auto allow = [](void*, int action, const char* name, const char* value, const char*,
                        const char*) {
    const bool is_it =
        action == SQLITE_PRAGMA && value != nullptr && sqlite3_stricmp(name, "query_only") == 0;
    return is_it ? SQLITE_DENY : SQLITE_OK;
  };
  sqlite3_set_authorizer(handle_.get(), allow, nullptr);
}

// Abandoned statements are only interrupted if they are read-only.
int SqliteConnection::ask_limit(void* connection) noexcept {
  const auto& self = *static_cast<const SqliteConnection*>(connection);
  if (self.limit_ == nullptr) {
    return 0;
  }
  return (self.only_reads_ && self.limit_->is_abandoned()) || self.limit_->is_late() ? 1 : 0;
}

bool SqliteConnection::is_in_transaction() const noexcept {
  return sqlite3_get_autocommit(handle_.get()) == 0;
}

/// An interrupted statement, or `or rollback`, ends a transaction: later statements would be
/// committed separately.
void SqliteConnection::check_transaction() const {
  if (is_begun_ && !is_in_transaction()) {
    throw Failure(
        FailureKind::statement,
        "an earlier failure rolled back the transaction: no more statements can run in it");
  }
}

std::optional<Changed> SqliteConnection::run(std::string_view sql, std::span<const Value> values,
                                             RowSink* rows, const Limit& limit) {
  const PreparedStatement& prepared = cache_.get(handle_.get(), sql);
  if (role_ == Role::reads && !prepared.only_reads()) {
    return std::nullopt;
  }
  check_transaction();
  const bool was_in_transaction = is_in_transaction();
  const bool gets_savepoint = rows != nullptr && needs_savepoint(prepared);
  const Changed changed = gets_savepoint ? run_in_savepoint(sql, values, rows, limit)
                                         : run_prepared(prepared, values, rows, limit);
  if (is_in_transaction() != was_in_transaction) {
    roll_back();
    throw Failure(FailureKind::statement,
                  "use transaction() to start and end transactions, not: " + std::string(sql));
  }
  return changed;
}

Changed SqliteConnection::run_prepared(const PreparedStatement& prepared,
                                       std::span<const Value> values, RowSink* rows,
                                       const Limit& limit) {
  Run run(*this, prepared, limit);
  bind_all(prepared, values);
  return run.step_all(rows);
}

/// If a row is rejected, the rest of the transaction must be kept, and open streams must continue.
/// Interrupting the statement instead would also end the streams, and all statements until they
/// end.
bool SqliteConnection::needs_savepoint(const PreparedStatement& prepared) const noexcept {
  const bool has_neighbours = is_in_transaction() ? !is_shared_ : !cursors_.empty();
  return has_neighbours && !prepared.only_reads() && sqlite3_column_count(prepared.get()) > 0;
}

Changed SqliteConnection::run_in_savepoint(std::string_view sql, std::span<const Value> values,
                                           RowSink* rows, const Limit& limit) {
  const bool is_outermost = !is_in_transaction();
  const auto release = [this] {
    has_savepoint_ = false;
    if (is_in_transaction()) {
      say("release eider_rows");
    }
  };
  say("savepoint eider_rows");
  has_savepoint_ = true;
  try {
    const Changed changed = run_prepared(cache_.get(handle_.get(), sql), values, rows, limit);
    release();
    return changed;
  } catch (...) {
    if (is_outermost) {  // its commit may have failed
      has_savepoint_ = false;
      roll_back();
    } else {
      release();
    }
    throw;
  }
}

void SqliteConnection::take_piece(Cursor& cursor, std::string_view sql,
                                  std::span<const Value> values, RowSink& rows,
                                  const Limit& limit) {
  check_transaction();
  if (!sql.empty()) {
    cursors_[cursor.number] = std::make_unique<OpenCursor>(handle_.get(), sql, values, is_begun_);
  }
  const auto found = cursors_.find(cursor.number);
  if (found == cursors_.end()) {
    throw Failure(FailureKind::statement, "the transaction of the row stream has ended");
  }
  limit_ = &limit;
  only_reads_ = true;
  try {
    cursor.is_over = found->second->take(rows);
  } catch (...) {
    limit_ = nullptr;
    cursors_.erase(found);
    throw;
  }
  limit_ = nullptr;
  if (cursor.is_over) {
    cursors_.erase(found);
  }
}

void SqliteConnection::close_cursor(std::uint64_t number) noexcept {
  cursors_.erase(number);
}

void SqliteConnection::close_cursors() noexcept {
  cursors_.clear();
}

void SqliteConnection::close_cursors_of_transaction() noexcept {
  std::erase_if(cursors_, [](const auto& one) { return one.second->is_of_transaction(); });
}

void SqliteConnection::script(std::string_view sql) {
  check_transaction();
  const std::string text(sql);
  if (is_in_transaction()) {
    run_all(text);
    return;
  }
  begin();
  try {
    run_all(text);
    commit();
  } catch (...) {
    roll_back();
    throw;
  }
}

void SqliteConnection::run_all(const std::string& sql) {
  if (sql.find('\0') != std::string::npos) {
    throw Failure(FailureKind::statement, "the script contains a NUL character");
  }
  // Like sqlite3_exec, but that does not return the position of an error.
  sqlite3* const handle = handle_.get();
  for (const char* next = sql.c_str(); *next != '\0';) {
    sqlite3_stmt* prepared = nullptr;
    const char* const begin = next;
    int code = sqlite3_prepare_v2(handle, begin, -1, &prepared, &next);
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(prepared,
                                                                               &sqlite3_finalize);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
      code = prepared == nullptr ? SQLITE_DONE : sqlite3_step(prepared);
    }
    if (code != SQLITE_DONE) {
      const int offset = std::max(sqlite3_error_offset(handle), 0);
      const char* const words = begin + std::strspn(begin, " \t\r\n");
      throw_sqlite(handle, sql, 1 + std::count(sql.c_str(), std::max(words, begin + offset), '\n'));
    }
  }
}

// Immediate, so that it waits for other processes here, instead of at a later statement.
void SqliteConnection::begin() {
  say("begin immediate");
  is_shared_ = false;
  is_begun_ = true;
}

void SqliteConnection::begin_sharing() {
  begin();
  is_shared_ = true;
}

void SqliteConnection::commit() {
  close_cursors_of_transaction();
  say("commit");
  is_begun_ = false;
}

/// Runs a statement without rows and values; prepared on first use.
void SqliteConnection::say(const char* sql) {
  sqlite3_stmt* statement = cache_.get(handle_.get(), sql).get();
  const int code = sqlite3_step(statement);
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement);
    return;
  }
  try {
    throw_sqlite(handle_.get(), sql);
  } catch (...) {
    sqlite3_reset(statement);
    throw;
  }
}

bool SqliteConnection::begin_reading() noexcept {
  try {
    say("begin");
    return true;
  } catch (...) {
    return false;
  }
}

bool SqliteConnection::may_commit() const noexcept {
  int violations = 0;
  int unused = 0;
  sqlite3_db_status(handle_.get(), SQLITE_DBSTATUS_DEFERRED_FKS, &violations, &unused, 0);
  return is_in_transaction() && violations == 0;
}

void SqliteConnection::roll_back() noexcept {
  close_cursors_of_transaction();
  is_begun_ = false;
  if (!is_in_transaction()) {
    return;
  }
  try {
    say("rollback");
  } catch (...) {  // no memory for the statement
    sqlite3_exec(handle_.get(), "rollback", nullptr, nullptr, nullptr);
  }
}

}  // namespace eider::db
