// The names of structs, and the differences between two headers.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "cli/db/structs/source.h"
#include "eider/core/base/text.h"

namespace eider::structs {
namespace {

constexpr std::string_view kRowOf = "/// A row of the table ";
constexpr std::string_view kComment = "  // ";

/// Returns the singular of an English noun; users can set other names in their file.
std::string singular_of(std::string_view word) {
  const auto ends = [&word](std::string_view end) { return word.ends_with(end); };
  const auto without = [&word](std::size_t bytes) {
    return std::string(word.substr(0, word.size() - bytes));
  };
  if (word.size() < 4 || ends("ss") || ends("us") || ends("is")) {
    return std::string(word);
  }
  if (ends("ies")) {
    return without(3) + "y";
  }
  if (ends("sses") || ends("shes") || ends("ches") || ends("xes") || ends("zzes")) {
    return without(2);
  }
  return ends("s") ? without(1) : std::string(word);
}

/// The columns of one table: descriptions by name.
using Described = std::map<std::string, std::string, std::less<>>;

std::map<std::string, Described, std::less<>> columns_in(std::string_view text) {
  std::map<std::string, Described, std::less<>> tables;
  Described* table = nullptr;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with(kRowOf)) {
      const std::string_view name = line.substr(kRowOf.size());
      table = &tables[std::string(name.substr(0, name.size() - (name.ends_with('.') ? 1 : 0)))];
    } else if (line == "};") {
      table = nullptr;
    }
    const std::size_t comment = table == nullptr ? line.npos : line.rfind(kComment);
    if (comment != line.npos) {
      const std::string_view told = line.substr(comment + kComment.size());
      const std::size_t colon = std::min(told.find(": "), told.size());
      (*table)[std::string(told.substr(0, colon))] = told.substr(std::min(colon + 2, told.size()));
    }
  }
  return tables;
}

}  // namespace

std::string struct_name_of(std::string_view table) {
  std::string name;
  std::string last(table);
  std::string ahead;
  const std::size_t end = table.find_last_of("_. -");
  if (end != table.npos) {
    ahead = table.substr(0, end + 1);
    last = table.substr(end + 1);
  }
  bool is_begin = true;
  for (const char byte : ahead + singular_of(last)) {
    const bool is_part =
        is_letter(byte) || is_digit(byte) || static_cast<unsigned char>(byte) >= 0x80;
    if (is_part) {
      name += is_begin && byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A') : byte;
    }
    is_begin = !is_part;
  }
  return name;
}

std::vector<std::string> differences_of(std::string_view before, std::string_view after) {
  const auto old_tables = columns_in(before);
  const auto new_tables = columns_in(after);
  std::vector<std::string> lines;
  for (const auto& [name, columns] : new_tables) {
    const auto old = old_tables.find(name);
    if (old == old_tables.end()) {
      lines.push_back(fmt::format("{}: the table was added", name));
      continue;
    }
    for (const auto& [column, description] : columns) {
      const auto known = old->second.find(column);
      if (known == old->second.end()) {
        lines.push_back(fmt::format("{}.{}: the column was added ({})", name, column, description));
      } else if (known->second != description) {
        lines.push_back(fmt::format("{}.{}: the column was changed from \"{}\" to \"{}\"", name,
                                    column, known->second, description));
      }
    }
    for (const auto& [column, description] : old->second) {
      if (!columns.contains(column)) {
        lines.push_back(
            fmt::format("{}.{}: the column was removed ({})", name, column, description));
      }
    }
  }
  for (const auto& [name, columns] : old_tables) {
    if (!new_tables.contains(name)) {
      lines.push_back(fmt::format("{}: the table was removed", name));
    }
  }
  return lines;
}

}  // namespace eider::structs
