#include "eider/data/db/bound_value.h"

#include <algorithm>
#include <string>
#include <vector>

#include "eider/core/base/text.h"

namespace eider::db {
namespace {

std::string text_of(const Value& value) {
  return value.integer() ? std::to_string(*value.integer())
                         : (value.text() == nullptr ? std::string() : *value.text());
}

std::string_view stripped(std::string_view text) noexcept {
  constexpr std::string_view kSpace = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

std::string_view without_quotes(std::string_view name) noexcept {
  constexpr std::string_view kQuotes = "`\"";
  const bool is_quoted = name.size() > 1 && kQuotes.contains(name.front());
  return is_quoted ? name.substr(1, name.size() - 2) : name;
}

/// The elements of the list whose parenthesis is at the front of `text`.
std::vector<std::string_view> elements_of(std::string_view text) {
  std::vector<std::string_view> elements;
  unsigned depth = 0;
  std::size_t begin = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char byte = text[at];
    if (byte == '(') {
      ++depth;
    } else if ((byte == ',' && depth == 1) || (byte == ')' && --depth == 0)) {
      elements.push_back(stripped(text.substr(begin, at - begin)));
      begin = at + 1;
      if (depth == 0) {
        break;
      }
    }
  }
  return elements;
}

/// The index of "$1".
std::optional<std::size_t> index_in(std::string_view expression) noexcept {
  const bool is_parameter = expression.starts_with('$');
  const auto number = is_parameter ? parse_int64(expression.substr(1)) : std::nullopt;
  return number && *number > 0 ? std::optional(static_cast<std::size_t>(*number - 1))
                               : std::nullopt;
}

std::size_t find_word(std::string_view sql, std::string_view word) noexcept {
  for (std::size_t at = 0; at + word.size() <= sql.size(); ++at) {
    if (equals_ignoring_case(sql.substr(at, word.size()), word)) {
      return at;
    }
  }
  return std::string_view::npos;
}

std::optional<std::size_t> index_in_insert(std::string_view sql, std::string_view column) {
  const std::size_t values = find_word(sql, "values");
  const std::size_t names_at = sql.find('(');
  const std::size_t list_at = sql.find('(', values);
  if (values == std::string_view::npos || names_at > values || list_at == std::string_view::npos) {
    return std::nullopt;
  }
  const auto names = elements_of(sql.substr(names_at));
  const auto expressions = elements_of(sql.substr(list_at));
  for (std::size_t i = 0; i < names.size() && i < expressions.size(); ++i) {
    if (equals_ignoring_case(without_quotes(names[i]), column)) {
      return index_in(expressions[i]);
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> index_in_update(std::string_view sql, std::string_view column) {
  for (std::size_t at = sql.find('='); at != std::string_view::npos; at = sql.find('=', at + 1)) {
    const std::string_view before = stripped(sql.substr(0, at));
    const std::size_t begin = before.find_last_of(" ,.\n\t") + 1;
    const std::string_view after = stripped(sql.substr(at + 1));
    if (equals_ignoring_case(without_quotes(before.substr(begin)), column)) {
      return index_in(after.substr(0, after.find_first_not_of("$0123456789")));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<RefusedValue> refused_at(std::span<const Value> values,
                                       std::optional<std::size_t> index) {
  if (!index || *index >= values.size()) {
    return std::nullopt;
  }
  return RefusedValue{.text = text_of(values[*index]), .detail = "is not accepted by the database"};
}

std::optional<std::size_t> index_stored_in(std::string_view sql, std::span<const Value> values,
                                           std::string_view column) {
  if (values.size() == 1) {
    return 0;
  }
  if (column.empty()) {
    return std::nullopt;
  }
  const auto inserted = index_in_insert(sql, column);
  return inserted ? inserted : index_in_update(sql, column);
}

}  // namespace eider::db
