// Several statements in one call: `all` (independent) or `batch` (one transaction).
// Layering: must not be used if a statement needs an earlier result; use a transaction.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <exception>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/job.h"
#include "eider/data/db/query_job.h"

namespace eider::db {

/// A statement that has not started yet: of `rows`, `row` or `change`.
template <class P>
class BatchedStatement {
 public:
  using Kind = P;

  explicit BatchedStatement(detail::Statement statement) noexcept
      : statement_(std::move(statement)) {}
  [[nodiscard]] detail::Statement&& take() && { return std::move(statement_); }

 private:
  detail::Statement statement_;
};

namespace detail {

/// A statement of several, with its rows.
template <class T, template <class> class How>
class RowsPart {
 public:
  using Value = typename How<T>::Rows;

  explicit RowsPart(Statement&& statement) : statement_(std::move(statement)) {}
  [[nodiscard]] Part start() noexcept {
    return {.sql = statement_.sql.view(), .values = statement_.values, .rows = &rows_.reader()};
  }
  [[nodiscard]] Value take(const Part& /*part*/) { return rows_.take(); }
  void forget() noexcept { rows_.forget(); }

 private:
  Statement statement_;
  RowsOf<T, How> rows_;
};

/// A statement that changes data.
class ChangePart {
 public:
  using Value = Changed;

  explicit ChangePart(Statement&& statement) : statement_(std::move(statement)) {}
  [[nodiscard]] Part start() noexcept {
    return {.sql = statement_.sql.view(), .values = statement_.values};
  }
  [[nodiscard]] Changed take(const Part& part) const noexcept { return part.changed; }
  void forget() noexcept {}

 private:
  Statement statement_;
};

/// Completed parts are not repeated.
template <class P>
void forget_undone(P& kind, const Part& part) noexcept {
  if (!part.is_done) {
    kind.forget();
  }
}

template <class... Ps>
class SeveralJob : public Job {
 protected:
  explicit SeveralJob(BatchedStatement<Ps>&&... asked)
      : kinds_(std::move(asked).take()...), parts_(std::apply(&SeveralJob::start_parts, kinds_)) {}
  [[nodiscard]] std::span<Part> parts() noexcept { return parts_; }

  /// Calls `take(kind, part)` for each part, and returns a tuple.
  template <class Take>
  [[nodiscard]] auto take_all(Take take) {
    return take_of(take, std::index_sequence_for<Ps...>());
  }

 private:
  [[nodiscard]] static std::array<Part, sizeof...(Ps)> start_parts(Ps&... kind) noexcept {
    return {kind.start()...};
  }
  void forget_rows() noexcept override { forget_of(std::index_sequence_for<Ps...>()); }
  template <std::size_t... I>
  void forget_of(std::index_sequence<I...> /*each*/) noexcept {
    (forget_undone(std::get<I>(kinds_), parts_[I]), ...);
  }
  template <class Take, std::size_t... I>
  auto take_of(Take& take, std::index_sequence<I...> /*each*/) {
    return std::tuple{take(std::get<I>(kinds_), parts_[I])...};
  }

  std::tuple<Ps...> kinds_;
  std::array<Part, sizeof...(Ps)> parts_;
};

/// The outcome of one part.
///
/// otherwise  outcome of the whole job, if it did not reach the part
template <class P>
Result<typename P::Value, Failure> take_result(P& kind, const Part& part,
                                               const std::exception_ptr& otherwise) {
  const std::exception_ptr& failure = part.is_done ? part.failure : otherwise;
  try {
    if (failure != nullptr) {
      std::rethrow_exception(failure);
    }
  } catch (const Failure& known) {
    return fail(known);
  }
  return kind.take(part);
}

template <class... Ps>
class EachJob final : public SeveralJob<Ps...> {
 public:
  explicit EachJob(BatchedStatement<Ps>&&... asked) : SeveralJob<Ps...>(std::move(asked)...) {}
  [[nodiscard]] Request start() noexcept override {
    return {.what = Request::What::each, .parts = this->parts()};
  }
  std::tuple<Result<typename Ps::Value, Failure>...> take() {
    return this->take_all(
        [this](auto& kind, Part& part) { return take_result(kind, part, this->failure()); });
  }
};

template <class... Ps>
class BatchJob final : public SeveralJob<Ps...> {
 public:
  explicit BatchJob(bool is_within_transaction, BatchedStatement<Ps>&&... asked)
      : SeveralJob<Ps...>(std::move(asked)...), is_within_transaction_(is_within_transaction) {}
  [[nodiscard]] Request start() noexcept override {
    return {.what = Request::What::batch,
            .parts = this->parts(),
            .is_within_transaction = is_within_transaction_};
  }
  std::tuple<typename Ps::Value...> take() {
    this->rethrow();
    return this->take_all([]<class P>(P& kind, Part& part) { return kind.take(part); });
  }

