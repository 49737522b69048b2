#include "eider/data/db/job.h"

#include "eider/data/db/failure.h"
#include "eider/data/db/meter.h"
#include "eider/data/db/slow_statements.h"
#include "eider/data/db/statement_watch.h"

namespace eider::db {

void Connection::take_piece(Cursor& /*cursor*/, std::string_view sql,
                            std::span<const Value> /*values*/, RowSink& /*rows*/,
                            const Limit& /*limit*/) {
  throw Failure(FailureKind::statement,
                "this database cannot stream rows, in: " + std::string(sql));
}

void Connection::close_cursor(std::uint64_t /*number*/) noexcept {}

Job::~Job() {
  if (holder_ != nullptr) {
    *holder_ = nullptr;
  }
}

void Job::wait(Loop& loop, std::coroutine_handle<> waiting, Job*& holder, Meter& meter) noexcept {
  loop_ = &loop;
  outside_.begin();
  waiting_ = waiting;
  holder_ = &holder;
  holder = this;
  if (StatementWatch* const watch = StatementWatch::current()) [[unlikely]] {
    watch_ = watch->shared_from_this();
    watch_->on_statement(statement());
  }
  if (meter.is_on()) {
    meter_ = &meter;
    began_ = Meter::Clock::now();
    meter.note_begin();
  }
  if (Work::current() != nullptr) [[unlikely]] {
    note_.begin(WaitNote::What::statement, statement(), loop.now());
    open_span();
  }
}

/// Records the statement without its values, which must not be disclosed.
void Job::open_span() noexcept {
  try {
    const std::string_view sql = statement();
    const std::string_view verb = sql.substr(0, sql.find_first_of(" \n\t("));
    span_ = OpenSpan::begin(verb.empty() ? "database" : verb, SpanKind::client);
    if (!sql.empty() && span_.is_there()) {
      span_.set("db.query.text", std::string(sql));
    }
  } catch (...) {
    // No memory for a span: the statement runs without it.
  }
}

void Job::note_end(bool has_failed) noexcept {
  if (Meter* const meter = std::exchange(meter_, nullptr)) {
    meter->note_end(began_, has_failed);
  }
  span_.end(has_failed ? "failed" : "");
  note_.end();
}

/// Only for statements of a request or task that is tracked, whose start is known.
void Job::note_if_slow() noexcept {
  const Duration took = note_.is_there() ? loop_->now() - note_.since() : Duration::zero();
  if (took < kSlowStatement) [[likely]] {
    return;
  }
  try {
    constexpr std::size_t kTextBytesMax = 500;
    const Work& work = *note_.work();
    note_slow_statement({.unix_seconds = loop_->wall_seconds(),
                         .seconds = std::chrono::duration<double>(took).count(),
                         .method = std::string(work.method),
                         .route = std::string(work.route),
                         .sql = std::string(statement().substr(0, kTextBytesMax))});
  } catch (...) {
    // No memory: the statement itself succeeded.
  }
}

void Job::abandon() noexcept {
  outside_.end();
  waiting_.clear();
  holder_ = nullptr;
  limit_.abandon();
  note_end(true);
}

void Job::run() {
  if (waiting_.is_there()) {
    outside_.end();
    note_if_slow();
    note_end(failure_ != nullptr);
    const std::shared_ptr<StatementWatch> watch = std::move(watch_);  // this ends before the watch
    const Watching watching(watch.get());
    waiting_.resume();
  }
}

Job::Outcome Job::execute(Connection& connection, Duration time_max) noexcept {
  // A result that was delivered once may have been used.
  if (limit_.is_abandoned() && !has_succeeded_) {
    return Outcome::done;
  }
  limit_.set_deadline(std::chrono::steady_clock::now() + time_max);
  const bool has_failed = std::exchange(failure_, nullptr) != nullptr;
  if (std::exchange(has_succeeded_, false) || has_failed) {
    forget_rows();
  }
  try {
    return call(connection);
  } catch (...) {
    failure_ = std::current_exception();
    return Outcome::done;
  }
}

Job::Outcome Job::call(Connection& connection) {
  const Request request = start();
  Changed changed;
  switch (request.what) {
    case Request::What::statement: {
      const auto done = connection.run(request.sql, request.values, request.rows, limit_);
      if (!done) {
        return Outcome::needs_writer;
      }
      changed = *done;
      break;
    }
    case Request::What::script:
    case Request::What::savepoint:
      connection.script(request.sql);
      break;
    case Request::What::begin:
      connection.begin();
      break;
    case Request::What::commit:
      connection.commit();
      break;
    case Request::What::roll_back:
      connection.roll_back();
      break;
    case Request::What::each:
      if (call_each(connection, request.parts) == Outcome::needs_writer) {
        return Outcome::needs_writer;
      }
      break;
    case Request::What::batch:
      call_batch(connection, request);
      break;
    case Request::What::hold:  // the read statement itself holds its snapshot
      break;
    case Request::What::piece:
      connection.take_piece(*request.cursor, request.sql, request.values, *request.rows, limit_);
      break;
    case Request::What::close:
      connection.close_cursor(request.cursor->number);
      break;
    case Request::What::transfer:
      throw Failure(FailureKind::statement, "this database does not support COPY");
    case Request::What::describe:
      throw Failure(FailureKind::statement, "this database does not describe statements");
  }
  succeed(changed);
  return Outcome::done;
}

/// A read-only connection executes as many parts as it can; the writer continues.
Job::Outcome Job::call_each(Connection& connection, std::span<Part> parts) {
  for (Part& part : parts) {
    if (part.is_done) {
      continue;
    }
    try {
      const auto changed = connection.run(part.sql, part.values, part.rows, limit_);
      if (!changed) {
        return Outcome::needs_writer;
      }
      part.changed = *changed;
    } catch (...) {
      part.failure = std::current_exception();
    }
    part.is_done = true;
  }
  return Outcome::done;
}

void Job::call_batch(Connection& connection, const Request& request) {
  if (!request.is_within_transaction) {
    connection.begin();
  }
  try {
    for (Part& part : request.parts) {
      part.changed = connection.run(part.sql, part.values, part.rows, limit_).value_or(Changed());
    }
    if (!request.is_within_transaction) {
      connection.commit();
    }
  } catch (...) {
    if (!request.is_within_transaction) {
      connection.roll_back();
    }
    throw;
  }
}

void Job::succeed(const Changed& changed) noexcept {
  changed_ = changed;
  has_succeeded_ = true;
}

void Job::refuse(const Failure& failure) noexcept {
  failure_ = std::make_exception_ptr(failure);
}

void Job::rethrow() const {
  if (failure_ != nullptr) {
    std::rethrow_exception(failure_);
  }
}

}  // namespace eider::db
