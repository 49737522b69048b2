#include "eider/json/csv.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace eider::json {

namespace {

using Names = std::vector<std::string_view>;

/// More columns than that are no table.
constexpr std::size_t kColumnsMax = 1000;

bool is_flat(const Value& value) noexcept {
  return value.is_object() && std::ranges::none_of(value.members(), [](const Field& member) {
           return member.value.is_object() || member.value.is_array();
         });
}

/// Nothing where it is no list of flat objects.
std::optional<Names> columns_of(const Value& list) {
  Names names;
  if (!list.is_array()) {
    return std::nullopt;
  }
  for (const Value& row : list.elements()) {
    if (!is_flat(row)) {
      return std::nullopt;
    }
    for (std::size_t at = 0; at < row.size(); ++at) {
      const std::string_view name = row.members()[at].name;
      const bool is_where_it_was = at < names.size() && names[at] == name;
      if (!is_where_it_was && std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
    }
    if (names.size() > kColumnsMax) {
      return std::nullopt;
    }
  }
  return names;
}

void put_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char byte : text) {
    out.append(byte == '"' ? 2 : 1, byte);
  }
  out += '"';
}

bool may_be_formula(std::string_view text) noexcept {
  return !text.empty() && std::string_view("=+-@\t\r\n").contains(text.front());
}

void put_text(std::string& out, std::string_view text, CsvFormulas formulas) {
  const bool is_escaped = formulas == CsvFormulas::escape && may_be_formula(text);
  const bool is_quoted =
      text.find_first_of(",\"\r\n") != text.npos || text.starts_with(' ') || text.ends_with(' ');
  if (is_quoted) {
    put_quoted(out, is_escaped ? "'" + std::string(text) : std::string(text));
  } else {
    out.append(is_escaped ? "'" : "").append(text);
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

}  // namespace

std::optional<std::string> to_csv(const Value& list, CsvFormulas formulas) {
  const std::optional<Names> names = columns_of(list);
  if (!names) {
    return std::nullopt;
  }
  std::string out;
  for (std::size_t at = 0; at < names->size(); ++at) {
    out.append(at == 0 ? "" : ",");
    put_text(out, (*names)[at], formulas);
  }
  out.append(names->empty() ? "" : "\r\n");
  for (const Value& row : list.elements()) {
    for (std::size_t at = 0; at < names->size(); ++at) {
      out.append(at == 0 ? "" : ",");
      put_value(out, row.find((*names)[at]), formulas);
    }
    out.append("\r\n");
  }
  return out;
}

}  // namespace eider::json