 private:
  bool is_within_transaction_;
};

/// A list of statements of one kind, of any length.
template <class P>
class ListJob : public Job {
 protected:
  explicit ListJob(std::vector<BatchedStatement<P>> asked) {
    parts_.reserve(asked.size());
    for (BatchedStatement<P>& one : asked) {
      parts_.push_back(kinds_.emplace_back(std::move(one).take()).start());
    }
  }
  [[nodiscard]] std::span<Part> parts() noexcept { return parts_; }

  /// Calls `take(kind, part)` for each.
  template <class T, class Take>
  [[nodiscard]] std::vector<T> take_all(Take take) {
    std::vector<T> taken;
    taken.reserve(parts_.size());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      taken.push_back(take(kinds_[i], parts_[i]));
    }
    return taken;
  }

 private:
  void forget_rows() noexcept override {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      forget_undone(kinds_[i], parts_[i]);
    }
  }

  std::deque<P> kinds_;  // do not move
  std::vector<Part> parts_;
};

template <class P>
class EachListJob final : public ListJob<P> {
 public:
  explicit EachListJob(std::vector<BatchedStatement<P>> asked) : ListJob<P>(std::move(asked)) {}
  [[nodiscard]] Request start() noexcept override {
    return {.what = Request::What::each, .parts = this->parts()};
  }
  std::vector<Result<typename P::Value, Failure>> take() {
    return this->template take_all<Result<typename P::Value, Failure>>(
        [this](P& kind, const Part& part) { return take_result(kind, part, this->failure()); });
  }
};

template <class P>
class BatchListJob final : public ListJob<P> {
 public:
  explicit BatchListJob(bool is_within_transaction, std::vector<BatchedStatement<P>> asked)
      : ListJob<P>(std::move(asked)), is_within_transaction_(is_within_transaction) {}
  /// Without parts, use `each`, because an empty batch would still be a round trip.
  [[nodiscard]] Request start() noexcept override {
    return {.what = this->parts().empty() ? Request::What::each : Request::What::batch,
            .parts = this->parts(),
            .is_within_transaction = is_within_transaction_};
  }
  std::vector<typename P::Value> take() {
    this->rethrow();
    return this->template take_all<typename P::Value>(
        [](P& kind, const Part& part) { return kind.take(part); });
  }

 private:
  bool is_within_transaction_;
};

}  // namespace detail

// The results of the three functions below, for declarations: `std::vector<db::RowStatement<User>>
// statements`.

template <class T>
using RowsStatement = BatchedStatement<detail::RowsPart<T, detail::All>>;
template <class T>
using RowStatement = BatchedStatement<detail::RowsPart<T, detail::One>>;
using ChangeStatement = BatchedStatement<detail::ChangePart>;

/// For `all` and `batch`: like Statements::all, ::one and ::exec, but sent together.
template <class T, class... Args>
[[nodiscard]] RowsStatement<T> rows(SqlFor<T, sizeof...(Args)> sql, const Args&... args) {
  static_assert(!std::is_same_v<T, bool>,
                "std::vector<bool> does not contain bool objects: read the values as int");
  return RowsStatement<T>(detail::make_statement(sql.text(), args...));
}
template <class T, class... Args>
[[nodiscard]] RowStatement<T> row(SqlFor<T, sizeof...(Args)> sql, const Args&... args) {
  return RowStatement<T>(detail::make_statement(sql.text(), args...));
}
template <class... Args>
[[nodiscard]] ChangeStatement change(SqlFor<void, sizeof...(Args)> sql, const Args&... args) {
  return ChangeStatement(detail::make_statement(sql.text(), args...));
}

}  // namespace eider::db
