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
  /// batch_reads  whether those that only read may go together where the job has several
  void begin(Job& job, bool batch_reads) {
    request_ = job.start();
    single_ = {.sql = request_.sql, .values = request_.values, .rows = request_.rows};
    const bool is_single = request_.what == Request::What::statement;
    parts_ = is_single ? std::span<Part>(&single_, 1) : request_.parts;
    at_ = 0;
    is_joined_ = batch_reads && what() == Request::What::each && parts_.size() > 1 && only_read();
    has_begun_ = false;
    was_retried_ = false;
  }
  /// Nothing that the job owns is touched from here on.
  void end() noexcept {
    request_ = Request{Request::What::statement};
    parts_ = {};
    is_joined_ = false;
  }

  [[nodiscard]] Request::What what() const noexcept { return request_.what; }
  /// Begins what this connection is kept for.
  [[nodiscard]] bool is_begin() const noexcept {
    return what() == Request::What::begin || what() == Request::What::hold;
  }
  /// What is sent for it, where that has no parts; else empty.
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
      case Request::What::piece:  // of databases that block
      case Request::What::close:
        break;
    }
    return {};
  }
  /// The step of a COPY that it is; null when it is none.
  [[nodiscard]] CopyStep* copy() const noexcept {
    return static_cast<CopyStep*>(request_.transfer);
  }
  /// All or none of its parts.
  [[nodiscard]] bool is_batch() const noexcept { return what() == Request::What::batch; }
  /// All of its parts only read, and are one round, although each may fail by itself: the server
  /// answers, and begins a transaction, for each round.
  [[nodiscard]] bool is_joined() const noexcept { return is_joined_; }
  [[nodiscard]] bool is_one_round() const noexcept { return is_batch() || is_joined_; }
  [[nodiscard]] std::span<Part> parts() const noexcept { return parts_; }
  /// What became of a job with a single part.
  [[nodiscard]] Part& single() noexcept { return single_; }

  /// The part that is on its way, whose answer comes next; null when there is none.
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

  /// What did not fit the schema any more was sent anew, which is done once; joined ones are taken
  /// apart ahead of that.
  [[nodiscard]] bool was_retried() const noexcept { return was_retried_; }
  void note_retry() noexcept { was_retried_ = !std::exchange(is_joined_, false); }

  /// What is done ahead of a first BEGIN is not taken back any more. What follows it may be.
  void note_tag(std::string_view tag) noexcept {
    if (!has_begun_ && (tag == "BEGIN" || tag == "START TRANSACTION")) {
      has_begun_ = true;
      for (Part& part : parts_) {
        part.is_kept = part.is_done;
      }
    }
  }
  /// A transaction was left open, and is about to be rolled back: nothing of it is told as done.
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
  /// The answer of the current part has come. A joined one's stands unless the round is undone, and
  /// takes the failure.
  void note_answer(Part& part, std::exception_ptr& failure) noexcept {
    if (is_joined_) {
      part.failure = std::exchange(failure, nullptr);
      part.is_done = true;
    }
    if (is_one_round()) {
      go_to_next();
    }
  }
  /// The round has failed at the server: nothing of it counts.
  void undo_joined(Job& job) noexcept {
    for (Part& part : parts_) {
      part.failure = nullptr;
      part.is_done = false;
    }
    job.begin_again();  // rows of some have come
  }

 private:
  [[nodiscard]] bool only_read() const {
    if (parts_.front().sql.empty()) {
      return false;
    }
    std::string_view known;  // many are the same with other values
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
