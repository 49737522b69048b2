#include "eider/data/db/postgres/statement_kinds.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "eider/core/base/text.h"

namespace eider::db::postgres {
namespace {

constexpr std::string_view kSpaces = " \t\r\n\f\v";

bool is_of_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Removes a comment or spaces from the front, and says whether there were any.
bool drop_blank(std::string_view& sql) noexcept {
  const bool is_block = sql.starts_with("/*");
  if (!is_block && !sql.starts_with("--")) {
    const std::size_t spaces = std::min(sql.find_first_not_of(kSpaces), sql.size());
    sql.remove_prefix(spaces);
    return spaces != 0;
  }
  const std::string_view end = is_block ? "*/" : "\n";
  const std::size_t at = sql.find(end);
  sql.remove_prefix(at == std::string_view::npos ? sql.size() : at + end.size());
  return true;
}

/// The word at the front of `sql`, which loses it; empty when something else is there.
std::string_view take_word(std::string_view& sql) noexcept {
  while (drop_blank(sql)) {
  }
  const auto* end = std::ranges::find_if_not(sql, is_of_word);
  const std::string_view word = sql.substr(0, static_cast<std::size_t>(end - sql.begin()));
  sql.remove_prefix(word.size());
  return word;
}

/// What may stand ahead of a parenthesis in a plain read: words of the language, types, and
/// functions of the server that only compute. In order, for a search.
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

bool is_of_name(char c) noexcept {
  return is_of_word(c) || (c >= '0' && c <= '9') || c == '$' ||
         static_cast<unsigned char>(c) >= 128;
}

/// The name that `text` ends with; empty where it ends with anything else.
std::string_view last_name(std::string_view text) noexcept {
  const auto begin = std::ranges::find_if_not(text.rbegin(), text.rend(), is_of_name).base();
  return {begin, text.end()};
}

/// before  all that stands ahead of a parenthesis
bool may_open(std::string_view before) {
  before = before.substr(0, before.find_last_not_of(kSpaces) + 1);
  const std::string_view name = last_name(before);
  if (name.empty()) {
    return !before.ends_with('"');
  }
  before.remove_suffix(name.size());
  std::string word(name);
  std::ranges::transform(word, word.begin(), to_lower);
  return !before.ends_with('.') &&
         std::ranges::binary_search(kHarmlessWords, std::string_view(word));
}

/// Up to PostgreSQL 14 "1for" and "$1for" are two words.
bool has_name(std::string_view sql, std::string_view wanted) noexcept {
  while (!sql.empty()) {
    const auto* const end = std::ranges::find_if_not(sql, is_of_name);
    const std::string_view name(sql.begin(), end);
    const std::size_t digits = std::min(name.find_first_not_of("$0123456789"), name.size());
    if (equals_ignoring_case(name.substr(digits), wanted)) {
      return true;
    }
    sql.remove_prefix(std::max<std::size_t>(name.size(), 1));
  }
  return false;
}

/// Of a value, as in "($1).nextval", a field is the call of a function; of names it is none that
/// stand close to the dot.
bool has_field_of_value(std::string_view sql) noexcept {
  for (std::size_t at = sql.find('.'); at != std::string_view::npos; at = sql.find('.', at + 1)) {
    const std::string_view before = sql.substr(0, at);
    const char next = at + 1 < sql.size() ? sql[at + 1] : ' ';
    const std::string_view name = last_name(before);
    const bool is_name = name.empty() ? before.ends_with('"') : !name.starts_with('$');
    if (!is_name || !(is_of_name(next) || next == '*' || next == '"')) {
      return true;
    }
  }
  return false;
}

/// A text between dollars, which hides what stands next to it; "$1" is none.
bool has_dollar_quote(std::string_view sql) noexcept {
  for (std::size_t at = sql.find('$'); at != std::string_view::npos; at = sql.find('$', at + 1)) {
    if (at + 1 == sql.size() || sql[at + 1] < '0' || sql[at + 1] > '9') {
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_copy(std::string_view sql) noexcept {
  return equals_ignoring_case(take_word(sql), "copy");
}

bool is_fetch(std::string_view sql) noexcept {
  return equals_ignoring_case(take_word(sql), "fetch");
}

bool is_plain_read(std::string_view sql) {
  std::string_view rest = sql;
  if (!equals_ignoring_case(take_word(rest), "select")) {
    return false;
  }
  for (const char* name : {"for", "into", "uescape"}) {
    if (has_name(sql, name)) {
      return false;
    }
  }
  if (sql.contains("--") || sql.contains("/*") || has_dollar_quote(sql) ||
      has_field_of_value(sql)) {
    return false;
  }
  for (std::size_t at = sql.find('('); at != std::string_view::npos; at = sql.find('(', at + 1)) {
    if (!may_open(sql.substr(0, at))) {
      return false;
    }
  }
  return true;
}

bool changes_session(std::string_view tag, std::string_view sql) noexcept {
  if (tag != "SET") {
    return tag == "LISTEN";
  }
  const bool is_set = equals_ignoring_case(take_word(sql), "set");
  const std::string_view next = take_word(sql);
  const bool is_local =
      equals_ignoring_case(next, "local") || equals_ignoring_case(next, "transaction");
  return !is_set || !is_local || sql.find(';') != std::string_view::npos;
}

}  // namespace eider::db::postgres
