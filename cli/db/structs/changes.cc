#include "cli/db/structs/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "cli/openapi_client/clients.h"
#include "eider/core/base/text.h"

namespace eider::structs {
namespace {

constexpr std::string_view kMark = "// eider:";

/// Table names may contain a dot: "shop.notes.title".
const Table* table_of(std::string_view name, const std::vector<Table>& tables) {
  const auto found = std::ranges::find(tables, name, &Table::name);
  return found == tables.end() ? nullptr : &*found;
}

bool has_column(const Table& table, std::string_view name) {
  return std::ranges::find(table.columns, name, &Column::name) != table.columns.end();
}

/// Returns the value without a comment after it; "//" within quotes belongs to the value.
std::string_view without_comment(std::string_view value) {
  for (std::size_t at = value.find(" //"); at != value.npos; at = value.find(" //", at + 1)) {
    if (std::ranges::count(value.substr(0, at), '"') % 2 == 0) {
      return trim(value.substr(0, at));
    }
  }
  return value;
}

/// "skip" must be the whole value: "skip it" would become a type.
bool is_wrong_skip(std::string_view value) noexcept {
  return value.starts_with("skip ") || value.starts_with("skip\t");
}

/// Adds a name, which must differ from the user's other struct names and their New structs.
std::string take_name(const std::string& table, std::string_view name, Changes& changes) {
  const auto clashes = [name](std::string_view other) {
    return name == other || name == fmt::format("New{}", other) ||
           other == fmt::format("New{}", name);
  };
  if (name == "New") {
    return "each struct has a member New, so a struct cannot have that name";
  }
  for (const auto& [other, used] : changes.names) {
    if (other != table && clashes(used)) {
      return fmt::format("the name {} is used by table {}", name, other);
    }
  }
  changes.names[table] = name;
  return {};
}

/// Reads a line. Returns an error, or an empty text.
std::string take_line(std::string_view line, const std::vector<Table>& tables, Changes& changes) {
  const std::size_t arrow = line.find(" -> ");
  const std::size_t plus = line.find(" + ");
  if (arrow == line.npos && plus == line.npos) {
    return "expected TABLE -> NAME, TABLE.COLUMN -> TYPE, or TABLE + MEMBER";
  }
  const std::size_t end = std::min(arrow, plus);
  const std::string_view what = trim(line.substr(0, end));
  const std::string_view value = without_comment(trim(line.substr(end + (arrow < plus ? 4 : 3))));
  if (table_of(what, tables) != nullptr) {
    if (plus < arrow) {
      changes.members[std::string(what)].emplace_back(value);
    } else if (value == "skip") {
      changes.skipped.emplace(what);
    } else if (openapi_client::is_cpp_name(value)) {
      return take_name(std::string(what), value, changes);
    } else {
      return fmt::format("{} is not a name for a struct", value);
    }
    return {};
  }
  const std::size_t dot = what.rfind('.');
  const Table* const table = dot == what.npos ? nullptr : table_of(what.substr(0, dot), tables);
  if (table == nullptr) {
    return fmt::format("there is no table {}", what.substr(0, dot));
  }
  if (!has_column(*table, what.substr(dot + 1))) {
    return fmt::format("the table {} has no column {}", table->name, what.substr(dot + 1));
  }
  if (plus < arrow || value.empty() || is_wrong_skip(value)) {
    return fmt::format("expected {0} -> TYPE, or {0} -> skip, and nothing after it", what);
  }
  if (value == "skip") {
    changes.skipped.emplace(what);
  } else {
    changes.types[std::string(what)] = value;
  }
  return {};
}

}  // namespace

Result<Changes, std::string> read_changes(std::string_view text, std::string_view file,
                                          const std::vector<Table>& tables) {
  Changes changes;
  std::string faults;
  std::size_t number = 0;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trim(text.substr(0, end));
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(kMark)) {
      continue;
    }
    const std::string fault = take_line(trim(line.substr(kMark.size())), tables, changes);
    if (!fault.empty()) {
      faults += fmt::format("{}{}:{}: {}", faults.empty() ? "" : "\n", file, number, fault);
    }
  }
  return faults.empty() ? Result<Changes, std::string>(std::move(changes))
                        : fail(std::move(faults));
}

std::string new_changes_file(std::string_view header) {
  return fmt::format(
      R"(// Your changes to {0}: eider db structs reads this file, and never overwrites it.
// Include headers and declare types for columns here: {0} includes this file first.
//
// Lines such as these change the structs. Remove the first // and the spaces after it:
//
// The name of the struct for a table:
//     // eider: notes -> Note
// No struct for a table:
//     // eider: audit -> skip
// The C++ type of a column:
//     // eider: notes.contact -> eider::Email
// No member for a column:
//     // eider: notes.secret -> skip
// Another member, such as a relation:
//     // eider: notes + std::optional<Author> author = {{}};
#pragma once
)",
      header);
}

}  // namespace eider::structs
