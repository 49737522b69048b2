#include "eider/data/db/bound_value.h"

#include <algorithm>
#include <string>
#include <vector>

#include "eider/core/base/text.h"
#include "eider/data/db/sql_lexer.h"

namespace eider::db {
namespace {

using detail::SqlToken;
using detail::SqlTokenKind;
using Tokens = std::span<const SqlToken>;

std::string text_of(const Value& value) {
  return value.integer() ? std::to_string(*value.integer())
                         : (value.text() == nullptr ? std::string() : *value.text());
}

bool is_name(const SqlToken& token, std::string_view column) noexcept {
  return equals_ignoring_case(token.name(), column);
}

/// Returns the elements of the list in the parentheses at the front of `tokens`.
std::vector<Tokens> elements_of(Tokens tokens) {
  std::vector<Tokens> elements;
  const std::size_t depth = tokens.front().depth;
  std::size_t begin = 1;
  for (std::size_t at = 1; at < tokens.size(); ++at) {
    const bool is_end = tokens[at].text == ")" && tokens[at].depth == depth;
    if (is_end || (tokens[at].text == "," && tokens[at].depth == depth + 1)) {
      elements.push_back(tokens.subspan(begin, at - begin));
      begin = at + 1;
    }
    if (is_end) {
      break;
    }
  }
  return elements;
}

/// Returns the index of the parameter "$1".
std::optional<std::size_t> index_in(const SqlToken& token) noexcept {
  const bool is_parameter = token.kind == SqlTokenKind::parameter && token.number() > 0;
  return is_parameter ? std::optional(token.number() - 1) : std::nullopt;
}

std::optional<std::size_t> index_in_insert(Tokens tokens, std::string_view column) {
  const auto is_open = [](const SqlToken& token) { return token.text == "("; };
  const auto values =
      std::ranges::find_if(tokens, [](const SqlToken& token) { return token.is("values"); });
  const auto names_at = std::find_if(tokens.begin(), values, is_open);
  const auto list_at = std::find_if(values, tokens.end(), is_open);
  if (names_at == values || list_at == tokens.end()) {
    return std::nullopt;
  }
  const auto names = elements_of({names_at, tokens.end()});
  const auto expressions = elements_of({list_at, tokens.end()});
  for (std::size_t i = 0; i < names.size() && i < expressions.size(); ++i) {
    if (names[i].size() == 1 && is_name(names[i][0], column)) {
      return expressions[i].size() == 1 ? index_in(expressions[i][0]) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> index_in_update(Tokens tokens, std::string_view column) {
  for (std::size_t at = 1; at + 1 < tokens.size(); ++at) {
    if (tokens[at].text == "=" && is_name(tokens[at - 1], column)) {
      return index_in(tokens[at + 1]);
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
  const std::vector<SqlToken> tokens = detail::tokens_of(sql, detail::kAnySql);
  const auto inserted = index_in_insert(tokens, column);
  return inserted ? inserted : index_in_update(tokens, column);
}

}  // namespace eider::db
