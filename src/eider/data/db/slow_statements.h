// The most recent slow statements of this process.
// Layering: must not store values or slow down fast statements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/io/runtime/time.h"

namespace eider::db {

/// What takes longer is kept.
inline constexpr Duration kSlowStatement = std::chrono::milliseconds(100);

/// unix_seconds  when it was over
/// sql           its text without values, cut after 500 bytes
struct SlowStatement {
  std::int64_t unix_seconds = 0;
  double seconds = 0;
  std::string method;
  std::string route;
  std::string sql;
};

/// From any thread.
void note_slow_statement(SlowStatement statement) noexcept;
/// The newest first.
[[nodiscard]] std::vector<SlowStatement> slow_statements();

}  // namespace eider::db
