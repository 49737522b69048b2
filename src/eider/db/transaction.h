// Several statements that count together or not at all.
// Must not be kept open while something slow is awaited: other writers wait for it.
#pragma once

#include <expected>
#include <memory>
#include <utility>

#include "eider/db/failure.h"
#include "eider/db/statements.h"
#include "eider/db/transaction_options.h"
#include "eider/runtime/time.h"

namespace eider {

namespace db::detail {

/// Ends a transaction, one way or the other.
class EndJob final : public Job {
 public:
  enum class Way : std::uint8_t { commit, roll_back };

  EndJob(Way way, std::shared_ptr<TransactionState> state) noexcept
      : way_(way), state_(std::move(state)) {}
  void take() const { rethrow(); }
  [[nodiscard]] Request start() noexcept override;

 private:
  Way way_;
  std::shared_ptr<TransactionState> state_;
};

/// A Result that failed takes back what led to it, as an exception does.
template <class T>
struct IsFailed {
  static bool of(const T& /*value*/) noexcept { return false; }
};
template <class T, class E>
struct IsFailed<std::expected<T, E>> {
  static bool of(const std::expected<T, E>& value) noexcept { return !value.has_value(); }
};

/// The server has taken the transaction back, for sure, for another one's sake.
[[nodiscard]] bool may_be_tried_again(FailureKind kind) noexcept;
[[nodiscard]] Duration pause_behind_try(unsigned tries);

}  // namespace db::detail

/// From `Database::begin` or `Database::transaction`. Rolled back when it is destroyed without
/// having been committed; statements that come to the database later see that it was.
class [[nodiscard]] Transaction : public db::Statements {
 public:
  explicit Transaction(db::Route route) noexcept : Statements(std::move(route)) {}
  Transaction(Transaction&& other) noexcept = default;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction() {
    if (route().transaction() != nullptr) {
      route().leave();
    }
  }

  /// `co_await transaction.commit()`. When it fails all is rolled back.
  [[nodiscard]] db::Pending<db::detail::EndJob> commit() const {
    return end(db::detail::EndJob::Way::commit);
  }
  [[nodiscard]] db::Pending<db::detail::EndJob> roll_back() const {
    return end(db::detail::EndJob::Way::roll_back);
  }

 private:
  [[nodiscard]] db::Pending<db::detail::EndJob> end(db::detail::EndJob::Way way) const {
    return {route(), db::Lane::writing,
            std::make_unique<db::detail::EndJob>(way, route().transaction())};
  }
};

namespace db::detail {

/// Begins a transaction, or what a stream of rows is read in.
class BeginJob final : public Job {
 public:
  using Use = TransactionState::Use;

  explicit BeginJob(const std::shared_ptr<Pool>& pool, Use use = Use::transaction,
                    Isolation isolation = Isolation::server) noexcept;
  ~BeginJob() override;

  [[nodiscard]] std::shared_ptr<TransactionState> begun() const noexcept override {
    return has_succeeded() ? state_ : nullptr;
  }
  Transaction take();
  [[nodiscard]] bool opens_stream() const noexcept override { return state_->is_stream(); }
  [[nodiscard]] Request start() noexcept override {
    const bool reads_alone = state_->is_stream() && !state_->is_load();
    return {.what = reads_alone ? Request::What::hold : Request::What::begin,
            .isolation = isolation_};
  }

 private:
  std::weak_ptr<Pool> pool_;  // not owned: this may be destroyed on one of its threads
  std::shared_ptr<TransactionState> state_;
  const Isolation isolation_;
  bool is_taken_ = false;
};

}  // namespace db::detail

}  // namespace eider
