// The table eider_migrations, by the schema that it was found in ahead of any migration.
// Must not judge what stands in it.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/data/db/database.h"
#include "eider/data/db/migrations/history.h"
#include "eider/data/db/migrations/migrations.h"

namespace eider::db {

/// Thrown by what migrates, and caught by its public functions.
class MigrationFault : public std::exception {
 public:
  explicit MigrationFault(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// "2026-01-31T12:00:00Z"
[[nodiscard]] std::string now_as_text();

/// Each call throws db::Failure.
class HistoryTable {
 public:
  /// A migration may change where names are looked for (`set search_path`), so each statement
  /// names the schema: where the table is, or else where it will be made. Also throws
  /// MigrationFault: there is no place for it.
  [[nodiscard]] static Task<HistoryTable> find(const Database& database);

  /// Also throws MigrationFault: the table of that name is another's.
  [[nodiscard]] Task<History> read(const Statements& on, const Migrations& migrations) const;
  [[nodiscard]] Task<> make(const Statements& on) const;
  /// Writes the row, or writes it anew.
  [[nodiscard]] Task<> note(const Statements& on, const Migration& migration, std::string begun,
                            std::optional<std::string> ended) const;
  [[nodiscard]] Task<> end(const Statements& on, std::int64_t number, std::string ended) const;
  [[nodiscard]] Task<> forget(const Statements& on, std::int64_t number) const;

 private:
  HistoryTable(Dialect dialect, std::string schema) noexcept
      : dialect_(dialect), schema_(std::move(schema)) {}

  [[nodiscard]] std::string name() const { return schema_ + "eider_migrations"; }
  /// To MariaDB it is a word of its own.
  [[nodiscard]] std::string text_column() const {
    return dialect_ == Dialect::mariadb ? "`sql`" : "sql";
  }
  [[nodiscard]] static Task<HistoryTable> find_on_mariadb(const Database& database);
  [[nodiscard]] Task<bool> is_there(const Statements& on) const;
  [[nodiscard]] Task<History> read_rows(const Statements& on) const;

  Dialect dialect_;
  std::string schema_;  // "public.", quoted where it has to be
};

}  // namespace eider::db
