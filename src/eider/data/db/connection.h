// One blocking database connection, used by its thread (SQLite).
// Layering: must not know event loops, tasks or structs.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "eider/core/reflect/type_of.h"
#include "eider/data/db/value.h"
#include "eider/io/runtime/time.h"

namespace eider::db {

/// The columns of a result, and the struct member for each of them. Kept with a statement as long
/// as its columns do not change, so that members are not looked up for each result.
class RowShape {
 public:
  using Member = const reflect::Member*;

  /// Returns memory for the names; fill it with names that are valid as long as this is used.
  [[nodiscard]] std::span<std::string_view> make_columns(std::size_t count) {
    bound_to_ = nullptr;
    columns_.resize(count);
    return columns_;
  }
  /// names  valid as long as this is used
  void set(std::span<const std::string_view> names) {
    std::ranges::copy(names, make_columns(names.size()).begin());
  }
  [[nodiscard]] std::span<const std::string_view> columns() const noexcept { return columns_; }

  /// Returns whether the members belong to `row`.
  [[nodiscard]] bool is_bound_to(const reflect::Type& row) const noexcept {
    return bound_to_ == &row;
  }
  /// One for each column; must be set before it is bound. It can be bound to one struct at a time.
  [[nodiscard]] std::span<Member> make_members() {
    bound_to_ = nullptr;
    members_.resize(columns_.size());
    return members_;
  }
  void note_bound(const reflect::Type& row) noexcept { bound_to_ = &row; }
  [[nodiscard]] std::span<const Member> members() const noexcept { return members_; }

 private:
  std::vector<std::string_view> columns_;
  std::vector<Member> members_;
  const reflect::Type* bound_to_ = nullptr;
};

/// The changes of a statement.
struct Changed {
  std::int64_t rows = 0;
  std::int64_t last_insert_id = 0;  // 0 if nothing was inserted
};

/// Receives the rows of a statement one by one.
class RowSink {
 public:
  virtual ~RowSink() = default;
  /// Called once before the rows; the shape does not change until the last one.
  virtual void begin(RowShape& shape) = 0;
  /// Called with one cell per column; valid during the call. Throws to stop the statement.
  virtual void add(std::span<const Cell> cells) = 0;
  /// For statements whose rows are read in pieces: returns whether the piece is complete.
  [[nodiscard]] virtual bool is_full() const noexcept { return false; }
};

/// A statement whose rows are read in pieces.
struct Cursor {
  std::uint64_t number = 0;  // unique
  bool is_over = false;      // there are no more rows
};

/// The time limit of a running statement, and whether it is still needed.
class Limit {
 public:
  /// From any thread: the rows are not needed any more.
  void abandon() noexcept { is_abandoned_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_abandoned() const noexcept {
    return is_abandoned_.load(std::memory_order_relaxed);
  }

  void set_deadline(Instant deadline) noexcept { deadline_ = deadline; }
  [[nodiscard]] Instant deadline() const noexcept { return deadline_; }
  [[nodiscard]] bool is_late() const noexcept {
    return std::chrono::steady_clock::now() >= deadline_;
  }

 private:
  std::atomic<bool> is_abandoned_{false};
  Instant deadline_ = Instant::max();
};

class Connection {
 public:
  virtual ~Connection() = default;

  /// Runs one statement. All of its functions throw db::Failure.
  ///
  /// rows     null if the rows are not needed. If it rejects a row, the changes of the statement
  ///          are rolled back
  /// returns  nothing, without running the statement, if this connection only reads and the
  ///          statement writes
  [[nodiscard]] virtual std::optional<Changed> run(std::string_view sql,
                                                   std::span<const Value> values, RowSink* rows,
                                                   const Limit& limit) = 0;
  /// Reads rows of a read-only statement until `rows` is full, or there are no more.
  ///
  /// sql      with its values, to start the statement; empty to continue it
  virtual void take_piece(Cursor& cursor, std::string_view sql, std::span<const Value> values,
                          RowSink& rows, const Limit& limit);
  /// Closes a cursor, from which no more rows are read. A cursor within a transaction also ends
  /// with the transaction.
  virtual void close_cursor(std::uint64_t number) noexcept;
  virtual void close_cursors() noexcept {}
  /// Runs several statements, all or none.
  virtual void script(std::string_view sql) = 0;

  virtual void begin() = 0;
  virtual void commit() = 0;
  /// Rolls back a transaction, if one has begun.
  virtual void roll_back() noexcept = 0;

  // For statements of several callers that share a transaction: one that fails is undone alone.

  /// Returns whether single statements may share a transaction.
  [[nodiscard]] virtual bool can_share() const noexcept { return false; }
  /// Begins a transaction shared by changes. If one fails, it may roll back all; then they are
  /// executed again.
  virtual void begin_sharing() { begin(); }
  /// Begins a transaction shared by reads, which see one state. Returns false if that is not
  /// possible.
  [[nodiscard]] virtual bool begin_reading() noexcept { return false; }
  /// Returns whether the transaction can be committed, and no constraint is deferred to the commit.
  [[nodiscard]] virtual bool may_commit() const noexcept { return false; }
};

}  // namespace eider::db
