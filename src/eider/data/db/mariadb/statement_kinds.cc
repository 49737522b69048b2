#include "eider/data/db/mariadb/statement_kinds.h"

#include <algorithm>
#include <cstddef>

#include "eider/core/base/text.h"
#include "eider/data/db/sql_lexer.h"

namespace eider::db::mariadb {
namespace {

using detail::SqlLexer;
using detail::SqlToken;
using detail::SqlTokenKind;

/// Returns the end of the whitespace or comment at `at`, or `at` if there is none. The server runs
/// the text of a comment that begins with '!': only its two ends count as whitespace.
std::size_t end_of_blank(std::string_view sql, std::size_t at) noexcept {
  const std::string_view rest = sql.substr(at);
  if (rest.starts_with("*/")) {
    return at + 2;
  }
  if (rest.starts_with("/*!") || rest.starts_with("/*M!")) {
    return std::min(sql.find_first_not_of("0123456789", sql.find('!', at) + 1), sql.size());
  }
  const SqlToken token = rest.empty() ? SqlToken() : SqlLexer(rest, detail::kMariadbSql).next();
  return token.is_blank() ? at + token.text.size() : at;
}

std::size_t skip_blanks(std::string_view sql, std::size_t at) noexcept {
  for (std::size_t end = end_of_blank(sql, at); end != at; end = end_of_blank(sql, at)) {
    at = end;
  }
  return at;
}

/// words  in lower case; each space matches one or more spaces and comments
bool begins_at(std::string_view sql, std::size_t at, std::string_view words) noexcept {
  for (const char c : words) {
    const std::size_t begin = at;
    at = c == ' ' ? skip_blanks(sql, at) : at + (at < sql.size() && to_lower(sql[at]) == c ? 1 : 0);
    if (at == begin) {
      return false;
    }
  }
  return true;
}

bool contains(std::string_view sql, std::string_view words) noexcept {
  for (std::size_t at = 0; at < sql.size(); ++at) {
    if (begins_at(sql, at, words)) {
      return true;
    }
  }
  return false;
}

/// Skips whitespace, comments and parentheses.
SqlToken first_word(std::string_view sql) noexcept {
  std::size_t at = skip_blanks(sql, 0);
  while (at < sql.size() && sql[at] == '(') {
    at = skip_blanks(sql, at + 1);
  }
  return SqlLexer(sql.substr(at), detail::kMariadbSql).next_visible();
}

/// Returns whether a '(' after this token cannot call a function that an application has defined. A
/// function of the server with a space after its name may be another one.
///
/// before  the token before it, or one without text
bool is_known(const SqlToken& before, std::string_view sql, bool is_adjacent) noexcept {
  static constexpr std::initializer_list<std::string_view> kFunctions = {
      "count", "sum",    "min", "max",    "avg",   "cast",     "ifnull", "lower",
      "upper", "concat", "if",  "nullif", "round", "coalesce", "length"};
  static constexpr std::initializer_list<std::string_view> kWords = {
      "in",  "and",    "or",    "not",    "on",    "as",   "from",
      "all", "join",   "where", "select", "when",  "then", "else",
      "by",  "exists", "using", "having", "union", "over", "values"};
  // An operator or a comma; a name may end with a quote or be a dollar sign.
  if (before.kind == SqlTokenKind::other) {
    return !before.is_one_of({"`", "\"", "$"});
  }
  const char previous = detail::byte_before(before, sql);
  const bool is_part =
      previous == '.' || previous == '@' || previous == '$' || detail::is_sql_word_byte(previous);
  return before.kind == SqlTokenKind::word && !is_part &&
         (before.is_one_of(kWords) || (is_adjacent && before.is_one_of(kFunctions)));
}

}  // namespace

bool may_change_session(std::string_view sql) noexcept {
  constexpr std::string_view kSigns[] = {"get_lock",     ":=",
                                         "into @",       "into@",
                                         "temporary",    "lock table",
                                         "handler ",     "prepare",
                                         "with read",    "set transaction",
                                         "tx_isolation", "transaction_isolation",
                                         "tx_read_only", "transaction_read_only"};
  return std::ranges::any_of(kSigns, [sql](std::string_view sign) { return contains(sql, sign); });
}

bool only_reads(std::string_view sql) noexcept {
  constexpr detail::SqlDialect kUnquoted{.has_quotes = false, .has_hash_comments = true};
  if (!first_word(sql).is("select")) {
    return false;
  }
  SqlToken before;
  bool is_adjacent = false;
  for (SqlLexer lexer(sql, kUnquoted); !lexer.is_at_end();) {
    const SqlToken token = lexer.next();
    if (token.kind == SqlTokenKind::comment ||
        (token.text == "(" && !is_known(before, sql, is_adjacent))) {
      return false;
    }
    is_adjacent = !token.is_blank();
    before = token.is_blank() ? before : token;
  }
  return true;
}

bool is_select(std::string_view sql) noexcept {
  return first_word(sql).is_one_of({"select", "with", "values"});
}

bool is_one_transaction(std::string_view sql) noexcept {
  return first_word(sql).is_one_of({"insert", "update", "delete", "replace", "select", "with"});
}

Translated translate(std::string_view sql) {
  // read_sql reads '#' as an operator, and counts the parameters after it. If its comment contains
  // '?', the server rejects the statement; otherwise it would ignore their values.
  constexpr detail::SqlDialect kAsCounted{.has_backticks = true};
  Translated made;
  made.sql.reserve(sql.size());
  for (SqlLexer lexer(sql, kAsCounted); !lexer.is_at_end();) {
    const SqlToken token = lexer.next();
    if (token.kind == SqlTokenKind::parameter) {
      made.sql += '?';
      made.order.push_back(token.number() - 1);
    } else {
      made.sql += token.text;
    }
  }
  return made;
}

}  // namespace eider::db::mariadb
