#include "eider/core/json/csv.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eider/core/base/hidden_text.h"
#include "eider/core/base/text.h"

namespace eider::json {

namespace {

/// Lists with more columns are not treated as tables.
constexpr std::size_t kColumnsMax = 1000;
/// Nor are lists with more than so many cells per value, except small ones.
constexpr std::size_t kCellsPerValueMax = 8;
constexpr std::size_t kSmallCells = 10000;

/// The columns of a list, and the index of each name.
struct Columns {
  std::vector<std::string_view> names;
  std::unordered_map<std::string_view, std::size_t> places;

  /// guess  the index of the name in the previous row
  std::size_t place_of(std::string_view name, std::size_t guess) {
    if (guess < names.size() && names[guess] == name) {
      return guess;
    }
    const auto [found, is_new] = places.try_emplace(name, names.size());
    if (is_new) {
      names.push_back(name);
    }
    return found->second;
  }
};

bool is_flat(const Value& value) noexcept {
  return value.is_object() && std::ranges::none_of(value.members(), [](const Field& member) {
           return member.value.is_object() || member.value.is_array();
         });
}

/// Returns nothing if it is not a list of flat objects, or too sparse: the size of the table is the
/// product of its names and objects, even if most cells are empty.
std::optional<Columns> columns_of(const Value& list) {
  Columns columns;
  if (!list.is_array()) {
    return std::nullopt;
  }
  std::size_t values = 0;
  for (const Value& row : list.elements()) {
    if (!is_flat(row) || row.size() > kColumnsMax) {
      return std::nullopt;
    }
    for (std::size_t at = 0; at < row.size(); ++at) {
      static_cast<void>(columns.place_of(row.members()[at].name, at));
    }
    if (columns.names.size() > kColumnsMax) {
      return std::nullopt;
    }
    values += row.size();
  }
  const std::size_t cells = columns.names.size() * list.size();
  if (cells > std::max(kSmallCells, kCellsPerValueMax * values)) {
    return std::nullopt;
  }
  return columns;
}

void put_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char byte : text) {
    out.append(byte == '"' ? 2 : 1, byte);
  }
  out += '"';
}

/// The last four are full-width signs, which some programs treat as the first four.
constexpr std::array<std::string_view, 8> kFormulaStarts = {"=",      "+",      "-",      "@",
                                                            "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
/// Programs with other settings start a new cell at these, even inside quotes.
constexpr std::string_view kSeparators = ";\t\r\n";
/// Programs ignore these before a formula: blanks, the one that does not break a line, the one of
/// full width, and quotes.
constexpr std::array<std::string_view, 4> kIgnoredAhead = {" ", "\"", "\u00A0", "\u3000"};

/// Returns the bytes of the character at the start of `text` that programs ignore before a formula;
/// 0 if there is none. Those that are not displayed are ignored, too.
std::size_t ignored_bytes(std::string_view text) noexcept {
  for (const std::string_view ignored : kIgnoredAhead) {
    if (text.starts_with(ignored)) {
      return ignored.size();
    }
  }
  return hidden_at(text).bytes;
}

bool starts_formula(std::string_view text) noexcept {
  return std::ranges::any_of(kFormulaStarts,
                             [text](std::string_view start) { return text.starts_with(start); });
}

/// Writes an apostrophe before each formula: at the start of the text, and after a separator, which
/// starts a cell in some programs.
std::string without_formulas(std::string_view text) {
  const bool is_separator_first = !text.empty() && std::string_view("\t\r\n").contains(text[0]);
  std::string safe = is_separator_first ? "'" : "";
  for (bool is_at_start = true; !text.empty();) {
    if (is_at_start && starts_formula(text)) {
      safe += '\'';
    }
    const std::size_t ignored = is_at_start ? ignored_bytes(text) : 0;
    is_at_start = ignored != 0 || kSeparators.contains(text.front());
    safe.append(text.substr(0, std::max<std::size_t>(ignored, 1)));
    text.remove_prefix(std::max<std::size_t>(ignored, 1));
  }
  return safe;
}

/// Returns whether the text is a number such as "-12.50", which a spreadsheet does not execute: a
/// Decimal is a text in JSON.
bool is_negative_number(std::string_view text) noexcept {
  if (!text.starts_with('-')) {
    return false;
  }
  const std::size_t point = std::min(text.find('.'), text.size());
  const auto has_digits = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, is_digit);
  };
  return has_digits(text.substr(1, point - 1)) &&
         (point == text.size() || has_digits(text.substr(point + 1)));
}

void put_text(std::string& out, std::string_view text, CsvFormulas formulas) {
  std::string safe;
  if (formulas == CsvFormulas::escape && !is_negative_number(text)) {
    safe = without_formulas(text);
    text = safe;
  }
  const bool is_quoted =
      text.find_first_of(",;\t\"\r\n") != text.npos || text.starts_with(' ') || text.ends_with(' ');
  if (is_quoted) {
    put_quoted(out, text);
  } else {
    out.append(text);
  }
}

void put_value(std::string& out, const Value* value, CsvFormulas formulas) {
  if (value == nullptr || value->is_null()) {
    return;
  }
  if (value->is_string()) {
    put_text(out, value->text(), formulas);
  } else {
    out.append(to_text(*value));
  }
}

/// Writes a line; calls `put_cell(at)` for each column.
template <class PutCell>
void put_line(std::string& out, std::size_t columns_count, PutCell put_cell) {
  for (std::size_t at = 0; at < columns_count; ++at) {
    out.append(at == 0 ? "" : ",");
    put_cell(at);
  }
  out.append("\r\n");
}

template <class Names>
void put_line_of_names(std::string& out, const Names& names, CsvFormulas formulas) {
  if (!names.empty()) {
    put_line(out, names.size(), [&](std::size_t at) { put_text(out, names[at], formulas); });
  }
}

}  // namespace

CsvLines::CsvLines(std::vector<std::string> names, CsvFormulas formulas)
    : names_(std::move(names)), formulas_(formulas) {}

void CsvLines::put_names(std::string& out) const {
  put_line_of_names(out, names_, formulas_);
}

bool CsvLines::put(std::string& out, const Value& object) const {
  if (!is_flat(object)) {
    return false;
  }
  put_line(out, names_.size(), [&](std::size_t at) {
    // Usually the members have the same order as the columns.
    const bool is_there = at < object.size() && object.members()[at].name == names_[at];
    put_value(out, is_there ? &object.members()[at].value : object.find(names_[at]), formulas_);
  });
  return true;
}

std::optional<std::string> to_csv(const Value& list, CsvFormulas formulas) {
  std::optional<Columns> columns = columns_of(list);
  if (!columns) {
    return std::nullopt;
  }
  std::string out;
  put_line_of_names(out, columns->names, formulas);
  std::vector<const Value*> cells(columns->names.size());
  for (const Value& row : list.elements()) {
    std::ranges::fill(cells, nullptr);
    for (std::size_t at = 0; at < row.size(); ++at) {
      cells[columns->place_of(row.members()[at].name, at)] = &row.members()[at].value;
    }
    put_line(out, cells.size(), [&](std::size_t at) { put_value(out, cells[at], formulas); });
  }
  return out;
}

}  // namespace eider::json
