#include "eider/db/statements.h"

#include "eider/db/failure.h"

namespace eider::db::detail {

void check(const Statement& statement) {
  const SqlShape shape = read_sql(statement.sql.view());
  const std::string sql = ": " + std::string(statement.sql.view());
  if (shape.fault != SqlFault::none) {
    throw Failure(FailureKind::statement, to_text(shape.fault) + sql);
  }
  if (shape.parameters != statement.values.size()) {
    throw Failure(FailureKind::values, "the statement takes " + std::to_string(shape.parameters) +
                                           " values but got " +
                                           std::to_string(statement.values.size()) + sql);
  }
}

void throw_several_rows() {
  throw Failure(FailureKind::row, "one row was asked for, but the statement has several");
}

Job::Outcome ExecJob::call(Connection& connection) {
  const std::optional<Changed> changed =
      connection.run(statement_.sql.view(), statement_.values, nullptr, limit());
  changed_ = changed.value_or(Changed());
  return changed ? Outcome::done : Outcome::needs_writer;
}

Job::Outcome ScriptJob::call(Connection& connection) {
  connection.script(sql_.view());
  return Outcome::done;
}

Job::Outcome QueryJob::call(Connection& connection) {
  const std::optional<Changed> changed =
      connection.run(statement_.sql.view(), statement_.values, &sink(), limit());
  return changed ? Outcome::done : Outcome::needs_writer;
}

}  // namespace eider::db::detail
