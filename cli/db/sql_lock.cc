#include "cli/db/sql_lock.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "cli/db/nullability.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/sha256.h"
#include "eider/data/db/checked_hash.h"

namespace eider {
namespace {

constexpr std::string_view kIntroduction =
    "# Made by eider db check: what the statements of this program are, held against by its build. "
    "Keep it\n# with the sources, and make it anew where a statement or the schema changes.\n";
constexpr auto kKinds = std::to_array<std::string_view>(
    {"unknown", "boolean", "integer", "real", "text", "blob", "json", "array", "other"});

constexpr std::string_view kBar = " | ";

/// On one line.
std::string escaped(std::string_view text) {
  std::string line;
  for (const char byte : text) {
    if (byte == '\n') {
      line += "\\n";
    } else if (byte == '\\') {
      line += "\\\\";
    } else {
      line.push_back(byte);
    }
  }
  return line;
}

std::string unescaped(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      ++i;
      text.push_back(line[i] == 'n' ? '\n' : line[i]);
    } else {
      text.push_back(line[i]);
    }
  }
  return text;
}

std::string_view take_until(std::string_view& text, char end) noexcept {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

/// "column integer null TYPE | name"
bool read_column(std::string_view line, LockedStatement& statement) {
  LockedColumn column;
  column.kind = take_until(line, ' ');
  const std::string_view null = take_until(line, ' ');
  column.may_be_null = null == "null";
  const std::size_t bar = line.find("| ");
  if (bar == std::string_view::npos || (null != "null" && null != "not-null") ||
      std::ranges::find(kKinds, column.kind) == kKinds.end()) {
    return false;
  }
  column.type = unescaped(line.substr(0, bar == 0 ? 0 : bar - 1));
  column.name = unescaped(line.substr(bar + 2));
  statement.columns.push_back(std::move(column));
  return true;
}

/// "stored not-null TABLE | name | TYPE"
bool read_stored(std::string_view line, SqlLock& lock) {
  const std::string_view null = take_until(line, ' ');
  const std::size_t name = line.find(kBar);
  const std::size_t type = line.find(kBar, name + kBar.size());
  if (name == std::string_view::npos || type == std::string_view::npos ||
      (null != "null" && null != "not-null")) {
    return false;
  }
  lock.stored.push_back({unescaped(line.substr(0, name)),
                         unescaped(line.substr(name + kBar.size(), type - name - kBar.size())),
                         unescaped(line.substr(type + kBar.size())), null == "null"});
  return true;
}

bool read_line(std::string_view line, SqlLocks& locks) {
  if (line.empty() || line.starts_with('#')) {
    return true;
  }
  const std::string_view word = take_until(line, ' ');
  if (word == "schema") {
    const std::string_view database = take_until(line, ' ');
    locks.push_back({std::string(database), std::string(line), {}, {}});
    return !line.empty();
  }
  if (locks.empty()) {
    return false;
  }
  SqlLock& lock = locks.back();
  if (word == "statement") {
    lock.statements.push_back({unescaped(line), {}, {}});
    return true;
  }
  if (word == "stored") {
    return read_stored(line, lock);
  }
  if (lock.statements.empty()) {
    return false;
  }
  if (word == "parameter") {
    lock.statements.back().parameters.push_back(unescaped(line));
    return true;
  }
  return word == "column" && read_column(line, lock.statements.back());
}

std::string name_literal(std::string_view name) {
  std::string text = "\"";
  for (const char byte : name) {
    if (byte == '"' || byte == '\\') {
      text.push_back('\\');
    }
    text.push_back(byte == '\n' ? ' ' : byte);
  }
  return text + "\"";
}

void add_statement(std::string& text, const LockedStatement& statement) {
  text += fmt::format("\nstatement {}\n", escaped(statement.sql));
  for (const std::string& parameter : statement.parameters) {
    text += fmt::format("parameter {}\n", escaped(parameter));
  }
  for (const LockedColumn& column : statement.columns) {
    text += fmt::format("column {} {} {}{}| {}\n", column.kind,
                        column.may_be_null ? "null" : "not-null", escaped(column.type),
                        column.type.empty() ? "" : " ", escaped(column.name));
  }
}

/// The star of `count(*)` is none.
bool names_all_columns(std::string_view sql) {
  for (std::size_t at = sql.find('*'); at != std::string_view::npos; at = sql.find('*', at + 1)) {
    if (at == 0 || sql[at - 1] != '(') {
      return true;
    }
  }
  return false;
}

bool has(const SqlLock& lock, const LockedStatement& statement) {
  return std::ranges::find(lock.statements, statement.sql, &LockedStatement::sql) !=
         lock.statements.end();
}

/// What the header holds, each line once.
class HeaderTables {
 public:
  void add(const LockedStatement& statement) {
    std::string columns;
    for (const LockedColumn& column : statement.columns) {
      columns += fmt::format("    {{{}, ColumnKind::{}, {}}},\n", name_literal(column.name),
                             column.kind, column.may_be_null);
    }
    if (added_.emplace(statement.sql, columns).second) {
      statements_ +=
          fmt::format("    {{0x{:016x}U, {}, {}}},\n", db::checked::hash_of(statement.sql), count_,
                      statement.columns.size());
      count_ += statement.columns.size();
      columns_ += columns;
    }
  }

  /// By its text as it stands in the program: what tells of it.
  void add(const std::string& database, const db::StoredColumn& column,
           const LockedStatement* user) {
    stored_ += fmt::format("    {{\"{}\", {}, {}, {}, {}, {}}},\n", database,
                           name_literal(column.table_name), name_literal(column.name),
                           name_literal(column.type), column.may_be_null,
                           name_literal(user == nullptr ? "" : user->sql));
  }

  [[nodiscard]] std::string header() const {
    return fmt::format(
        "// Made by eider db header of a lock file.\n#pragma once\n\n"
        "namespace eider::db::checked {{\n\n"
        "inline constexpr Statement kStatements[] = {{\n{}    {{0, 0, 0}}}};\n\n"
        "inline constexpr Column kColumns[] = {{\n{}    {{\"\", ColumnKind::unknown, true}}}};\n\n"
        "inline constexpr TableColumn kTableColumns[] = {{\n{}"
        "    {{\"\", \"\", \"\", \"\", true, \"\"}}}};\n\n"
        "}}  // namespace eider::db::checked\n",
        statements_, columns_, stored_);
  }

 private:
  std::set<std::pair<std::string, std::string>> added_{};
  std::string statements_{};
  std::string columns_{};
  std::string stored_{};
  std::size_t count_ = 0;
};

}  // namespace

