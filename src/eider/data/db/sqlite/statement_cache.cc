#include "eider/data/db/sqlite/statement_cache.h"

#include <sqlite3.h>

#include <charconv>

#include "eider/data/db/sqlite/sqlite_error.h"

namespace eider::db {
namespace {

/// Returns the index of a parameter: 6 for "$7".
std::size_t read_parameter(const char* name, const std::string& sql) {
  const std::string_view text(name == nullptr ? "?" : name);
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + 1, end, number);
  if (!text.starts_with('$') || error != std::errc() || at != end || number == 0) {
    throw Failure(FailureKind::statement, "the parameter " + std::string(text) +
                                              " must be written as $1, $2 …, in: " + sql);
  }
  return number - 1;
}

}  // namespace

void PreparedStatement::Finalize::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

PreparedStatement::PreparedStatement(sqlite3* handle, std::string_view sql) : sql_(sql) {
  prepare(handle);
  read_parameters();
}

void PreparedStatement::prepare(sqlite3* handle) {
  sqlite3_stmt* made = nullptr;
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v3(handle, sql_.data(), static_cast<int>(sql_.size()),
                                      SQLITE_PREPARE_PERSISTENT, &made, &tail);
  statement_.reset(made);
  if (code != SQLITE_OK) {
    throw_sqlite(handle, sql_);
  }
  if (made == nullptr) {
    throw Failure(FailureKind::statement, "there is no statement in: " + sql_);
  }
  // Whitespace and comments may follow; SQLite decides what they are.
  sqlite3_stmt* second = nullptr;
  const auto left = static_cast<int>(sql_.data() + sql_.size() - tail);
  const int second_code = sqlite3_prepare_v2(handle, tail, left, &second, nullptr);
  sqlite3_finalize(second);
  if (second != nullptr || second_code != SQLITE_OK) {
    throw Failure(FailureKind::statement, "only one statement is allowed: " + sql_);
  }
}

void PreparedStatement::read_parameters() {
  const int count = sqlite3_bind_parameter_count(get());
  for (int i = 1; i <= count; ++i) {
    parameters_.push_back(read_parameter(sqlite3_bind_parameter_name(get(), i), sql_));
  }
}

bool PreparedStatement::only_reads() const noexcept {
  return sqlite3_stmt_readonly(get()) != 0;
}

PreparedStatement& StatementCache::get(sqlite3* handle, std::string_view sql) {
  if (PreparedStatement* const known = statements_.find(sql)) {
    return *known;
  }
  PreparedStatement& made = statements_.add(PreparedStatement(handle, sql));
  if (statements_.size() > count_max_) {
    (void)statements_.take_oldest();
  }
  return made;
}

}  // namespace eider::db
