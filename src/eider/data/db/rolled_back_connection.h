// A connection for one test whose changes are rolled back at the end.
// Layering: must not be used to serve; it holds the write lock of its database.
#pragma once

#include <memory>
#include <utility>

#include "eider/data/db/connection.h"

namespace eider::db {

/// Begins a transaction of `inner`, and maps later transactions to savepoints within it. Violations
/// of constraints that are deferred to the commit are not detected, because there is no commit.
class RolledBackConnection final : public Connection {
 public:
  explicit RolledBackConnection(std::unique_ptr<Connection> inner);
  ~RolledBackConnection() override;
  RolledBackConnection(const RolledBackConnection&) = delete;
  RolledBackConnection& operator=(const RolledBackConnection&) = delete;

  [[nodiscard]] std::optional<Changed> run(std::string_view sql, std::span<const Value> values,
                                           RowSink* rows, const Limit& limit) override;
  void take_piece(Cursor& cursor, std::string_view sql, std::span<const Value> values,
                  RowSink& rows, const Limit& limit) override {
    inner_->take_piece(cursor, sql, values, rows, limit);
  }
  void close_cursor(std::uint64_t number) noexcept override { inner_->close_cursor(number); }
  void close_cursors() noexcept override { inner_->close_cursors(); }
  void script(std::string_view sql) override;
  void begin() override;
  void commit() override;
  void roll_back() noexcept override;

 private:
  void say(std::string_view sql);
  void stay_within() noexcept;

  const std::unique_ptr<Connection> inner_;
  bool has_savepoint_ = false;
};

}  // namespace eider::db
