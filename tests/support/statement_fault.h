// A fault at one of the statements for a database. A test that repeats it for each statement shows
// that a failure is safe at any time.
// Layering: must not be linked into an application.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "eider/data/db/connection.h"
#include "eider/data/db/failure.h"

namespace eider {

class StatementFault {
 public:
  /// lost  the statement is not executed, and its connection ends
  /// done  the statement is executed, and its connection ends before the response
  /// away  as `done`; later connections fail, too, as if the process had been killed
  /// late  nothing arrives for a while, and then everything; only for servers
  enum class How : std::uint8_t { lost, done, away, late };

  /// at  index of the statement, from 0; for a server, of the messages to it
  StatementFault(How its_how, std::size_t at) noexcept : how(its_how), at_(at) {}

  /// Starts counting.
  void arm() noexcept { is_armed_ = true; }
  /// Counts a statement, and returns whether it is the one that fails.
  [[nodiscard]] bool is_next() noexcept {
    const bool is_it = is_armed_ && count_.fetch_add(1) == at_;
    if (is_it) {
      has_happened_ = true;
    }
    return is_it;
  }
  [[nodiscard]] bool has_happened() const noexcept { return has_happened_; }
  [[nodiscard]] bool is_away() const noexcept { return how == How::away && has_happened_; }

  const How how;

 private:
  const std::size_t at_;
  std::atomic<bool> is_armed_{false};
  std::atomic<std::size_t> count_{0};
  std::atomic<bool> has_happened_{false};
};

/// For a database without a server.
class FailingConnection final : public db::Connection {
 public:
  FailingConnection(std::unique_ptr<db::Connection> connection,
                    std::shared_ptr<StatementFault> fault) noexcept
      : connection_(std::move(connection)), fault_(std::move(fault)) {}

  [[nodiscard]] std::optional<db::Changed> run(std::string_view sql,
                                               std::span<const db::Value> values, db::RowSink* rows,
                                               const db::Limit& limit) override {
    std::optional<db::Changed> changed;
    call([&] { changed = connection_->run(sql, values, rows, limit); });
    return changed;
  }
  void script(std::string_view sql) override {
    call([&] { connection_->script(sql); });
  }
  void begin() override {
    try {
      call([&] { connection_->begin(); });
    } catch (...) {
      connection_->roll_back();
      throw;
    }
  }
  void commit() override {
    call([&] { connection_->commit(); });
  }
  void roll_back() noexcept override { connection_->roll_back(); }

 private:
  template <class F>
  void call(F function) {
    const bool was_away = fault_->is_away();
    const bool fails = fault_->is_next();
    if (!was_away && !(fails && fault_->how == StatementFault::How::lost)) {
      function();
    }
    if (was_away || fails) {
      throw db::Failure(db::FailureKind::lost, "the connection was lost, as the test wants it");
    }
  }

  std::unique_ptr<db::Connection> connection_;
  std::shared_ptr<StatementFault> fault_;
};

}  // namespace eider
