#include "eider/cli/db/nullability.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "eider/base/text.h"

namespace eider {
namespace {

/// A word, or one other byte. Quotes and comments are one each.
struct SqlToken {
  std::string_view text;
  std::size_t depth;  // of brackets

  [[nodiscard]] bool is(std::string_view word) const noexcept {
    return equals_ignoring_case(text, word);
  }
};

bool is_sql_word_byte(char byte) noexcept {
  return is_letter(byte) || is_digit(byte) || byte == '_' || byte == '$' ||
         static_cast<unsigned char>(byte) >= 0x80;
}

std::size_t token_bytes(std::string_view rest) noexcept {
  if (rest.starts_with("--")) {
    return std::min(rest.find('\n'), rest.size());
  }
  if (rest.starts_with("/*")) {
    const std::size_t end = rest.find("*/", 2);
    return end == std::string_view::npos ? rest.size() : end + 2;
  }
  if (rest[0] == '\'' || rest[0] == '"' || rest[0] == '`') {
    const std::size_t end = rest.find(rest[0], 1);
    return end == std::string_view::npos ? rest.size() : end + 1;
  }
  const auto* end = std::ranges::find_if_not(rest, is_sql_word_byte);
  return std::max<std::size_t>(1, static_cast<std::size_t>(end - rest.begin()));
}

std::vector<SqlToken> tokens_of(std::string_view sql) {
  std::vector<SqlToken> tokens;
  std::size_t depth = 0;
  while (!sql.empty()) {
    const std::string_view text = sql.substr(0, token_bytes(sql));
    sql.remove_prefix(text.size());
    const bool is_blank = text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r');
    if (is_blank || text.starts_with("--") || text.starts_with("/*")) {
      continue;
    }
    depth -= text == ")" && depth > 0 ? 1U : 0U;
    tokens.push_back({text, depth});
    depth += text == "(" ? 1U : 0U;
  }
  return tokens;
}

bool has_word(std::span<const SqlToken> tokens, std::string_view word) noexcept {
  return std::ranges::any_of(tokens, [word](const SqlToken& token) { return token.is(word); });
}

/// What stands between `select` (or `returning`) and `from`, cut at its commas.
std::vector<std::span<const SqlToken>> items_of(std::span<const SqlToken> tokens) {
  const auto find = [tokens](std::string_view word) {
    return std::ranges::find_if(
        tokens, [word](const SqlToken& token) { return token.depth == 0 && token.is(word); });
  };
  auto begin = find("returning");
  if (begin == tokens.end()) {
    begin = find("select");
  }
  std::vector<std::span<const SqlToken>> items;
  if (begin == tokens.end()) {
    return items;
  }
  ++begin;
  if (begin != tokens.end() && (begin->is("distinct") || begin->is("all"))) {
    ++begin;
  }
  auto item = begin;
  for (auto at = begin; at != tokens.end() && !(at->depth == 0 && at->is("from")); ++at) {
    if (at->depth == 0 && at->text == ",") {
      items.emplace_back(item, at);
      item = at + 1;
    }
  }
  const auto end = std::find_if(item, tokens.end(), [](const SqlToken& token) {
    return token.depth == 0 && token.is("from");
  });
  items.emplace_back(item, end);
  return items;
}

/// `a`, `t.a`, `a as b`: no more than a column.
bool is_plain_column(std::span<const SqlToken> item) noexcept {
  return !item.empty() && std::ranges::none_of(item, [](const SqlToken& token) {
    return token.text == "(" || token.text == "*" || token.is("case") || token.is("null");
  });
}

/// `count(…)`, `exists(…)`, a literal, `coalesce(…, literal)`: never null.
bool is_never_null(std::span<const SqlToken> item) noexcept {
  static constexpr auto kNames = std::to_array<std::string_view>({"count", "exists"});
  if (item.empty()) {
    return false;
  }
  const auto is_literal = [](const SqlToken& token) {
    return is_digit(token.text[0]) || token.text[0] == '\'';
  };
  const auto close = std::ranges::find_if(
      item, [](const SqlToken& token) { return token.depth == 0 && token.text == ")"; });
  const bool is_whole =
      close == item.end() || std::distance(close, item.end()) == 1 || (close + 1)->is("as");
  if (!is_whole) {
    return false;
  }
  const bool is_call = item.size() > 2 && item[1].text == "(";
  if (is_call && item[0].is("coalesce")) {
    return is_literal(*(close - 1)) && (close - 2)->text == ",";
  }
  return (is_call && std::ranges::any_of(kNames, [&](auto name) { return item[0].is(name); })) ||
         (is_literal(item[0]) && (item.size() == 1 || item[1].is("as")));
}

std::size_t count_of(std::string_view text, std::string_view part) noexcept {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

/// Tables whose rows an outer join may lack.
struct OuterJoins {
  std::vector<std::string_view> tables{};
  bool are_all = false;  // in doubt, each
};

bool has_name(std::span<const std::string> names, std::string_view name) noexcept {
  return std::ranges::any_of(names,
                             [name](const auto& one) { return equals_ignoring_case(one, name); });
}

std::string_view unquoted(std::string_view name) noexcept {
  const bool is_quoted = name.size() > 1 && (name.front() == '"' || name.front() == '`');
  return is_quoted ? name.substr(1, name.size() - 2) : name;
}

/// "marks" of `main."marks" m`.
std::string_view last_name(std::span<const SqlToken> tokens) noexcept {
  while (tokens.size() > 2 && tokens[1].text == ".") {
    tokens = tokens.subspan(2);
  }
  return unquoted(tokens[0].text);
}

/// What is joined is known by its name where that is a table's, and no part of the statement, nor
/// of a view, stands for another.
OuterJoins outer_joins_of(std::span<const SqlToken> tokens, std::string_view plan,
                          const SchemaNames& schema) {
  OuterJoins joins;
  const std::size_t planned = count_of(plan, "LEFT-JOIN");
  if (planned == 0 && count_of(plan, "RIGHT-JOIN") == 0 && count_of(plan, "FULL-JOIN") == 0) {
    return joins;
  }
  joins.are_all =
      has_word(tokens, "with") || std::ranges::any_of(tokens, [&schema](const SqlToken& token) {
        return has_name(schema.views, unquoted(token.text));
      });
  std::size_t told = 0;
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is("join")) {
      continue;
    }
    const SqlToken& kind = tokens[i - 1].is("outer") && i > 1 ? tokens[i - 2] : tokens[i - 1];
    joins.are_all = joins.are_all || kind.is("right") || kind.is("full");
    if (kind.is("left")) {
      ++told;
      joins.tables.push_back(last_name(tokens.subspan(i + 1)));
      joins.are_all = joins.are_all || !has_name(schema.tables, joins.tables.back());
    }
  }
  joins.are_all = joins.are_all || told < planned;
  return joins;
}

bool has_any_token(std::span<const SqlToken> tokens, std::span<const std::string_view> words) {
  return std::ranges::any_of(tokens, [words](const SqlToken& token) {
    return token.depth == 0 &&
           std::ranges::any_of(words, [&](auto word) { return token.is(word); });
  });
}

constexpr auto kUnions =
    std::to_array<std::string_view>({"union", "except", "intersect", "values"});

/// Where one row comes of none: an aggregate without groups, and what unites several.
bool may_make_rows(std::span<const SqlToken> tokens) noexcept {
  static constexpr auto kAggregates =
      std::to_array<std::string_view>({"max", "min", "sum", "avg", "total", "group_concat",
                                       "string_agg", "count", "json_group_array"});
  const bool has_insert = !tokens.empty() && (tokens[0].is("insert") || tokens[0].is("replace"));
  return (has_any_token(tokens, kAggregates) && !has_word(tokens, "group")) ||
         (has_any_token(tokens, kUnions) && !has_insert);
}

/// PostgreSQL's e'\'' and $$'$$, where a quote may be none.
bool has_other_quotes(std::string_view sql) noexcept {
  for (std::size_t at = sql.find('$'); at != std::string_view::npos; at = sql.find('$', at + 1)) {
    if (at + 1 < sql.size() && !is_digit(sql[at + 1])) {
      return true;
    }
  }
  return sql.contains('\\');
}

}  // namespace

