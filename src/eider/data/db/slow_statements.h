// The most recent slow statements of this process.
// Layering: must not store values or slow down fast statements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/io/runtime/time.h"

namespace eider::db {

/// Statements that take longer are recorded.
inline constexpr Duration kSlowStatement = std::chrono::milliseconds(100);

/// unix_seconds  when it ended
/// sql           its text without values, cut after 500 bytes
struct SlowStatement {
  std::int64_t unix_seconds = 0;
  double seconds = 0;
  std::string method;
  std::string route;
  std::string sql;
};

/// Thread-safe.
void note_slow_statement(SlowStatement statement) noexcept;
/// Returns the statements, newest first.
[[nodiscard]] std::vector<SlowStatement> slow_statements();

}  // namespace eider::db
