#include "cli/db/structs/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "cli/openapi_client/cpp.h"
#include "eider/core/base/text.h"

namespace eider::structs {
namespace {

constexpr std::string_view kMark = "// eider:";

/// A table name may contain a dot itself: "shop.notes.title".
const Table* table_of(std::string_view name, const std::vector<Table>& tables) {
  const auto found = std::ranges::find(tables, name, &Table::name);
  return found == tables.end() ? nullptr : &*found;
}

bool has_column(const Table& table, std::string_view name) {
  return std::ranges::find(table.columns, name, &Column::name) != table.columns.end();
}

/// What is wrong with the line; empty: nothing.
std::string take_line(std::string_view line, const std::vector<Table>& tables, Changes& changes) {
  const std::size_t arrow = line.find(" -> ");
  const std::size_t plus = line.find(" + ");
  if (arrow == line.npos && plus == line.npos) {
    return "expected TABLE -> NAME, TABLE.COLUMN -> TYPE, or TABLE + MEMBER";
  }
  const std::size_t end = std::min(arrow, plus);
  const std::string_view what = trim(line.substr(0, end));
  const std::string_view value = trim(line.substr(end + (arrow < plus ? 4 : 3)));
  if (table_of(what, tables) != nullptr) {
    if (plus < arrow) {
      changes.members[std::string(what)].emplace_back(value);
    } else if (value == "skip") {
      changes.skipped.emplace(what);
    } else if (openapi_client::is_cpp_name(value)) {
      changes.names[std::string(what)] = value;
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
  if (plus < arrow || value.empty()) {
    return fmt::format("expected {} -> TYPE", what);
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
//     // eider: notes -> Note                   name of the struct for a table
//     // eider: audit -> skip                   no struct for a table
//     // eider: notes.contact -> eider::Email   C++ type of a column
//     // eider: notes.secret -> skip            no member for a column
//     // eider: notes + std::optional<Author> author = {{}};   another member, such as a relation
#pragma once
)",
      header);
}

}  // namespace eider::structs
