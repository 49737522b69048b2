#include "eider/data/db/postgres/statement_kinds.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "eider/core/base/text.h"
#include "eider/data/db/sql_lexer.h"

namespace eider::db::postgres {
namespace {

using detail::SqlLexer;
using detail::SqlToken;
using detail::SqlTokenKind;

bool begins_with(std::string_view sql, std::string_view word) noexcept {
  return SqlLexer(sql, detail::kPostgresSql).next_visible().is(word);
}

/// Words that may come before a parenthesis in a plain read: keywords, types, and functions of the
/// server that only compute. Sorted, for a binary search.
constexpr auto kHarmlessWords = std::to_array<std::string_view>({
    "abs",          "all",         "and",         "any",         "array",     "array_agg",
    "array_length", "as",          "avg",         "between",     "bool_and",  "bool_or",
    "btrim",        "by",          "cardinality", "case",        "cast",      "ceil",
    "char",         "char_length", "coalesce",    "concat",      "concat_ws", "count",
    "date_part",    "date_trunc",  "decimal",     "dense_rank",  "distinct",  "else",
    "encode",       "every",       "except",      "exists",      "extract",   "filter",
    "first_value",  "floor",       "format",      "from",        "greatest",  "having",
    "ilike",        "in",          "intersect",   "interval",    "is",        "join",
    "json_agg",     "jsonb_agg",   "lag",         "last_value",  "lateral",   "lead",
    "least",        "left",        "length",      "like",        "limit",     "lower",
    "lpad",         "ltrim",       "max",         "md5",         "min",       "mod",
    "not",          "now",         "ntile",       "nullif",      "numeric",   "octet_length",
    "offset",       "on",          "or",          "over",        "overlay",   "partition",
    "position",     "power",       "rank",        "replace",     "reverse",   "right",
    "round",        "row",         "row_number",  "row_to_json", "rpad",      "rtrim",
    "select",       "sign",        "some",        "split_part",  "sqrt",      "string_agg",
    "strpos",       "substr",      "substring",   "sum",         "then",      "time",
    "timestamp",    "timestamptz", "to_char",     "to_json",     "to_jsonb",  "to_tsquery",
    "to_tsvector",  "trim",        "trunc",       "ts_rank",     "union",     "unnest",
    "upper",        "using",       "values",      "varchar",     "when",      "where",
    "within",
});
static_assert(std::ranges::is_sorted(kHarmlessWords));

/// Up to PostgreSQL 14, "$1name" is two tokens.
bool is_after_number(const SqlToken& token, std::string_view sql) noexcept {
  const char before = detail::byte_before(token, sql);
  return before == '$' || detail::is_sql_word_byte(before);
}

/// before  the token before a parenthesis
bool may_open(const SqlToken& before, std::string_view sql) {
  if (before.kind == SqlTokenKind::other) {
    return before.text != "\"";
  }
  const std::string word = in_lower_case(before.text);
  return before.kind == SqlTokenKind::word && !is_after_number(before, sql) &&
         detail::byte_before(before, sql) != '.' &&
         std::ranges::binary_search(kHarmlessWords, std::string_view(word));
}

/// A field of a value, as in "($1).nextval", is a function call. A field of a name, with the dot
/// directly between them, is not.
///
/// before  the token before a dot
/// rest    after the dot
bool is_field_of_name(const SqlToken& before, std::string_view sql,
                      std::string_view rest) noexcept {
  const bool is_name = before.kind == SqlTokenKind::word || before.kind == SqlTokenKind::number;
  if (before.text != "\"" && (!is_name || is_after_number(before, sql))) {
    return false;
  }
  const bool is_adjacent = before.text.data() + before.text.size() + 1 == rest.data();
  const char next = rest.empty() ? ' ' : rest.front();
  return is_adjacent &&
         (detail::is_sql_word_byte(next) || next == '$' || next == '*' || next == '"');
}

/// Up to PostgreSQL 14, "1for" is two words.
bool may_lock_or_write(const SqlToken& token) noexcept {
  const std::string_view word =
      token.text.substr(std::min(token.text.find_first_not_of("0123456789"), token.text.size()));
  return std::ranges::any_of(
      std::to_array<std::string_view>({"for", "into", "uescape"}),
      [word](std::string_view one) { return equals_ignoring_case(word, one); });
}

/// before  the token before this one
/// rest    after this one
bool is_harmless(const SqlToken& token, const SqlToken& before, std::string_view sql,
                 std::string_view rest) {
  switch (token.kind) {
    case SqlTokenKind::word:
    case SqlTokenKind::number:
      // A dollar sign may begin a string that hides the next tokens.
      return !may_lock_or_write(token) && !token.text.contains('$');
    case SqlTokenKind::other:
      return token.text == "("   ? may_open(before, sql)
             : token.text == "." ? is_field_of_name(before, sql, rest)
                                 : token.text != "$";
    case SqlTokenKind::blank:
    case SqlTokenKind::parameter:
      return true;
    case SqlTokenKind::comment:
    case SqlTokenKind::quoted:
      return false;
  }
  return false;
}

}  // namespace

bool is_copy(std::string_view sql) noexcept {
  return begins_with(sql, "copy");
}

bool is_fetch(std::string_view sql) noexcept {
  return begins_with(sql, "fetch");
}

bool is_plain_read(std::string_view sql) {
  if (!begins_with(sql, "select")) {
    return false;
  }
  SqlToken before;
  for (SqlLexer lexer(sql, detail::kUnquotedSql); !lexer.is_at_end();) {
    const SqlToken token = lexer.next();
    if (!is_harmless(token, before, sql, lexer.rest())) {
      return false;
    }
    before = token.is_blank() ? before : token;
  }
  return true;
}

bool changes_session(std::string_view tag, std::string_view sql) noexcept {
  if (tag != "SET") {
    return tag == "LISTEN";
  }
  SqlLexer lexer(sql, detail::kPostgresSql);
  const bool is_set = lexer.next_visible().is("set");
  const bool is_local = lexer.next_visible().is_one_of({"local", "transaction"});
  return !is_set || !is_local || sql.contains(';');
}

}  // namespace eider::db::postgres