std::vector<bool> items_that_are_never_null(std::string_view sql, std::size_t columns) {
  const std::vector<SqlToken> tokens = tokens_of(sql);
  const auto items = items_of(tokens);
  const bool has_star = std::ranges::any_of(
      items, [](const auto& item) { return !item.empty() && item.back().text == "*"; });
  const bool are_known = items.size() == columns && !has_star && !has_other_quotes(sql) &&
                         !has_any_token(tokens, kUnions);
  std::vector<bool> never(columns, false);
  for (std::size_t i = 0; are_known && i < columns; ++i) {
    never[i] = is_never_null(items[i]);
  }
  return never;
}

std::string select_of_returning(std::string_view sql) {
  const std::vector<SqlToken> tokens = tokens_of(sql);
  const auto is_word = [](std::string_view word) {
    return [word](const SqlToken& token) { return token.depth == 0 && token.is(word); };
  };
  const auto returning = std::ranges::find_if(tokens, is_word("returning"));
  auto table = std::find_if(tokens.begin(), returning, is_word("into"));
  table = table == returning ? std::find_if(tokens.begin(), returning, is_word("from")) : table;
  if (returning == tokens.end() || table == returning || ++table == returning) {
    return {};
  }
  auto last = table;
  while (returning - last > 2 && (last + 1)->text == ".") {
    last += 2;
  }
  const char* const end = last->text.data() + last->text.size();
  const char* const items = returning->text.data() + returning->text.size();
  return "select " + std::string(items, sql.data() + sql.size()) + " from " +
         std::string(table->text.data(), end);
}

