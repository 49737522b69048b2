// Sends the statements of one connection, and prepares them on first use.
// Layering: must not read responses, except the description of prepared statements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/job.h"
#include "eider/data/db/postgres/job_progress.h"
#include "eider/data/db/postgres/messages.h"
#include "eider/data/db/postgres/prepared.h"
#include "eider/data/db/postgres/wire.h"

namespace eider::db::postgres {

class StatementSender {
 public:
  /// statements_max  0: no statements are prepared
  StatementSender(Wire& wire, std::size_t statements_max) noexcept
      : wire_(wire), statements_max_(statements_max) {}

  /// The messages that were sent and need a response.
  ///
  /// rounds   0 if there was nothing to send
  /// is_sent  false if the connection is no longer usable
  struct Sending {
    enum class What : std::uint8_t { forgetting, preparation, statements };

    What what;
    bool is_sent = true;
    std::size_t rounds = 1;
    std::exception_ptr failure{};  // for all parts, none of which was sent
  };
  /// Sends the next messages for the parts that are not done: one statement to prepare, or all.
  [[nodiscard]] Sending send(JobProgress& course);
  /// For the statement in preparation. Throws Failure(lost) for an invalid message.
  void take_types(std::string_view body);
  void take_columns(std::string_view body);
  /// Returns the columns of a part that was sent last, or null if unknown.
  [[nodiscard]] ResultShape* shape_of(const Part& part) const noexcept {
    Prepared* const statement = found_of(part);
    return statement == nullptr ? nullptr : &statement->shape;
  }
  /// A number of that part that was sent with a larger type than the statement expects.
  [[nodiscard]] std::optional<std::int64_t> widened(const Part& part) const noexcept {
    return widened_.first == &part ? std::optional(widened_.second) : std::nullopt;
  }
  /// Requests the description of a statement, which does not run and is not kept.
  [[nodiscard]] bool send_description(std::string_view sql) {
    in_preparation_ = {.sql = std::string(sql), .name = {}, .parameters = {}};
    return wire_.send_preparation(in_preparation_);
  }
  /// Preparing the last statement has succeeded.
  void keep() {
    if (!in_preparation_.name.empty()) {
      prepared_.add(std::move(in_preparation_));
    }
  }
  /// Called for each job: statements that were prepared before are older than the job.
  void begin_job() noexcept {
    job_begin_ = names_;
    widened_.first = nullptr;
  }
  /// If the error means that a statement no longer matches the schema, it will be prepared again. A
  /// failed statement has changed nothing, but a function that it called may have committed.
  ///
  /// returns  whether it may be repeated
  [[nodiscard]] bool forget_stale(const Part& part, const Refusal& refusal);
  /// Statements that were prepared by an earlier job will be prepared again.
  void forget_old(std::span<const Part> parts) {
    for (const Part& part : parts) {
      (void)forget_old(part);
    }
  }

 private:
  /// The first of `parts` that must be prepared before sending, or null.
  [[nodiscard]] const Part* find_unprepared(std::span<const Part> parts);
  /// The limit of prepared statements is reached.
  [[nodiscard]] bool is_full() const noexcept {
    return prepared_.size() + stale_.size() >= statements_max_;
  }
  [[nodiscard]] bool send_forgetting();
  [[nodiscard]] bool send_preparation(std::string_view sql);
  [[nodiscard]] Sending send_each(JobProgress& course);
  [[nodiscard]] Sending send_batch(JobProgress& course);
  /// A statement that was prepared by an earlier job may have the types of a table that has
  /// changed: this is checked by preparing it again.
  ///
  /// returns  false if it was not prepared by an earlier job
  [[nodiscard]] bool forget_old(const Part& part);
  /// Appends its values in the server's types. Throws Failure(values), and Failure(statement) for
  /// COPY.
  ///
  /// part  one of those in the last call of `find_unprepared`, which returned null
  void bind(const Part& part);
  /// first  index of its first value among the bound values
  [[nodiscard]] bool add(const Part& part, std::size_t first);
  /// is_gone  already deallocated by the server; otherwise this is done when space is needed
  void forget(std::string_view sql, bool is_gone);
  /// True also if it was removed in the meantime.
  [[nodiscard]] bool is_old(const Part& part);
  [[nodiscard]] Prepared* found_of(const Part& part) const noexcept {
    return found_.empty() ? nullptr : found_[static_cast<std::size_t>(&part - parts_.data())];
  }

  Wire& wire_;
  std::size_t statements_max_;
  PreparedStatements prepared_;
  Prepared in_preparation_;
  std::vector<std::string> stale_;  // removed here, but not deallocated at the server yet
  std::uint64_t names_ = 0;
  std::uint64_t job_begin_ = 0;
  std::span<const Part> parts_;   // of the last call of `find_unprepared`
  std::vector<Prepared*> found_;  // for each of them; empty if no statements are prepared
  std::pair<const Part*, std::int64_t> widened_{};
};

}  // namespace eider::db::postgres
