#include "eider/db/sqlite/sqlite_connection.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <cstring>
#include <limits>

#include "eider/db/sqlite/sqlite_error.h"

namespace eider::db {
namespace {

constexpr std::size_t kStatementsMax = 128;
/// Steps of SQLite's machine between two looks at the limit: some tens of microseconds.
constexpr int kStepsPerLook = 1000;
/// Stands where a statement has inserted nothing yet: 0 and -1 are row ids that somebody may use.
constexpr std::int64_t kNothingInserted = std::numeric_limits<std::int64_t>::min();

[[noreturn]] void throw_open(const std::string& path, const std::string& cause, const char* mend) {
  throw Failure(FailureKind::open, "cannot open the database " + path + ": " + cause + ". " + mend);
}

const char* mend_of(int code) noexcept {
  switch (code & 0xFF) {
    case SQLITE_CANTOPEN:
      return "Make its directory, or give another path.";
    case SQLITE_NOTADB:
      return "It is not an SQLite file: move it away, or give another path.";
    case SQLITE_CORRUPT:
      return "It is damaged: restore it from a copy.";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "Make the file and its directory writable for this user.";
    case SQLITE_BUSY:
      return "Another process holds it: stop that one first.";
    case SQLITE_FULL:
      return "The disk is full: make room.";
    default:
      return "Check the path and the rights on it.";
  }
}

void bind(sqlite3_stmt* statement, int index, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::null:
      sqlite3_bind_null(statement, index);
      return;
    case Value::Kind::integer:
      sqlite3_bind_int64(statement, index, value.integer().value_or(0));
      return;
    case Value::Kind::real:
      sqlite3_bind_double(statement, index, value.real().value_or(0));
      return;
    case Value::Kind::text:
      // Static: the job that owns the values outlives the statement's run.
      sqlite3_bind_text64(statement, index, value.text()->data(), value.text()->size(),
                          SQLITE_STATIC, SQLITE_UTF8);
      return;
    case Value::Kind::blob:
      sqlite3_bind_blob64(statement, index, value.blob()->data(), value.blob()->size(),
                          SQLITE_STATIC);
      return;
  }
}

std::string_view bytes_of(sqlite3_stmt* statement, int column, const void* begin) noexcept {
  const int size = sqlite3_column_bytes(statement, column);
  return {static_cast<const char*>(begin), begin == nullptr ? 0 : static_cast<std::size_t>(size)};
}

Cell read_cell(sqlite3_stmt* statement, int column) noexcept {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return {.kind = Value::Kind::integer, .integer = sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return {.kind = Value::Kind::real, .real = sqlite3_column_double(statement, column)};
    case SQLITE_TEXT:
      return {.kind = Value::Kind::text,
              .bytes = bytes_of(statement, column, sqlite3_column_text(statement, column))};
    case SQLITE_BLOB:
      return {.kind = Value::Kind::blob,
              .bytes = bytes_of(statement, column, sqlite3_column_blob(statement, column))};
    default:
      return {};
  }
}

}  // namespace

/// One run of a prepared statement; leaves it ready for the next.
class SqliteConnection::Run {
 public:
  Run(SqliteConnection& connection, const PreparedStatement& prepared, const Limit& limit) noexcept
      : connection_(connection), prepared_(prepared), statement_(prepared.get()) {
    connection.limit_ = &limit;
    connection.only_reads_ = prepared.only_reads();
    // Only a mark tells whether this statement inserts: its row may have the id of the one before.
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

  void bind_all(std::span<const Value> values) {
    int index = 0;
    for (const std::size_t parameter : prepared_.parameters()) {
      if (parameter >= values.size()) {
        throw Failure(
            FailureKind::values,
            "there is no value for $" + std::to_string(parameter + 1) + " of: " + prepared_.sql());
      }
      bind(statement_, ++index, values[parameter]);
    }
  }

  Changed step_all(RowSink* rows) {
    sqlite3* handle = connection_.handle_.get();
    const std::int64_t before = sqlite3_total_changes64(handle);
    if (rows != nullptr) {
      begin_rows(*rows);
    }
    int code = 0;
    while ((code = sqlite3_step(statement_)) == SQLITE_ROW) {
      if (rows != nullptr) {
        add_row(*rows);
      }
    }
    if (code != SQLITE_DONE) {
      throw_sqlite(handle, prepared_.sql());
    }
    const bool has_changed = sqlite3_total_changes64(handle) != before;
    return {has_changed ? sqlite3_changes64(handle) : 0,
            inserted() == kNothingInserted ? 0 : inserted()};
  }

 private:
  [[nodiscard]] std::int64_t inserted() const noexcept {
    return sqlite3_last_insert_rowid(connection_.handle_.get());
  }

  void begin_rows(RowSink& rows) {
    std::vector<std::string_view> names(static_cast<std::size_t>(sqlite3_column_count(statement_)));
    for (std::size_t i = 0; i < names.size(); ++i) {
      names[i] = sqlite3_column_name(statement_, static_cast<int>(i));
    }
    cells_.resize(names.size());
    rows.begin(names);
  }

  void add_row(RowSink& rows) {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      cells_[i] = read_cell(statement_, static_cast<int>(i));
    }
    rows.add(cells_);
  }