bool has_any_word(std::string_view sql, std::initializer_list<std::string_view> words) {
  while (!sql.empty()) {
    const auto* end = std::ranges::find_if_not(sql, is_sql_word_byte);
    const std::string_view word(sql.begin(), end);
    if (std::ranges::any_of(words, [word](auto one) { return equals_ignoring_case(word, one); })) {
      return true;
    }
    sql.remove_prefix(std::max<std::size_t>(1, word.size()));
  }
  return false;
}

std::vector<bool> columns_that_may_be_null(std::string_view sql, std::string_view plan,
                                           const std::vector<DescribedColumn>& columns,
                                           const SchemaNames& schema) {
  const std::vector<SqlToken> tokens = tokens_of(sql);
  const auto items = items_of(tokens);
  const OuterJoins joins = outer_joins_of(tokens, plan, schema);
  const bool is_star = items.size() == 1 && items[0].size() == 1 && items[0][0].text == "*";
  const bool are_known = is_star || items.size() == columns.size();
  const bool is_compound = plan.find("COMPOUND") != std::string_view::npos;
  const bool are_doubtful = !are_known || is_compound || may_make_rows(tokens);
  const std::vector<bool> never = items_that_are_never_null(sql, columns.size());
  std::vector<bool> may_be_null;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const DescribedColumn& column = columns[i];
    const bool is_outer = joins.are_all || std::ranges::any_of(joins.tables, [&](auto table) {
                            return equals_ignoring_case(table, column.table);
                          });
    const bool is_plain = is_star || (are_known && is_plain_column(items[i]));
    const bool is_column = is_plain && !column.table.empty() && column.is_not_null;
    may_be_null.push_back((!never[i] || is_compound) && (!is_column || is_outer || are_doubtful));
  }
  return may_be_null;
}

}  // namespace eider
