// The progress of a connection in a job, part by part.
// Layering: must not communicate with the server.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "eider/data/db/failure.h"
#include "eider/data/db/job.h"
#include "eider/data/db/postgres/copy_step.h"
#include "eider/data/db/postgres/statement_kinds.h"

namespace eider::db::postgres {

[[nodiscard]] constexpr std::string_view begin_text(Isolation isolation) noexcept {
  switch (isolation) {
    case Isolation::server:
      break;
    case Isolation::read_committed:
      return "begin isolation level read committed";
    case Isolation::repeatable_read:
      return "begin isolation level repeatable read";
    case Isolation::serializable:
      return "begin isolation level serializable";
  }
  return "begin";
}

class JobProgress {
 public:
  /// batch_reads  whether read-only statements of one job may be sent together
  void begin(Job& job, bool batch_reads) {
    request_ = job.start();
    single_ = {.sql = request_.sql, .values = request_.values, .rows = request_.rows};
    const bool is_single = what() == Request::What::statement || description() != nullptr;
    parts_ = is_single ? std::span<Part>(&single_, 1) : request_.parts;
    at_ = 0;
    is_joined_ = batch_reads && what() == Request::What::each && parts_.size() > 1 && only_read();
    has_begun_ = false;
    was_retried_ = false;
  }
  /// After this, nothing that the job owns is accessed.
  void end() noexcept {
    request_ = Request{Request::What::statement};
    parts_ = {};
    is_joined_ = false;
  }

  [[nodiscard]] Request::What what() const noexcept { return request_.what; }
  /// Begins a transaction or row stream that reserves this connection.
  [[nodiscard]] bool is_begin() const noexcept {
    return what() == Request::What::begin || what() == Request::What::hold;
  }
  /// Returns the SQL text to send if the job has no parts, otherwise an empty text.
  [[nodiscard]] std::string_view plain_text() const noexcept {
    switch (what()) {
      case Request::What::begin:
        return begin_text(request_.isolation);
      case Request::What::hold:
        return "begin read only";
      case Request::What::commit:
        return "commit";
      case Request::What::roll_back:
        return "rollback";
      case Request::What::savepoint:
        return request_.sql;
      case Request::What::statement:
      case Request::What::each:
      case Request::What::batch:
      case Request::What::script:
      case Request::What::transfer:
      case Request::What::describe:
      case Request::What::piece:  // for blocking databases only
      case Request::What::close:
        break;
    }
    return {};
  }
  /// Returns the step of a COPY, or null if the job is not one.
  [[nodiscard]] CopyStep* copy() const noexcept {
    return static_cast<CopyStep*>(request_.transfer);
  }
  /// Returns the description to fill in, or null if the job runs statements.
  [[nodiscard]] Description* description() const noexcept { return request_.description; }
  /// All parts succeed or none.
  [[nodiscard]] bool is_batch() const noexcept { return what() == Request::What::batch; }
  /// All parts are read-only and are sent in one round, although each may fail separately: the
  /// server sends one response, and begins one transaction, per round.
  [[nodiscard]] bool is_joined() const noexcept { return is_joined_; }
  [[nodiscard]] bool is_one_round() const noexcept { return is_batch() || is_joined_; }
  [[nodiscard]] std::span<Part> parts() const noexcept { return parts_; }
  /// The result of a job with a single part.
  [[nodiscard]] Part& single() noexcept { return single_; }

  /// The part whose response is expected next, or null.
  [[nodiscard]] Part* current() const noexcept {
    return at_ < parts_.size() ? &parts_[at_] : nullptr;
  }
  [[nodiscard]] std::string_view sql() const noexcept {
    return current() == nullptr ? request_.sql : current()->sql;
  }
  void go_to(const Part& part) noexcept { at_ = static_cast<std::size_t>(&part - parts_.data()); }
  void go_to_first_undone() noexcept { at_ = next_undone(0); }
  void go_to_next() noexcept { at_ = is_one_round() ? at_ + 1 : next_undone(at_ + 1); }
  [[nodiscard]] bool has_undone() const noexcept { return next_undone(0) < parts_.size(); }

  /// Statements that no longer matched the schema were sent again, which is done once; joined parts
  /// are separated first.
  [[nodiscard]] bool was_retried() const noexcept { return was_retried_; }
  void note_retry() noexcept { was_retried_ = !std::exchange(is_joined_, false); }

  /// Statements before a first BEGIN are not rolled back later. Statements after it may be.
  void note_tag(std::string_view tag) noexcept {
    if (!has_begun_ && (tag == "BEGIN" || tag == "START TRANSACTION")) {
      has_begun_ = true;
      for (Part& part : parts_) {
        part.is_kept = part.is_done;
      }
    }
  }
  /// A transaction was left open, and is rolled back: none of its statements counts as executed.
  void fail_what_is_taken_back() {
    if (is_begin()) {
      return;
    }
    const std::exception_ptr why = std::make_exception_ptr(
        Failure(FailureKind::statement,
                "a transaction was left open and has been rolled back: use begin(), in: " +
                    std::string(parts_.empty() ? request_.sql : parts_.front().sql)));
    if (what() != Request::What::each) {
      single_.failure = why;
      return;
    }
    for (Part& part : parts_) {
      part.failure = part.failure == nullptr && !part.is_kept ? why : part.failure;
    }
  }
  void finish(Part& part, std::exception_ptr failure) noexcept {
    is_joined_ = is_joined_ && failure == nullptr;
    part.failure = std::move(failure);
    part.is_done = true;
  }
  /// The response to the current part has been received. For a joined part, the result is kept
  /// unless the round is undone, and it takes the failure.
  void note_answer(Part& part, std::exception_ptr& failure) noexcept {
    if (is_joined_) {
      part.failure = std::exchange(failure, nullptr);
      part.is_done = true;
    }
    if (is_one_round()) {
      go_to_next();
    }
  }
  /// The round has failed at the server: all its results are discarded.
  void undo_joined(Job& job) noexcept {
    for (Part& part : parts_) {
      part.failure = nullptr;
      part.is_done = false;
    }
    job.begin_again();  // rows of some parts have been received
  }

 private:
  [[nodiscard]] bool only_read() const {
    if (parts_.front().sql.empty()) {
      return false;
    }
    std::string_view known;  // many have the same text and other values
    return std::ranges::all_of(parts_, [&known](const Part& part) {
      return !part.is_done &&
             (part.sql == std::exchange(known, part.sql) || is_plain_read(part.sql));
    });
  }
  [[nodiscard]] std::size_t next_undone(std::size_t from) const noexcept {
    while (from < parts_.size() && parts_[from].is_done) {
      ++from;
    }
    return from;
  }

  Request request_{Request::What::statement};
  Part single_;
  std::span<Part> parts_;
  std::size_t at_ = 0;
  bool is_joined_ = false;
  bool has_begun_ = false;
  bool was_retried_ = false;
};

}  // namespace eider::db::postgres
