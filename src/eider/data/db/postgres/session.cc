#include "eider/data/db/postgres/session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/postgres_error.h"
#include "eider/data/db/postgres/statement_kinds.h"

namespace eider::db::postgres {
namespace {

constexpr Duration kAnswerMax = std::chrono::seconds(5);

/// Maximum time for an abandoned statement to end, before the connection is closed.
constexpr Duration kDrainMax = std::chrono::seconds(5);

}  // namespace

void Canceller::ask(PGconn* session) {
  auto server = SocketAddress::of_peer(PQsocket(session));
  if (key_ && server && !is_asking_) {
    is_asking_ = true;
    is_to_ask_again_ = false;
    scope_.start(run(std::move(*server), tls_like(session)));
  }
}

void Canceller::ask_again(PGconn* session) {
  is_to_ask_again_ = true;
  ask(session);
}

void Canceller::repeat(PGconn* session) {
  if (is_to_ask_again_) {
    ask(session);
  }
}

Task<> Canceller::run(SocketAddress server, CancelTls tls) {
  const bool is_over =
      co_await request_cancel(std::move(server), *key_, std::move(tls), kAnswerMax);
  is_asking_ = false;
  owner_.on_asked(is_over);
}

Session::Session(Loop& loop, SessionOwner& owner, const Settings& settings) noexcept
    : FdWatch(loop),
      owner_(owner),
      options_(settings.options),
      sender_(wire_, options_.statements_max),
      connecting_(loop, *this, wire_, options_.connect_time_max),
      canceller_(*this),
      answers_(wire_, sender_, course_, options_.result_bytes_max),
      bound_(options_.result_bytes_max),
      copy_(*this, wire_, options_) {}

Session::~Session() {
  stop();  // libpq is about to close the socket
  connecting_.end();
}

// Connecting.

void Session::open() {
  connecting_.start(owner_.find_place());
}

void Session::on_connected(std::optional<BackendKey> key) {
  canceller_.set_key(key);
  stage_ = Stage::free;
  was_connected_ = true;
  watch(wire_.socket(), Readiness::readable);
  settle();
}

// Sending.

void Session::start(std::unique_ptr<Job> job) {
  job_ = std::move(job);
  job_->set_carrier(this);
  is_late_ = false;
  const Instant due = loop().now() + job_->time_max(options_.limits.statement_time_max);
  loop().arm(*this, transaction_.is_held() ? std::min(due, transaction_.due_of_job()) : due);
  course_.begin(*job_, options_.batch_reads && !transaction_.is_held());
  sender_.begin_job();
  send();
}

bool Session::is_there() {
  if (!wire_.is_local() && !wire_.is_quiet()) {
    const bool is_alive = wire_.receive() && wire_.receive();
    take_messages();
    if (!is_alive) {
      close(wire_.error());
    }
  }
  return stage_ != Stage::closed;
}

void Session::send() {
  answers_.begin();
  if (copy_.is_open() && course_.what() != Request::What::transfer) {
    return follow_copy(copy_.leave());  // until then, the server accepts nothing else
  }
  if (course_.what() == Request::What::transfer) {
    follow_copy(copy_.start(course_, transaction_.is_stream()));
  } else if (course_.what() == Request::What::script) {
    note_sent(wire_.send_script(course_.sql()), Stage::scripting);
  } else if (const std::string_view plain = course_.plain_text(); !plain.empty()) {
    note_sent(wire_.send_plain(plain), Stage::running);
  } else {
    send_statements();
  }
}

void Session::send_statements() {
  if (course_.description() != nullptr) {
    return note_sent(sender_.send_description(course_.sql()), Stage::preparing);
  }
  StatementSender::Sending sending = sender_.send(course_);
  if (sending.rounds == 0) {
    answers_.note_failure(std::move(sending.failure));
    return end_job();
  }
  switch (sending.what) {
    case StatementSender::Sending::What::forgetting:
      return note_sent(sending.is_sent, Stage::forgetting);
    case StatementSender::Sending::What::preparation:
      return note_sent(sending.is_sent, Stage::preparing);
    case StatementSender::Sending::What::statements:
      return note_sent(sending.is_sent, Stage::running, sending.rounds);
  }
}

/// Bytes that the socket does not accept now are sent when it is writable. Responses are read in
/// the meantime, because the server may not read before it can send them.
void Session::note_sent(bool is_sent, Stage stage, std::size_t rounds) {
  stage_ = stage;
  rounds_ = rounds;
  wire_.drop_rows(stage != Stage::running);
  const Wire::Sent sent = is_sent ? wire_.flush() : Wire::Sent::broken;
  is_begun_ = rounds > 1 && wire_.has_left_in_part();
  if (sent == Wire::Sent::broken) {
    close(wire_.error());
  } else if (sent == Wire::Sent::some) {
    watch(wire_.socket(), Readiness::both);
  } else {
    is_begun_ = true;
  }
}

/// A COPY starts and ends like a script, outside of the pipeline.
void Session::follow_copy(CopyFlow::Next next) {
  answers_.note_failure(copy_.take_fault());
  switch (next) {
    case CopyFlow::Next::wait:
      stage_ = Stage::copying;
      break;
    case CopyFlow::Next::done:
      stage_ = Stage::free;
      end_job();
      break;
    case CopyFlow::Next::results:
      note_sent(true, Stage::scripting);
      break;
    case CopyFlow::Next::cancel:
      stage_ = Stage::copying;
      drain_due_ = loop().now() + kDrainMax;
      drain();
      break;
    case CopyFlow::Next::too_large:
      stage_ = Stage::copying;
      refuse_result();
      break;
    case CopyFlow::Next::broken:
      close("the server closed the connection during a COPY");
      break;
  }
}

// Receiving.

void Session::on_ready(Readiness what) {
  const Stage before = stage_;
  if (copy_.is_in()) {
    follow_copy(copy_.send(course_, is_late_));
  } else {
    receive(what);
  }
  if (copy_.is_open() && stage_ == Stage::free && before != Stage::free) {
    settle();
  }
}

void Session::receive(Readiness what) {
  if (is_writable(what)) {
    const bool has_left = wire_.flush() == Wire::Sent::all;
    is_begun_ = is_begun_ || has_left || (rounds_ > 1 && wire_.has_left_in_part());
    if (has_left) {
      watch(wire_.socket(), Readiness::readable);
    }
  }
  // Bytes that were received before the connection ended are read first. Unexpected messages often
  // give the reason for that end, so they are read now instead of with the next statement.
  bool is_alive = receive_some() && (stage_ != Stage::free || wire_.receive());
  while (true) {
    take_messages();
    take_results();
    if (stage_ == Stage::closed || !is_alive || !is_watching() || !wire_.has_more() ||
        is_too_large()) {
      break;
    }
    is_alive = receive_some();
  }
  if (stage_ != Stage::closed && !is_alive) {
    close(wire_.error());
  } else if ((stage_ == Stage::running || stage_ == Stage::copying) && is_too_large()) {
    refuse_result();
  }
}

bool Session::receive_some() {
  return copy_.is_out() ? bound_.receive(wire_) : wire_.receive();
}

bool Session::is_too_large() const noexcept {
  return copy_.is_out() ? !answers_.is_refused() && bound_.is_exceeded() : answers_.is_too_large();
}

/// Stops reading until the server has received the cancel request, and discards all rows after it.
void Session::refuse_result() {
  answers_.refuse_rest();
  canceller_.ask(wire_.get());
  if (canceller_.is_asking()) {
    stop();
  } else {
    close("a result was too large");
  }
}

void Session::take_messages() {
  while (stage_ != Stage::closed && !wire_.is_in_script()) {
    const std::optional<Message> message = wire_.next();
    if (!message) {
      break;
    }
    Answers::Next next = Answers::Next::broken;
    try {
      next = answers_.take(*message, to());
    } catch (const std::exception& fault) {
      close(fault.what());
    }
    follow(next);
  }
  if (stage_ != Stage::closed && wire_.is_broken()) {
    close(wire_.error());
  }
}

void Session::follow(Answers::Next next) {
  switch (next) {
    case Answers::Next::go_on:
      break;
    case Answers::Next::round_is_over:
      finish_round();
      break;
    case Answers::Next::copy_is_begun:
      answers_.failure() = failure_of_copy(course_.sql());
      end_job();
      close("a COPY was started");
      break;
    case Answers::Next::broken:
      close("the server does not follow the protocol");
      break;
  }
}

Answers::To Session::to() const noexcept {
  switch (stage_) {
    case Stage::free:
      return Answers::To::nothing;
    case Stage::preparing:
      return Answers::To::preparation;
    case Stage::running:
      return Answers::To::statements;
    default:
      return Answers::To::other;
  }
}

/// Reads the results of a script, or of the start or end of a COPY.
void Session::take_results() {
  if (stage_ == Stage::closed || !wire_.is_in_script()) {
    return;
  }
  if (copy_.is_out()) {
    follow_copy(copy_.take(course_, answers_.is_refused()));
    if (copy_.has_taken()) {
      bound_.begin();  // the limit applies to one row
    }
  }
  while (wire_.is_in_script() && !copy_.is_open() && stage_ != Stage::closed &&
         stage_ != Stage::free && wire_.has_result()) {
    const ResultHandle result = wire_.take_result();
    bound_.begin();
    if (result == nullptr) {
      finish_round();
    } else if (const ExecStatusType status = PQresultStatus(result.get());
               course_.copy() != nullptr && (status == PGRES_COPY_IN || status == PGRES_COPY_OUT)) {
      follow_copy(copy_.open(status == PGRES_COPY_IN, course_));
    } else {
      follow(answers_.take(*result, to(), copy_.is_ending() ? copy_.sql() : course_.sql()));
    }
  }
  if (stage_ != Stage::closed) {
    wire_.drop_notices();
  }
}

void Session::finish_round() {
  --rounds_;
  if (stage_ == Stage::running && !course_.is_batch()) {
    finish_part();
  }
  if (rounds_ != 0) {
    if (job_ == nullptr || is_late_) {
      canceller_.ask_again(wire_.get());  // the last request canceled the previous round
    }
    return;
  }
  const Stage done = std::exchange(stage_, Stage::free);
  wire_.drop_rows(true);
  if (done == Stage::scripting) {
    wire_.end_script();
  }
  if (done == Stage::scripting && (course_.copy() != nullptr || copy_.is_ending())) {
    answers_.failure() = copy_.finish(course_, answers_.failure());
  }
  if (done == Stage::rolling_back && wire_.is_in_transaction()) {
    return close("a transaction could not be rolled back");
  }
  if (done == Stage::preparing && answers_.failure() == nullptr) {
    sender_.keep();
  } else if (Part* const part = course_.current();
             done == Stage::preparing && part != nullptr && !course_.is_batch()) {
    course_.finish(*part, std::exchange(answers_.failure(), nullptr));
  }
  if (job_ != nullptr && is_to_be_sent(done)) {
    send();
  } else {
    end_job();
  }
  if (stage_ == Stage::free) {
    settle();
  }
}

/// A statement that no longer matches the schema was not run. It is prepared again, once, except in
/// a transaction, because statements after a failure would fail, too.
void Session::finish_part() {
  if (course_.is_joined() && !is_late_) {
    return answers_.failure() == nullptr ? void() : course_.undo_joined(*job_);
  }
  Part* part = course_.current();
  if (part == nullptr) {
    return;
  }
  if (!answers_.is_stale() || course_.was_retried() || transaction_.is_held()) {
    course_.finish(*part, std::exchange(answers_.failure(), nullptr));
  }
  answers_.begin();
  course_.go_to_next();
}

/// The server has rolled back a batch if one of its statements no longer matches the schema. The
/// batch is sent again, once, except in a transaction.
bool Session::undo_stale_batch() {
  if (!answers_.is_stale() || course_.was_retried() || is_late_ || transaction_.is_held() ||
      wire_.is_in_transaction()) {
    return false;
  }
  sender_.forget_old(course_.parts());  // others may be outdated, too
  course_.undo_joined(*job_);
  return true;
}

/// Returns whether there are statements that the server has not run yet.
bool Session::is_to_be_sent(Stage done) {
  switch (done) {
    case Stage::forgetting:
      answers_.failure() = nullptr;
      break;
    case Stage::scripting:
      if (course_.what() == Request::What::transfer || course_.what() == Request::What::script) {
        return false;
      }
      break;  // a COPY was ended before this job
    case Stage::preparing:
      if (answers_.failure() != nullptr || course_.description() != nullptr) {
        return false;
      }
      break;
    case Stage::running:
      if (course_.is_batch() ? !undo_stale_batch() : !course_.has_undone()) {
        return false;
      }
      course_.note_retry();
      answers_.failure() = nullptr;  // the failure belongs to one part
      break;
    default:
      return false;
  }
  if (is_late_) {
    answers_.note_failure(
        failure(FailureKind::expired, "the time limit was reached before the statement ran"));
  }
  return !is_late_;
}

void Session::end_job() {
  if (stage_ != Stage::closed && !transaction_.is_held() && wire_.is_in_transaction()) {
    course_.fail_what_is_taken_back();
  }
  course_.end();
  if (job_ == nullptr) {
    return;
  }
  answers_.note_failure(std::exchange(course_.single().failure, nullptr));
  std::unique_ptr<Job> job = std::move(job_);
  job->set_carrier(nullptr);
  if (is_late_ && stage_ != Stage::closed && job->group() != nullptr) {
    answers_.failure() = nullptr;
    return owner_.on_returned(std::move(job));
  }
  if (answers_.failure() != nullptr) {
    job->fail(std::exchange(answers_.failure(), nullptr));
  } else {
    job->succeed(course_.single().changed);
    if (std::shared_ptr<TransactionState> begun = job->begun()) {
      transaction_.begin(std::move(begun), *this, options_.limits, loop().now());
    }
  }
  owner_.on_finished(std::move(job));
}

/// Finds the next job. No job starts before a pending cancel request has arrived, because it would
/// be canceled.
void Session::settle() {
  if (canceller_.is_asking() || (transaction_.is_held() && !serve_transaction())) {
    return;
  }
  if (copy_.is_open()) {
    drain_due_ = loop().now() + kDrainMax;
    wait_at_most(Canceller::kCancelMax);  // its end may wait for a lock
    return follow_copy(copy_.leave());
  }
  if (answers_.has_changed_session()) {
    return close("the session state was changed");
  }
  if (wire_.is_in_transaction()) {
    wait_at_most(kDrainMax);
    note_sent(wire_.send_plain("rollback"), Stage::rolling_back);
    return;
  }
  wait_at_most(options_.idle_time_max);
  owner_.on_free(*this);
}

/// Runs the statements of the transaction.
///
/// returns  whether the transaction is over, and this session is free
bool Session::serve_transaction() {
  while (stage_ == Stage::free) {
    std::unique_ptr<Job> job = transaction_.next(wire_.is_in_transaction());
    if (job == nullptr && !transaction_.is_over()) {
      loop().arm(*this, transaction_.due_of_asking(loop().now()));
      return false;
    }
    if (job == nullptr) {
      leave_transaction();
      return true;
    }
    start(std::move(job));
  }
  return false;
}

void Session::leave_transaction() {
  for (std::unique_ptr<Job>& job : transaction_.leave()) {
    owner_.on_finished(std::move(job));
  }
}

void Session::on_changed() {
  if (stage_ == Stage::free) {
    settle();
  }
}

// Ending.

void Session::on_abandoned(Job& job) noexcept {
  if (job_.get() != &job) {
    return;
  }
  course_.end();
  job_.reset();
  drain_due_ = loop().now() + kDrainMax;
  drain();
}

/// Sends cancel requests repeatedly, because the server ignores a request before the statement
/// starts.
void Session::drain() {
  wait_at_most(Canceller::kCancelMax);
  if (stage_ == Stage::running || stage_ == Stage::scripting || stage_ == Stage::copying) {
    canceller_.ask(wire_.get());
  }
}

void Session::expire() {
  if (stage_ != Stage::free || transaction_.is_held()) {
    expire_in_use();
  } else if (!canceller_.is_asking()) {
    close("nothing to do");
  }
}

void Session::expire_in_use() {
  if (transaction_.is_held()) {
    transaction_.expire_at(loop().now());
  }
  if (stage_ == Stage::free) {
    settle();
  } else if (job_ != nullptr && !is_late_) {
    is_late_ = true;
    drain_due_ = loop().now() + kDrainMax;
    wait_at_most(Canceller::kCancelMax);
    canceller_.ask(wire_.get());
  } else if ((job_ == nullptr || job_->group() != nullptr) && loop().now() < drain_due_) {
    drain();
  } else {
    close("the server does not respond");
  }
}

void Session::on_asked(bool is_over) {
  if (!is_over) {  // it might cancel a later statement
    close("a request to cancel may still arrive");
  } else if (stage_ == Stage::free) {
    settle();
  } else {
    if (!is_watching()) {
      // The socket does not report bytes that TLS has already read.
      watch(wire_.socket(), Readiness::both);
    }
    canceller_.repeat(wire_.get());
  }
}

void Session::close(const std::string& why) {
  if (stage_ == Stage::closed) {
    return;
  }
  const Stage last = std::exchange(stage_, Stage::closed);
  stop();  // libpq is about to close the socket
  disarm();
  canceller_.end();
  connecting_.end();
  if (job_ != nullptr) {
    give_back_job(last, why);
  }
  if (transaction_.is_held()) {
    transaction_.lose();
    leave_transaction();
  }
  owner_.on_closed(*this, why);
  wire_.close();
}

/// Jobs without effect may run on another connection. The server does not commit a transaction or
/// start a script before it has received all of it. Reads have no effect, unless `batch_reads` is
/// false. For all other jobs the result is unknown, so they are never repeated.
void Session::give_back_job(Stage last, const std::string& why) {
  const bool is_undone = !is_begun_ || last == Stage::forgetting || last == Stage::preparing ||
                         course_.is_begin() || owner_.may_do_again();
  const bool only_reads = job_->group() != nullptr && options_.batch_reads;
  if (only_reads || (is_undone && !transaction_.is_held() && !is_late_)) {
    job_->set_carrier(nullptr);
    owner_.on_returned(std::move(job_));
    return;
  }
  answers_.failure() =
      answers_.is_refused() ? answers_.failure() : failure_of_loss(why, course_.sql());
  end_job();
}

}  // namespace eider::db::postgres
