// What a database says of the migrations that it has had, held against those of the program.
// Must not change anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/data/db/migrations/migrations.h"

namespace eider::db {

/// Stands in `ended` while a .down.sql runs outside of a transaction.
inline constexpr std::string_view kGoingDown = "down";

/// A row of eider_migrations.
///
/// begun  "2026-01-31T12:00:00Z"
/// ended  the same; absent while it runs outside of a transaction, and where that was broken off;
///        kGoingDown while it is taken back so
/// sql    its text, only where its checksum is not the file's
struct AppliedMigration {
  std::int64_t number;
  std::string name;
  std::string checksum;
  std::string begun;
  std::optional<std::string> ended;
  std::string sql{};

  [[nodiscard]] bool is_going_down() const noexcept { return ended == kGoingDown; }
  [[nodiscard]] bool is_unfinished() const noexcept { return !ended || is_going_down(); }
};

/// By their numbers.
using History = std::vector<AppliedMigration>;

/// What does not fit, a line for each as of make_migrations; empty when all does: one that was
/// edited, renamed, or is gone, and one that comes ahead of what was applied. One that was broken
/// off may have been mended.
///
/// accepts_newer  what lies behind the last of `migrations` may be unknown
[[nodiscard]] std::string faults_of_history(const History& history, const Migrations& migrations,
                                            bool accepts_newer);

/// The one of that number, or null.
[[nodiscard]] const Migration* find(const Migrations& migrations, std::int64_t number) noexcept;
/// The one that was begun and has not ended, or null.
[[nodiscard]] const AppliedMigration* unfinished_in(const History& history) noexcept;
/// The first one that was not applied, or null. Pre: the history fits.
[[nodiscard]] const Migration* next_of(const Migrations& migrations,
                                       const History& history) noexcept;

}  // namespace eider::db
