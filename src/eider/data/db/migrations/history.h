// The table eider_migrations: compares the applied migrations with those of the application.
// Layering: must not run a migration.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/database.h"
#include "eider/data/db/migrations/migrations.h"

namespace eider::db {

/// Value of `ended` while a .down.sql runs outside of a transaction.
inline constexpr std::string_view kGoingDown = "down";

/// A row of eider_migrations.
///
/// begun  "2026-01-31T12:00:00Z"
/// ended  the same; empty while it runs outside of a transaction, and if it was interrupted;
///        kGoingDown while it is undone outside of a transaction
/// sql    its text, only if its checksum differs from that of the file
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

/// Sorted by number.
using History = std::vector<AppliedMigration>;

/// Returns a line for each error, as in make_migrations, or an empty text: a migration was edited,
/// renamed, or removed, or comes before an applied one. An interrupted migration may have been
/// fixed.
///
/// accepts_newer  migrations after the last of `migrations` may be unknown
[[nodiscard]] std::string faults_of_history(const History& history, const Migrations& migrations,
                                            bool accepts_newer);

/// Returns the migration with that number, or null.
[[nodiscard]] const Migration* find(const Migrations& migrations, std::int64_t number) noexcept;
/// Returns the migration that was started and has not ended, or null.
[[nodiscard]] const AppliedMigration* unfinished_in(const History& history) noexcept;
/// Returns the first pending migration, or null. Pre: the history has no errors.
[[nodiscard]] const Migration* next_of(const Migrations& migrations,
                                       const History& history) noexcept;

/// Thrown during a migration, and caught by the public functions.
class MigrationFault : public std::exception {
 public:
  explicit MigrationFault(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// Refers to the table with the schema that it had before any migration. Each call throws
/// db::Failure.
class HistoryTable {
 public:
  /// A migration may change the search path, so each statement names the schema: that of the table,
  /// or else the one in which it will be created. Also throws MigrationFault if there is no schema
  /// for it.
  [[nodiscard]] static Task<HistoryTable> find(const Database& database);

  /// Also throws MigrationFault if the table of that name was not created by Eider.
  [[nodiscard]] Task<History> read(const Statements& on, const Migrations& migrations) const;
  [[nodiscard]] Task<> make(const Statements& on) const;
  /// Inserts or replaces the row.
  [[nodiscard]] Task<> note(const Statements& on, const Migration& migration, std::string begun,
                            std::optional<std::string> ended) const;
  [[nodiscard]] Task<> end(const Statements& on, std::int64_t number, std::string ended) const;
  [[nodiscard]] Task<> forget(const Statements& on, std::int64_t number) const;

 private:
  HistoryTable(Dialect dialect, std::string schema) noexcept
      : dialect_(dialect), schema_(std::move(schema)) {}

  [[nodiscard]] std::string name() const { return schema_ + "eider_migrations"; }
  /// `sql` is a reserved word of MariaDB.
  [[nodiscard]] std::string text_column() const {
    return dialect_ == Dialect::mariadb ? "`sql`" : "sql";
  }
  [[nodiscard]] static Task<HistoryTable> find_on_mariadb(const Database& database);
  [[nodiscard]] Task<bool> is_there(const Statements& on) const;
  [[nodiscard]] Task<History> read_rows(const Statements& on) const;

  Dialect dialect_;
  std::string schema_;  // "public.", quoted if necessary
};

}  // namespace eider::db
