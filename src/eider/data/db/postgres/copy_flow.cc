#include "eider/data/db/postgres/copy_flow.h"

#include <chrono>
#include <optional>

#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/copy_text.h"
#include "eider/data/db/postgres/postgres_error.h"

namespace eider::db::postgres {
namespace {

std::exception_ptr misused(std::string_view why, std::string_view sql) {
  return failure(FailureKind::statement, std::string(why) + ", in: " + std::string(sql));
}

bool is_begin(const CopyStep& step) noexcept {
  return step.what == CopyStep::What::begin_in || step.what == CopyStep::What::begin_out;
}

}  // namespace

CopyFlow::Next CopyFlow::start(const JobProgress& course, bool is_own) {
  CopyStep& step = *course.copy();
  if (is_begin(step) && is_open()) {
    fault_ = misused("another COPY is running in this transaction", course.sql());
    return leave();  // ends the first COPY
  }
  if (is_begin(step)) {
    return begin(course.sql(), is_own);
  }
  if (failure_ != nullptr || !is_open()) {
    fault_ = failure_ != nullptr ? failure_
                                 : misused("the COPY was ended by another statement", course.sql());
    return Next::done;
  }
  if (step.what == CopyStep::What::end) {
    return end(nullptr);
  }
  if (step.what == CopyStep::What::write) {
    messages_ = std::move(step.bytes);
    sent_ = 0;
    return send(course, false);
  }
  // The socket does not report bytes that libpq has already read.
  socket_.watch(wire_.socket(), Readiness::both);
  return Next::wait;
}

/// A COPY with its own transaction may take longer than other statements, so the server gets its
/// time limit.
CopyFlow::Next CopyFlow::begin(std::string_view sql, bool is_own) {
  sql_ = sql;
  failure_ = nullptr;
  const auto time_max =
      std::chrono::duration_cast<std::chrono::milliseconds>(options_.limits.stream_time_max);
  std::string script = sql_;
  if (is_own) {
    script.insert(0, "set local statement_timeout = " + std::to_string(time_max.count()) + "; ");
  }
  return wire_.send_script(script) ? Next::results : Next::broken;
}

CopyFlow::Next CopyFlow::open(bool is_in, const JobProgress& course) {
  way_ = is_in ? Way::in : Way::out;
  if (!is_in) {
    socket_.stop();  // until the next piece is requested
  }
  if (is_in != (course.copy()->what == CopyStep::What::begin_in)) {
    fault_ = misused("copy_in needs COPY FROM STDIN, and copy_out needs COPY TO STDOUT", sql_);
  }
  return Next::done;
}

/// returns  false if the connection is no longer usable
bool CopyFlow::try_send() {
  while (sent_ < messages_.size()) {
    const std::optional<std::size_t> taken = wire_.write(std::string_view(messages_).substr(sent_));
    if (!taken) {
      return false;
    }
    if (*taken == 0) {
      break;
    }
    sent_ += *taken;
  }
  return true;
}

/// Each message is sent completely, otherwise the next one would be read as part of it.
CopyFlow::Next CopyFlow::send(const JobProgress& course, bool is_late) {
  if (!try_send()) {
    return Next::broken;
  }
  const bool has_failed = wire_.is_error_next();
  if (!has_failed && !wire_.is_quiet() && !(wire_.receive() && wire_.has_result())) {
    return Next::broken;
  }
  wire_.drop_notices();
  if (sent_ < messages_.size()) {  // a server that cannot send its notices stops reading
    socket_.watch(wire_.socket(), has_failed ? Readiness::writable : Readiness::both);
    return Next::wait;
  }
  socket_.watch(wire_.socket(), Readiness::readable);
  if (has_failed || is_late) {
    return end("the time limit was reached");
  }
  messages_.clear();
  sent_ = 0;
  if (CopyStep* const step = course.copy(); step != nullptr) {
    step->bytes = std::exchange(messages_, std::string());  // the buffer is reused
  }
  return Next::done;
}

/// Reads no more than one piece, because libpq would keep the rest in memory.
CopyFlow::Next CopyFlow::take(const JobProgress& course, bool is_refused) {
  CopyStep* const step = is_refused ? nullptr : course.copy();
  std::string* const piece =
      step != nullptr && step->what == CopyStep::What::read ? &step->bytes : nullptr;
  has_taken_ = false;
  while (piece == nullptr || piece->size() < kCopyPieceBytes) {
    const Wire::Copied copied = wire_.take_copied();
    if (copied.is_over) {
      way_ = Way::none;
      is_ending_ = true;
      return Next::results;
    }
    if (copied.row == nullptr) {
      return Next::wait;
    }
    has_taken_ = true;
    if (piece != nullptr) {
      piece->append(copied.row.get(), copied.bytes);
    }
    if (copied.bytes > options_.result_bytes_max && !is_refused) {
      return Next::too_large;
    }
  }
  socket_.stop();
  return Next::done;
}

/// why  null: COPY is complete
CopyFlow::Next CopyFlow::end(const char* why) {
  way_ = Way::none;
  is_ending_ = true;
  socket_.watch(wire_.socket(), Readiness::readable);
  return wire_.end_copy(why) ? Next::results : Next::broken;
}

CopyFlow::Next CopyFlow::leave() {
  if (is_in()) {
    return end("the COPY was abandoned before its end");
  }
  socket_.watch(wire_.socket(), Readiness::both);
  return Next::cancel;
}

std::exception_ptr CopyFlow::finish(const JobProgress& course, std::exception_ptr failure) {
  is_ending_ = false;
  failure_ = std::move(failure);
  if (CopyStep* const step = course.copy(); step != nullptr) {
    step->is_over = true;
    if (is_begin(*step) && failure_ == nullptr) {  // otherwise the COPY would be open now
      failure_ = misused("the statement is not a COPY from or to the client", sql_);
    }
  }
  return failure_;
}

}  // namespace eider::db::postgres
