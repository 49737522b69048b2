// Runs the jobs of a session.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "eider/data/db/describe.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/mariadb/bulk_rows.h"
#include "eider/data/db/mariadb/mariadb_error.h"
#include "eider/data/db/mariadb/session.h"
#include "eider/data/db/mariadb/statement_kinds.h"

namespace eider::db::mariadb {
namespace {

constexpr int kTriesMax = 4;
constexpr unsigned kNotForPrepared = 1295;

std::exception_ptr left_open(std::string_view sql) {
  return failure(
      FailureKind::statement,
      "a transaction was left open and has been rolled back: use begin(), in: " + std::string(sql));
}

/// MySQL does not support compound statements outside of a procedure.
std::vector<std::string> begin_sql(Isolation isolation, bool is_mariadb) {
  const char* const level = sql_of(isolation);
  if (level == nullptr) {
    return {"start transaction"};
  }
  std::string set = std::string("set transaction isolation level ") + level;
  if (is_mariadb) {
    return {"begin not atomic " + set + "; start transaction; end"};
  }
  return {std::move(set), "start transaction"};
}

void fail_from(std::span<Part> parts, std::size_t first) {
  for (Part& part : parts.subspan(first)) {
    if (part.failure == nullptr) {
      part.failure = left_open(part.sql);
    }
  }
}

}  // namespace

Task<> Session::carry_out() {
  stage_ = Stage::busy;
  const Duration time_max = settings_.options.limits.statement_time_max;
  const Instant due = loop_.now() + time_max;
  loop_.arm(*this, transaction_.is_held() ? std::min(due, transaction_.due_of_job()) : due);
  const Request request = job_->start();
  doing_ = request.sql;
  Changed changed;
  std::exception_ptr failure;
  try {
    changed = co_await do_as_asked(request);
  } catch (const Broken&) {
    throw;
  } catch (const Refused&) {
    throw;
  } catch (...) {
    failure = std::current_exception();
    // A failed start may leave its isolation level to the next transaction, which belongs to
    // another job.
    is_changed_ = is_changed_ || request.isolation != Isolation::server;
  }
  is_in_batch_ = false;
  finish(request, changed, std::move(failure));
  while (settings_.options.statements_max == 0 && prepared_.size() != 0) {
    co_await wire_.forget(prepared_.take_oldest().handle);
  }
}

void Session::finish(const Request& request, const Changed& changed, std::exception_ptr failure) {
  std::unique_ptr<Job> job = std::move(job_);
  job->set_carrier(nullptr);
  const bool is_left_open =
      !transaction_.is_held() && wire_.is_in_transaction() &&
      (request.what == Request::What::statement || request.what == Request::What::script);
  is_begun_ = false;
  is_late_ = false;
  if (std::exchange(is_abandoned_, false)) {
    return;
  }
  if (failure == nullptr && is_left_open) {
    failure = left_open(request.sql);
  }
  if (failure != nullptr) {
    job->fail(std::move(failure));
  } else {
    job->succeed(changed);
    if (std::shared_ptr<TransactionState> begun = job->begun()) {
      transaction_.begin(std::move(begun), *this, settings_.options.limits, loop_.now());
    }
  }
  owner_.on_finished(std::move(job));
}

Task<Changed> Session::do_as_asked(const Request& request) {
  std::vector<std::string> begin;
  switch (request.what) {
    case Request::What::statement:
      co_return co_await run(request.sql, request.values, request.rows);
    case Request::What::transfer:
      co_return co_await run(request.sql, {}, nullptr, static_cast<BulkRows*>(request.transfer));
    case Request::What::script:
      co_await run_script(request.sql);
      break;
    case Request::What::begin:
      begin = begin_sql(request.isolation, wire_.is_mariadb());
      for (std::string& sql : begin) {
        co_await run_text("begin", std::move(sql));
      }
      break;
    case Request::What::commit:
      is_begun_ = true;
      co_await run_text("commit", "commit");
      break;
    case Request::What::roll_back:
      co_await run_text("rollback", "rollback");
      break;
    case Request::What::savepoint:
      co_await run_text(request.sql, std::string(request.sql));
      break;
    case Request::What::each:
      co_await run_each(request.parts);
      break;
    case Request::What::batch:
      co_await run_batch(request);
      break;
    case Request::What::hold:
      co_await run_text("begin", "start transaction read only");
      break;
    case Request::What::piece:
      co_await take_piece(request);
      break;
    case Request::What::describe:
      co_await describe(request);
      break;
    case Request::What::close:  // for blocking databases only
      break;
  }
  co_return Changed();
}

/// One after the other: Connector/C sends the next statement only after the previous response.
Task<> Session::run_each(std::span<Part> parts) {
  std::size_t first_open = parts.size();
  for (std::size_t i = 0; i < parts.size() && !is_abandoned_; ++i) {
    Part& part = parts[i];
    if (is_late_) {
      part.failure =
          failure(FailureKind::expired, "the time limit was reached before the statement ran");
    } else {
      try {
        part.changed = co_await run(part.sql, part.values, part.rows);
      } catch (const Failure&) {
        part.failure = std::current_exception();
      }
    }
    part.is_done = true;
    co_await learn_status();
    if (!transaction_.is_held() && wire_.is_in_transaction()) {
      first_open = std::min(first_open, i);
    } else {
      first_open = parts.size();
    }
  }
  fail_from(parts, first_open);
}

Task<> Session::run_batch(const Request& request) {
  is_in_batch_ = true;
  if (!request.is_within_transaction) {
    co_await run_text("begin", "start transaction");
  }
  for (Part& part : request.parts) {
    part.changed = co_await run(part.sql, part.values, part.rows);
    if (is_late_ || is_abandoned_) {
      throw Failure(FailureKind::expired, "the time limit was reached before all statements ran");
    }
  }
  if (!request.is_within_transaction) {
    if (!wire_.is_in_transaction()) {
      throw Failure(FailureKind::statement,
                    "a statement of the batch ended the transaction of the batch: all-or-nothing "
                    "is not possible");
    }
    co_await run_text("commit", "commit");
  }
}

Task<> Session::run_script(std::string_view sql) {
  const bool is_alone = !transaction_.is_held();
  if (is_alone) {
    co_await run_text("begin", "start transaction");
  }
  try {
    co_await wire_.allow_several(true);
  } catch (const Refused& refused) {  // for example by a proxy, for each connection
    throw failure_of(refused.error, sql);
  }
  is_begun_ = true;
  std::exception_ptr failed;
  try {
    co_await run_text(sql, std::string(sql));
  } catch (const Failure&) {
    failed = std::current_exception();
  }
  co_await learn_status();
  co_await wire_.allow_several(false);
  is_changed_ = is_changed_ || may_change_session(sql);
  if (failed != nullptr) {
    std::rethrow_exception(failed);
  }
  if (is_alone && wire_.is_in_transaction()) {
    co_await run_text("commit", "commit");
  }
}

/// doing  the text for its failure
Task<Changed> Session::run_text(std::string_view doing, std::string sql) {
  ServerError error;
  try {
    co_return co_await wire_.query(std::move(sql));
  } catch (const Refused& refused) {
    error = refused.error;
  }
  needs_status_ = true;
  throw failure_of(error, doing);
}

/// Returns whether the statement has had no permanent effect on the server. A deadlock has rolled
/// back its transaction, which is this statement only, unless others are in it; read-only
/// statements may be repeated.
bool Session::may_try_again(const ServerError& error, std::string_view sql) const noexcept {
  const bool is_alone = !transaction_.is_held() && !is_in_batch_ && !wire_.is_in_transaction();
  const bool has_no_effect =
      error.is_of_stale_statement() || (error.has_new_columns() && only_reads(sql)) ||
      (is_alone && kind_of(error) == FailureKind::deadlock && is_one_transaction(sql));
  return has_no_effect && !flow_.has_rows() && !is_late_ && !is_abandoned_;
}

Task<Changed> Session::run(std::string_view sql, std::span<const Value> values, RowSink* rows,
                           BulkRows* bulk) {
  doing_ = sql;
  if (transaction_.was_ended(wire_.is_in_transaction())) {
    throw Failure(
        FailureKind::statement,
        "an earlier statement has ended the transaction: no more statements can run in it, in: " +
            std::string(sql));
  }
  for (int tries = 1;; ++tries) {
    flow_.begin(sql, rows);
    ServerError error;
    Changed changed;
    try {
      changed = co_await run_once(sql, values, bulk);
    } catch (const Refused& refused) {
      error = refused.error;
    }
    is_changed_ = is_changed_ || may_change_session(sql) || error.is_read_only();
    needs_status_ = needs_status_ || error.number != 0;
    flow_.end();
    if (error.number == 0) {
      co_return changed;
    }
    if (error.number == kNotForPrepared && values.empty() && rows == nullptr) {
      co_return co_await run_text(sql, std::string(sql));
    }
    if (error.is_of_stale_statement() || error.has_new_columns()) {
      if (auto stale = prepared_.take(sql)) {
        co_await wire_.forget(std::move(stale->handle));
      }
    }
    if (tries == kTriesMax || !may_try_again(error, sql)) {
      if (bulk != nullptr) {
        is_changed_ = true;
        co_await throw_for_row(wire_, error, sql);
      }
      throw values.empty() ? failure_of(error, sql) : failure_of_bound(error, sql, values);
    }
  }
}

Task<Changed> Session::run_once(std::string_view sql, std::span<const Value> values,
                                BulkRows* bulk) {
  Prepared* prepared = co_await prepare(sql);
  const BulkBound bound(*prepared->handle);
  if (bulk != nullptr) {
    bulk->bind(wire_, *prepared->handle, sql);
  } else {
    parameters_.bind(*prepared->handle, values, prepared->order, sql);
  }
  if (is_late_ || is_abandoned_) {
    throw Failure(FailureKind::expired, "the time limit was reached before the statement ran");
  }
  is_begun_ = true;
  co_return co_await wire_.execute(*prepared->handle, flow_);
}

Task<> Session::take_piece(const Request& request) {
  ServerError error;
  try {
    if (!request.sql.empty()) {
      if (!is_select(request.sql)) {
        throw Failure(FailureKind::statement,
                      "only a select can be streamed, in: " + std::string(request.sql));
      }
      Translated translated = translate(request.sql);
      StatementHandle statement = co_await wire_.prepare(translated.sql);
      is_begun_ = true;
      is_changed_ = is_changed_ || may_change_session(request.sql);
      const auto bind = [&](MYSQL_STMT& prepared) {
        parameters_.bind(prepared, request.values, translated.order, request.sql);
      };
      co_await cursors_.open(request.cursor->number, request.sql, std::move(statement), bind);
    }
    co_await cursors_.take_piece(*request.cursor, *request.rows);
    co_return;
  } catch (const Refused& refused) {
    error = refused.error;
  }
  needs_status_ = true;
  is_changed_ = is_changed_ || error.is_read_only();
  throw failure_of_bound(error, request.sql.empty() ? "the rows of a stream" : request.sql,
                         request.values);
}

/// A statement that the server never prepares returns no rows.
Task<> Session::describe(const Request& request) {
  ServerError error;
  try {
    const Translated translated = translate(request.sql);
    StatementHandle statement = co_await wire_.prepare(translated.sql);
    const std::span fields(mariadb_stmt_fetch_fields(statement.get()),
                           mysql_stmt_field_count(statement.get()));
    for (const MYSQL_FIELD& field : fields) {
      // The server only guesses whether an expression is null.
      const bool is_not_null = (field.flags & NOT_NULL_FLAG) != 0 && field.org_table_length != 0;
      request.description->columns.push_back({.name = std::string(field.name, field.name_length),
                                              .kind = ResultRows::name_of_kind(field),
                                              .is_not_null = is_not_null});
    }
    co_await wire_.forget(std::move(statement));
    co_return;
  } catch (const Refused& refused) {
    error = refused.error;
  }
  needs_status_ = true;
  if (error.number != kNotForPrepared) {
    throw Failure(kind_of(error), "MariaDB: " + error.message);
  }
}

Task<Prepared*> Session::prepare(std::string_view sql) {
  Prepared* const known = prepared_.find(sql);
  if (known != nullptr) {
    co_return known;
  }
  const std::size_t most = std::max<std::size_t>(settings_.options.statements_max, 1);
  while (prepared_.size() >= most) {
    co_await wire_.forget(prepared_.take_oldest().handle);
  }
  Translated translated = translate(sql);
  StatementHandle handle = co_await wire_.prepare(translated.sql);
  co_return &prepared_.add({std::string(sql), std::move(translated.order), std::move(handle)});
}

}  // namespace eider::db::mariadb
