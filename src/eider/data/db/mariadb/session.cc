#include "eider/data/db/mariadb/session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eider/data/db/failure.h"
#include "eider/data/db/mariadb/mariadb_error.h"
#include "eider/io/runtime/deadline.h"

namespace eider::db::mariadb {
namespace {

constexpr Duration kAnswerMax = std::chrono::seconds(5);
constexpr std::size_t kCancelPacketBytesMax = 65536;

/// Target size of one fetch. Connector/C reads all rows of a fetch, so rows that suddenly become
/// larger use their size multiplied by the number of rows.
constexpr std::size_t kFetchBytes = 64UL * 1024;
constexpr std::size_t kFetchRowsMax = 32;
/// Limit of a fetch in which all rows are as large as the largest row so far.
constexpr std::size_t kFetchBytesMax = 1024UL * 1024;

/// Maximum size of other packets, in addition to the limit for rows.
constexpr std::size_t kRoom = std::size_t{8} << 20U;

/// Maximum time to wait for a statement after its time limit: long enough to confirm that it was
/// canceled, so that its result is known.
constexpr Duration kCancelMax = std::chrono::milliseconds(500);
/// Maximum time for an abandoned statement to end, before the connection is closed.
constexpr Duration kDrainMax = std::chrono::seconds(5);

}  // namespace

void Canceller::ask(Thread thread) {
  if (!is_asking_ && thread.id != 0) {
    is_asking_ = true;
    scope_.start(run(std::move(thread)));
  }
}

Task<> Canceller::run(Thread thread) {
  bool is_pending = false;
  Task<> killing = kill(thread, &is_pending);
  (void)co_await with_deadline(std::move(killing), kAnswerMax);
  is_asking_ = false;
  owner_.on_asked(!is_pending);
}

Task<> Canceller::kill(const Thread& thread, bool* is_pending) {
  Wire wire(loop_);
  try {
    co_await wire.connect(thread.host, target_, kCancelPacketBytesMax);
    if (co_await wire.ask(kServerSql) == thread.server) {
      *is_pending = true;
      (void)co_await wire.query("kill query " + std::to_string(thread.id));
      *is_pending = false;
    }
  } catch (const Refused&) {  // the thread does not exist anymore
    *is_pending = false;
  } catch (const Broken&) {  // the connection's owner handles the end of the connection
  }
}

Task<> Cursors::open(std::uint64_t number, std::string_view sql, StatementHandle statement,
                     std::function<void(MYSQL_STMT&)> bind) {
  open_.emplace_front(number, std::string(sql), std::move(statement),
                      RowFlow(*this, row_bytes_max_));
  const Place place = open_.begin();
  std::exception_ptr refused;
  try {
    bind(*place->statement);
    co_await wire_.open_cursor(*place->statement);
    if (mysql_stmt_field_count(place->statement.get()) == 0) {
      throw Failure(FailureKind::statement,
                    "only a statement that returns rows can be streamed, in: " + place->sql);
    }
  } catch (const Broken&) {
    throw;
  } catch (...) {
    refused = std::current_exception();
  }
  if (refused != nullptr) {
    co_await close(place);
    std::rethrow_exception(refused);
  }
}

Task<> Cursors::take_piece(Cursor& cursor, RowSink& rows) {
  const Place place = std::ranges::find(open_, cursor.number, &Open::number);
  if (place == open_.end()) {
    throw Failure(FailureKind::statement, "the row stream has ended");
  }
  RowFlow& flow = place->flow;
  flow.begin(place->sql, &rows);
  current_ = &flow;
  std::exception_ptr failed;
  try {
    cursor.is_over = co_await wire_.fetch_some(*place->statement, flow, 2 * row_bytes_max_);
    choose_fetch(*place);
    flow.end();
  } catch (const Broken&) {
    current_ = nullptr;
    throw;
  } catch (...) {
    failed = std::current_exception();
  }
  current_ = nullptr;  // `close` destroys the flow
  if (failed != nullptr || cursor.is_over) {
    co_await close(place);
  }
  if (failed != nullptr) {
    std::rethrow_exception(failed);
  }
}

void Cursors::choose_fetch(Open& open) noexcept {
  constexpr std::size_t kOne = 1;
  const RowFlow& flow = open.flow;
  if (flow.rows() == 0) {
    return;
  }
  open.row_bytes_max = std::max(open.row_bytes_max, flow.row_bytes_max());
  const std::size_t mean = std::max(kOne, flow.bytes() / flow.rows());
  const std::size_t most =
      std::min({kFetchRowsMax, 2 * open.fetch_rows, kFetchBytesMax / open.row_bytes_max});
  open.fetch_rows = std::clamp(kFetchBytes / mean, kOne, std::max(kOne, most));
  const unsigned long rows = open.fetch_rows;
  mysql_stmt_attr_set(open.statement.get(), STMT_ATTR_PREFETCH_ROWS, &rows);
}

void Cursors::stop() noexcept {
  if (current_ != nullptr) {
    current_->stop();
  }
}

Task<> Cursors::close(Place place) {
  StatementHandle statement = std::move(place->statement);
  open_.erase(place);
  co_await wire_.forget(std::move(statement));
}

Task<> Cursors::close_all() {
  while (!open_.empty()) {
    co_await close(open_.begin());
  }
}

std::string set_up_sql(const MariadbOptions& options) {
  const auto time =
      std::chrono::duration_cast<std::chrono::milliseconds>(options.limits.statement_time_max);
  const std::string milliseconds = std::to_string(time.count());
  std::string seconds = std::to_string(time.count() / 1000) + ".";
  seconds += std::to_string(1000 + time.count() % 1000).substr(1);
  // Each server skips the other's comment. MySQL's own time limit applies only to read-only
  // statements.
  return "set time_zone = '+00:00', autocommit = 1, sql_mode = "
         "'STRICT_ALL_TABLES,STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,"
         "ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,ONLY_FULL_GROUP_BY,ANSI_QUOTES,"
         "PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES', session_track_state_change = 1 /*M!100100 , "
         "max_statement_time = " +
         seconds + " */ /*!50708 , max_execution_time = " + milliseconds + " */";
}

Task<Thread> Connecting::connect(Task<std::vector<Host>> finding) {
  const Duration time_max = settings_.options.connect_time_max;
  const Instant due = loop_.now() + time_max;
  const auto hosts = co_await with_deadline(std::move(finding), time_max);
  if (!hosts || hosts->empty()) {
    throw Broken{"the host name was not found"};
  }
  const auto shares = static_cast<int>(std::min<std::size_t>(hosts->size(), 3));
  std::string why;
  for (const Host& host : *hosts) {
    if (loop_.now() >= due) {
      break;
    }
    loop_.arm(*this, std::min(loop_.now() + time_max / shares, due));
    Thread thread;
    const std::string fault = co_await try_host(host, &thread);
    disarm();
    if (fault.empty()) {
      co_return thread;
    }
    why += why.empty() ? fault : "; " + fault;
  }
  throw Broken{why};
}

/// returns  why the connection failed; empty if it is established
Task<std::string> Connecting::try_host(const Host& host, Thread* thread) {
  const MariadbOptions& options = settings_.options;
  std::string why;
  try {
    // A row of up to twice the limit is read, and rejected as `row`; a larger one ends the
    // connection.
    co_await wire_.connect(host, settings_.target, 2 * options.result_bytes_max + kRoom);
    (void)co_await wire_.query(set_up_sql(options));
    if (const char* isolation = sql_of(options.isolation)) {
      (void)co_await wire_.query(std::string("set session transaction isolation level ") +
                                 isolation);
    }
    const std::string server = co_await wire_.ask(kServerSql);
    *thread = {.host = host, .server = server, .id = wire_.thread_id()};
    wire_.accept_session();
  } catch (const Broken& broken) {
    why = broken.why.empty() ? "the server closed the connection" : broken.why;
  } catch (const Refused& refused) {
    why = refused.error.message;
    is_rejected_ = is_rejected_ || refused.error.is_of_login();
  }
  co_return why;
}

Session::Session(Loop& loop, Owner& owner, const Settings& settings) noexcept
    : owner_(owner),
      settings_(settings),
      loop_(loop),
      cursors_(wire_, settings.options.result_bytes_max),
      wire_(loop, [this] { give_up("the server closed the connection"); }),
      connecting_(loop, wire_, settings),
      canceller_(loop, *this, settings.target),
      flow_(*this, settings.options.result_bytes_max) {}

// Callbacks.

void Session::start(std::unique_ptr<Job> job) {
  job_ = std::move(job);
  job_->set_carrier(this);
  wake();
}

bool Session::is_there() {
  if (!wire_.is_there()) {
    give_up("the server closed the connection");
  }
  return closing_.empty();
}

void Session::wake() {
  if (resting_ != nullptr) {
    std::exchange(resting_, nullptr).resume();
  }
}

void Session::give_up(const std::string& why) {
  if (closing_.empty()) {
    closing_ = why;
    wire_.give_up(why);
    wake();
  }
}

void Session::wait_at_most(Duration limit) noexcept {
  loop_.arm(*this, loop_.now() + limit);
}

void Session::on_abandoned(Job& job) noexcept {
  if (job_.get() != &job || is_abandoned_) {
    return;
  }
  is_abandoned_ = true;
  flow_.stop();
  cursors_.stop();
  drain_due_ = loop_.now() + kDrainMax;
  drain();
}

/// Sends cancel requests repeatedly, because the server ignores a request before the statement
/// starts.
void Session::drain() {
  wait_at_most(kCancelMax);
  cancel();
}

void Session::cancel() {
  needs_status_ = true;
  canceller_.ask(thread_);
}

void Session::expire() {
  switch (stage_) {
    case Stage::settling:
      give_up("the server does not respond");
      break;
    case Stage::free:
      if (!transaction_.is_held()) {
        give_up("nothing to do");
      } else {
        transaction_.expire_at(loop_.now());
        wake();
      }
      break;
    case Stage::busy:
      expire_in_use();
      break;
    case Stage::connecting:
    case Stage::closed:
      break;
  }
}

void Session::expire_in_use() {
  if (transaction_.is_held()) {
    transaction_.expire_at(loop_.now());
  }
  if (is_abandoned_ && loop_.now() < drain_due_) {
    drain();
  } else if (!is_abandoned_ && !is_late_) {
    is_late_ = true;
    wait_at_most(kCancelMax);
    cancel();
  } else {
    give_up("the server does not respond");
  }
}

void Session::on_asked(bool is_over) {
  if (!is_over) {  // it might cancel a later statement
    give_up("a request to cancel a statement may still arrive");
  } else {
    wake();
  }
}

// The connection's lifetime.

Task<> Session::live() {
  Broken by;
  try {
    thread_ = co_await connecting_.connect(owner_.find_place());
    was_connected_ = true;
    while (true) {
      co_await settle();
      stage_ = Stage::free;
      if (job_ == nullptr && !transaction_.is_held()) {
        wait_at_most(settings_.options.idle_time_max);
        owner_.on_free(*this);
      }
      if (job_ == nullptr) {
        co_await rest();
      } else if (!closing_.empty()) {
        throw Broken{closing_};
      }
      if (job_ != nullptr) {
        co_await carry_out();
      }
    }
  } catch (const Broken& broken) {
    by = broken;
  } catch (const Refused& refused) {
    by.why = failure_of(refused.error, "the statements of the session setup").what();
  }
  end(by);
}

/// Prepares the connection for the next job.
Task<> Session::settle() {
  stage_ = Stage::settling;
  wait_at_most(kDrainMax);
  co_await learn_status();
  take_from_transaction();
  if (transaction_.is_held()) {
    loop_.arm(*this, transaction_.due_of_asking(loop_.now()));
    co_return;
  }
  co_await cursors_.close_all();
  if (wire_.is_in_transaction()) {
    (void)co_await wire_.query("rollback");
  }
  if (is_changed_ || wire_.is_session_changed()) {
    throw Broken{"the session state was changed"};
  }
}

/// Called after an error or a cancel request: waits until the request has arrived, because it would
/// cancel the next statement; consumes a pending kill; and reads the transaction's status.
Task<> Session::learn_status() {
  while (canceller_.is_asking()) {
    co_await rest();
  }
  if (!std::exchange(needs_status_, false)) {
    co_return;
  }
  for (int i = 0; i < 2; ++i) {
    try {
      (void)co_await wire_.query("do 0");
      co_return;
    } catch (const Refused&) {  // it was killed
    }
  }
}

void Session::end(const Broken& by) {
  stage_ = Stage::closed;
  closing_ = by.why.empty() ? "the connection has ended" : by.why;
  disarm();
  canceller_.end();
  if (job_ != nullptr) {
    give_back_job(by);
  }
  if (transaction_.is_held()) {
    transaction_.lose();
    leave_transaction();
  }
  owner_.on_closed(*this, closing_);
  wire_.close();
  prepared_.clear();
  cursors_.clear();
}

/// A job without effect may run on another connection. For all other jobs the result is unknown, so
/// they are never repeated.
void Session::give_back_job(const Broken& by) {
  std::unique_ptr<Job> job = std::move(job_);
  job->set_carrier(nullptr);
  if (is_abandoned_) {
    return;
  }
  if (!is_begun_ && !transaction_.is_held() && !is_late_ && by.kind == FailureKind::lost) {
    owner_.on_returned(std::move(job));
    return;
  }
  if (by.kind == FailureKind::lost) {
    job->fail(failure(by.kind, "the connection to MariaDB was lost (" + closing_ +
                                   "), so the outcome is unknown: " + std::string(doing_)));
  } else {
    job->fail(failure(by.kind, "MariaDB: " + by.why + ", in: " + std::string(doing_)));
  }
  owner_.on_finished(std::move(job));
}

// Transactions.

/// Starts the transaction's next job, or ends the transaction, which releases this session.
void Session::take_from_transaction() {
  if (!transaction_.is_held() || job_ != nullptr) {
    return;
  }
  // A statement may have ended it: "commit", "create table", a deadlock.
  job_ = transaction_.next(wire_.is_in_transaction());
  if (job_ != nullptr) {
    job_->set_carrier(this);
  } else if (transaction_.is_over()) {
    leave_transaction();
  }
}

void Session::leave_transaction() {
  for (std::unique_ptr<Job>& job : transaction_.leave()) {
    owner_.on_finished(std::move(job));
  }
}

}  // namespace eider::db::mariadb
