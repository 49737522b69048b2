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
  /// statements_max  0 prepares none
  StatementSender(Wire& wire, std::size_t statements_max) noexcept
      : wire_(wire), statements_max_(statements_max) {}

  /// What was sent, to be answered.
  ///
  /// rounds   0 where there is nothing to send
  /// is_sent  false when the connection is of no use any more
  struct Sending {
    enum class What : std::uint8_t { forgetting, preparation, statements };

    What what;
    bool is_sent = true;
    std::size_t rounds = 1;
    std::exception_ptr failure{};  // of all parts, of which nothing was sent
  };
  /// Sends what is next of the parts that are not done: one that is to be prepared, or all.
  [[nodiscard]] Sending send(JobProgress& course);
  /// Of what is prepared. Throws Failure(lost) what is none.
  void take_types(std::string_view body);
  void take_columns(std::string_view body);
  /// What the rows of a part look like that was sent last; null where that is not known.
  [[nodiscard]] ResultShape* shape_of(const Part& part) const noexcept {
    Prepared* const statement = found_of(part);
    return statement == nullptr ? nullptr : &statement->shape;
  }
  /// A number of that part that was sent with a larger type than the statement asks for.
  [[nodiscard]] std::optional<std::int64_t> widened(const Part& part) const noexcept {
    return widened_.first == &part ? std::optional(widened_.second) : std::nullopt;
  }
  /// What was sent last is prepared.
  void keep() { prepared_.add(std::move(in_preparation_)); }
  /// Another job has come: what is prepared by now is older than it.
  void begin_job() noexcept {
    job_begin_ = names_;
    widened_.first = nullptr;
  }
  /// What the server has refused may fit the schema no more: it is prepared anew. A statement that
  /// fails has changed nothing; what it had called itself may have committed.
  ///
  /// returns  whether it may be done once more
  [[nodiscard]] bool forget_stale(const Part& part, const Refusal& refusal);

 private:
  /// The first of `parts` that is to be prepared before they are sent; null when there is none.
  [[nodiscard]] const Part* find_unprepared(std::span<const Part> parts);
  /// There is no room for another one.
  [[nodiscard]] bool is_full() const noexcept {
    return prepared_.size() + stale_.size() >= statements_max_;
  }
  [[nodiscard]] bool send_forgetting();
  [[nodiscard]] bool send_preparation(std::string_view sql);
  [[nodiscard]] Sending send_each(JobProgress& course);
  [[nodiscard]] Sending send_batch(JobProgress& course);
  /// What was prepared by an earlier job may have the types of a table that has changed since:
  /// that is found out by preparing it anew.
  ///
  /// returns  false when it is not of an earlier job
  [[nodiscard]] bool forget_old(const Part& part);
  /// Its values in the types that the server has told, behind those of others. Throws
  /// Failure(values), and Failure(statement) for COPY.
  ///
  /// part  one of those that `find_unprepared` was asked about last, and has found none among
  void bind(const Part& part);
  /// first  of its values among those that are bound
  [[nodiscard]] bool add(const Part& part, std::size_t first);
  /// is_gone  at the server, too; else its name is told there when room is needed
  void forget(std::string_view sql, bool is_gone);
  /// Also where it has been forgotten by now.
  [[nodiscard]] bool is_old(const Part& part);
  [[nodiscard]] Prepared* found_of(const Part& part) const noexcept {
    return found_.empty() ? nullptr : found_[static_cast<std::size_t>(&part - parts_.data())];
  }

  Wire& wire_;
  std::size_t statements_max_;
  PreparedStatements prepared_;
  Prepared in_preparation_;
  std::vector<std::string> stale_;  // forgotten here, and not yet at the server
  std::uint64_t names_ = 0;
  std::uint64_t job_begin_ = 0;
  std::span<const Part> parts_;   // that were asked about last
  std::vector<Prepared*> found_;  // for each of them; empty when none is to be prepared
  std::pair<const Part*, std::int64_t> widened_{};
};

}  // namespace eider::db::postgres
