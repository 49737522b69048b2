// Reads the responses of the server to the statements of a job.
// Layering: must not send, and must not know time limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>

#include "eider/data/db/postgres/handles.h"
#include "eider/data/db/postgres/job_progress.h"
#include "eider/data/db/postgres/messages.h"
#include "eider/data/db/postgres/result_rows.h"
#include "eider/data/db/postgres/statement_sender.h"
#include "eider/data/db/postgres/wire.h"

namespace eider::db::postgres {

class Answers {
 public:
  /// What was sent to the server.
  enum class To : std::uint8_t { nothing, preparation, statements, other };
  /// What a message means for the connection.
  enum class Next : std::uint8_t { go_on, round_is_over, copy_is_begun, broken };

  /// bytes_max  limit for the rows of one statement
  Answers(Wire& wire, StatementSender& sender, JobProgress& course, std::size_t bytes_max) noexcept
      : wire_(wire), sender_(sender), course_(course), bytes_max_(bytes_max) {}

  /// Called before something is sent.
  void begin() noexcept {
    failure_ = nullptr;
    is_stale_ = false;
    is_answered_ = false;
  }
  /// errors  Failure(lost)  an invalid message
  [[nodiscard]] Next take(const Message& message, To to);
  /// The same for the results of a script, or of the start or end of a COPY. `doing` is its SQL
  /// text.
  [[nodiscard]] Next take(const PGresult& result, To to, std::string_view doing);

  /// Sets the failure of the current job; only the first one is kept.
  void note_failure(std::exception_ptr failure) noexcept {
    if (failure_ == nullptr) {
      failure_ = std::move(failure);
    }
  }
  [[nodiscard]] std::exception_ptr& failure() noexcept { return failure_; }
  /// The prepared statement no longer matches the schema, and was not run.
  [[nodiscard]] bool is_stale() const noexcept { return is_stale_; }
  /// After `set` or `listen`: the connection must not be used for other jobs.
  [[nodiscard]] bool has_changed_session() const noexcept { return has_changed_session_; }

  /// The rows of a statement exceed the limit.
  [[nodiscard]] bool is_too_large() const noexcept;
  /// Discards the remaining rows.
  void refuse_rest();
  /// True until the end of the rejected result.
  [[nodiscard]] bool is_refused() const noexcept { return is_refused_; }

 private:
  [[nodiscard]] Next take_asked(const Message& message, To to);
  [[nodiscard]] Next describe(std::string_view columns, To to);
  void take_row(std::string_view row, To to);
  void finish(std::string_view tag, To to);
  [[nodiscard]] Next end_round(To to);
  [[nodiscard]] bool is_missing_answer() const noexcept;
  void begin_next(To to) noexcept;
  void note_done(std::string_view tag) noexcept;
  void refuse(const Refusal& refusal, To to, std::string_view doing);

  Wire& wire_;
  StatementSender& sender_;
  JobProgress& course_;
  const std::size_t bytes_max_;
  ResultRows rows_;
  std::exception_ptr failure_;
  bool is_stale_ = false;
  bool has_changed_session_ = false;
  bool is_refused_ = false;
  bool is_answered_ = false;  // to a statement of this round
};

}  // namespace eider::db::postgres