std::string schema_of(const Migrations& migrations) {
  std::string all;
  for (const Migration& migration : migrations) {
    all += migration.name + " " + migration.checksum + "\n";
  }
  return to_hex(to_view(sha256(all)));
}

const LockedStatement* first_with(const SqlLock& lock, const db::StoredColumn& column) {
  const std::string_view table =
      std::string_view(column.table_name).substr(column.table_name.rfind('.') + 1);
  const auto found = std::ranges::find_if(lock.statements, [&](const LockedStatement& statement) {
    return has_any_word(statement.sql, {table}) &&
           (has_any_word(statement.sql, {column.name}) || names_all_columns(statement.sql));
  });
  return found == lock.statements.end() ? nullptr : &*found;
}

std::string to_text(const SqlLocks& locks) {
  std::string text(kIntroduction);
  for (const SqlLock& lock : locks) {
    text += fmt::format("{}schema {} {}\n", &lock == locks.data() ? "" : "\n", lock.database,
                        lock.schema);
    for (const db::StoredColumn& column : lock.stored) {
      text += fmt::format("stored {} {}{}{}{}{}\n", column.may_be_null ? "null" : "not-null",
                          escaped(column.table_name), kBar, escaped(column.name), kBar,
                          escaped(column.type));
    }
    for (const LockedStatement& statement : lock.statements) {
      add_statement(text, statement);
    }
  }
  return text;
}

Result<SqlLocks, std::string> read_locks(std::string_view text) {
  SqlLocks locks;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_until(text, '\n');
    if (!read_line(line, locks)) {
      return fail(fmt::format("line {} is none of a lock file: {}", number, line));
    }
  }
  return locks;
}

std::string to_header(const SqlLocks& locks) {
  HeaderTables tables;
  for (const SqlLock& lock : locks) {
    for (const LockedStatement& statement : lock.statements) {
      if (std::ranges::all_of(locks, [&](const SqlLock& other) { return has(other, statement); })) {
        tables.add(statement);
      }
    }
    for (const db::StoredColumn& column : lock.stored) {
      tables.add(lock.database, column, first_with(lock, column));
    }
  }
  return tables.header();
}

}  // namespace eider