  SqliteConnection& connection_;
  const PreparedStatement& prepared_;
  sqlite3_stmt* statement_;
  std::vector<Cell> cells_;
};

void SqliteConnection::Close::operator()(sqlite3* handle) const noexcept {
  sqlite3_close(handle);
}

SqliteConnection::SqliteConnection(const std::string& path, Role role, const SqliteOptions& options)
    : role_(role), cache_(kStatementsMax) {
  open(path, options.file_mode);
  try {
    set_up(options);
  } catch (const Failure&) {
    const int code = sqlite3_extended_errcode(handle_.get());
    throw_open(path, sqlite3_errmsg(handle_.get()), mend_of(code));
  }
  if (role_ == Role::writes && !options.schema.empty()) {
    set_up_schema(path, options.schema);
  }
}

SqliteConnection::~SqliteConnection() {
  cache_.clear();  // a handle with statements does not close
}

void SqliteConnection::open(const std::string& path, unsigned mode) {
  // SQLite would create it for everybody to read, and gives its log and its index the rights of
  // the file. Not by open(): closing a descriptor would drop the locks of the process's others.
  if (path != kInMemory && !path.starts_with("file:")) {  // a URI, to SQLites that read them
    ::mknod(path.c_str(), S_IFREG | mode, 0);  // what is there stays; SQLite tells what fails
  }
  sqlite3* made = nullptr;
  const int code = sqlite3_open_v2(
      path.c_str(), &made,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nullptr);
  handle_.reset(made);
  if (made == nullptr) {
    throw_open(path, "there is no memory for it", "Make room.");
  }
  if (code != SQLITE_OK) {
    const int error = sqlite3_system_errno(made);
    throw_open(path, error != 0 ? std::strerror(error) : sqlite3_errmsg(made), mend_of(code));
  }
}

void SqliteConnection::set_up(const SqliteOptions& options) {
  const auto busy_ms = std::chrono::duration_cast<std::chrono::milliseconds>(options.busy_time_max);
  sqlite3_busy_timeout(handle_.get(), static_cast<int>(busy_ms.count()));
  sqlite3_progress_handler(handle_.get(), kStepsPerLook, &SqliteConnection::ask_limit, this);
  execute("pragma journal_mode = wal");
  execute("pragma foreign_keys = on");
  execute("pragma trusted_schema = off");
  add_last_insert_rowid();
  if (role_ == Role::reads) {
    execute("pragma query_only = on");
    return;
  }
  execute(options.durability == SqliteOptions::Durability::power ? "pragma synchronous = full"
                                                                 : "pragma synchronous = normal");
  // Says now, not at the first request, that the file cannot be written.
  execute("begin immediate");
  execute("rollback");
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

/// SQL's last_insert_rowid() sees through the mark that stands there while a statement runs.
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

// Only what nobody waits for is given up early, and only when that changes nothing.
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

std::optional<Changed> SqliteConnection::run(std::string_view sql, std::span<const Value> values,
                                             RowSink* rows, const Limit& limit) {
  const PreparedStatement& prepared = cache_.get(handle_.get(), sql);
  if (role_ == Role::reads && !prepared.only_reads()) {
    return std::nullopt;
  }
  const bool was_in_transaction = is_in_transaction();
  Changed changed;
  {
    Run run(*this, prepared, limit);
    run.bind_all(values);
    changed = run.step_all(rows);
  }
  if (is_in_transaction() != was_in_transaction) {
    roll_back();
    throw Failure(FailureKind::statement,
                  "transactions are begun and ended by transaction(), not by: " + prepared.sql());
  }
  return changed;
}

void SqliteConnection::script(std::string_view sql) {
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
    throw Failure(FailureKind::statement, "a script with NUL in it");
  }
  execute(sql.c_str());
}

// Immediate: that it has to wait for another process shows here, not at some later statement.
void SqliteConnection::begin() {
  execute("begin immediate");
}

void SqliteConnection::commit() {
  execute("commit");
}

void SqliteConnection::roll_back() noexcept {
  if (is_in_transaction()) {
    sqlite3_exec(handle_.get(), "rollback", nullptr, nullptr, nullptr);
  }
}

}  // namespace eider::db
