#include "eider/data/db/sql_lexer.h"

#include <algorithm>

#include "eider/core/base/text.h"

namespace eider::db::detail {

bool SqlToken::is(std::string_view word) const noexcept {
  return equals_ignoring_case(text, word);
}

bool SqlToken::is_one_of(std::initializer_list<std::string_view> words) const noexcept {
  return std::ranges::any_of(words, [this](std::string_view word) { return is(word); });
}

std::string_view SqlToken::name() const noexcept {
  const bool is_quoted = text.size() > 1 && (text.front() == '"' || text.front() == '`');
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

std::vector<SqlToken> tokens_of(std::string_view sql, const SqlDialect& dialect) {
  std::vector<SqlToken> tokens;
  std::size_t depth = 0;
  SqlLexer lexer(sql, dialect);
  for (SqlToken token = lexer.next_visible(); !token.text.empty(); token = lexer.next_visible()) {
    depth -= token.text == ")" && depth > 0 ? 1U : 0U;
    token.depth = depth;
    depth += token.text == "(" ? 1U : 0U;
    tokens.push_back(token);
  }
  return tokens;
}

}  // namespace eider::db::detail
