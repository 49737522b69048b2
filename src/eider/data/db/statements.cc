#include "eider/data/db/statements.h"

#include <map>
#include <mutex>

#include "eider/data/db/failure.h"

namespace eider::db {

SqlText::SqlText(const JoinedSql& joined) {
  // The key is the addresses of the literals, which live as long as the program.
  static std::mutex mutex;
  static std::map<decltype(joined.pieces), const std::string> texts;
  const std::scoped_lock lock(mutex);
  auto found = texts.find(joined.pieces);
  if (found == texts.end()) {
    found = texts.emplace(joined.pieces, std::string_view(detail::text_of(joined))).first;
  }
  text_ = found->second;
}

}  // namespace eider::db

namespace eider::db::detail {

void check(const Statement& statement) {
  const SqlShape shape = read_sql(statement.sql.view());
  const auto sql = [&statement] { return ": " + std::string(statement.sql.view()); };
  if (shape.fault != SqlFault::none) {
    throw Failure(FailureKind::statement, to_text(shape.fault) + sql());
  }
  if (shape.parameters != statement.values.size()) {
    throw Failure(FailureKind::values, "the statement has " + std::to_string(shape.parameters) +
                                           " parameters, but the number of values is " +
                                           std::to_string(statement.values.size()) + sql());
  }
}

void rethrow_explained(const Failure& failure, std::span<const Conflict> conflicts) {
  if (conflicts.empty()) {
    throw;
  }
  throw explain(failure, conflicts);
}

void throw_several_rows() {
  throw Failure(FailureKind::row, "one row was requested, but the statement returned several");
}

Request ExecJob::start() noexcept {
  return {Request::What::statement, statement_.sql.view(), statement_.values};
}

ScriptJob::ScriptJob(SqlText sql) : sql_(std::move(sql)) {
  if (sql_.view().contains('\0')) {
    throw Failure(FailureKind::statement, to_text(SqlFault::zero_byte));
  }
}

Request ScriptJob::start() noexcept {
  return {Request::What::script, sql_.view()};
}

QueryJob::QueryJob(Statement statement, Ahead ahead)
    : statement_(std::move(statement)), ahead_(std::move(ahead)) {
  for (const Statement& one : ahead_.statements) {
    parts_.push_back({.sql = one.sql.view(), .values = one.values});
  }
  if (!parts_.empty()) {
    parts_.push_back({.sql = statement_.sql.view(), .values = statement_.values});
  }
}

void QueryJob::end() {
  rethrow();
  if (!parts_.empty() && parts_.front().changed.rows == 0) {
    forget_rows();
  }
}

Request QueryJob::start() noexcept {
  if (!parts_.empty()) {
    parts_.back().rows = &sink();
    return {.what = Request::What::batch,
            .parts = parts_,
            .is_within_transaction = ahead_.is_within_transaction};
  }
  return {Request::What::statement, statement_.sql.view(), statement_.values, &sink()};
}

}  // namespace eider::db::detail
