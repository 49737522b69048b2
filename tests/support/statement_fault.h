// A fault at one of the statements that a database is sent: a test of each of them in turn shows
// that none is a bad moment. Must not be linked into an application.
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
  /// lost  it is not executed, and its connection ends
  /// done  its connection ends before the response arrives
  /// away  as `done`; from then on there is no connection, as for a process that was killed
  /// late  from then on nothing arrives for a while, and then all of it does; of servers only
  enum class How : std::uint8_t { lost, done, away, late };

  /// at  which one, from 0: of a server, each time that it is sent something
  StatementFault(How its_how, std::size_t at) noexcept : how(its_how), at_(at) {}

  /// Counts from here on.
  void arm() noexcept { is_armed_ = true; }
  /// Whether it is this one.
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

/// Of a database without a server.
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
