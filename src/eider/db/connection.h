// One connection to a database, as its thread uses it: everything here blocks.
// Must not know loops, tasks or structs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "eider/db/value.h"
#include "eider/runtime/time.h"

namespace eider::db {

/// What a statement changed.
struct Changed {
  std::int64_t rows = 0;
  std::int64_t last_insert_id = 0;  // 0 when it inserted nothing
};

/// Takes the rows of a statement, one after the other.
class RowSink {
 public:
  virtual ~RowSink() = default;
  /// Called once before any row. The names are valid until `end`.
  virtual void begin(std::span<const std::string_view> columns) = 0;
  /// As many cells as there are columns; valid until return. Throws to stop the statement.
  virtual void add(std::span<const Cell> cells) = 0;
};

/// When a running statement is to give up.
class Limit {
 public:
  /// From any thread: nobody waits for the rows any more.
  void abandon() noexcept { is_abandoned_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_abandoned() const noexcept {
    return is_abandoned_.load(std::memory_order_relaxed);
  }

  void set_deadline(Instant deadline) noexcept { deadline_ = deadline; }
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
  /// rows     null when the rows are not wanted
  /// returns  nothing, and has done nothing, when this connection only reads and the statement
  ///          does not
  [[nodiscard]] virtual std::optional<Changed> run(std::string_view sql,
                                                   std::span<const Value> values, RowSink* rows,
                                                   const Limit& limit) = 0;
  /// Runs several statements, all or none.
  virtual void script(std::string_view sql) = 0;

  virtual void begin() = 0;
  virtual void commit() = 0;
  /// Undoes what was begun, if anything.
  virtual void roll_back() noexcept = 0;
};

}  // namespace eider::db
