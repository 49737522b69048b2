#include "cli/db/nullability.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "eider/core/base/text.h"
#include "eider/data/db/sql_lexer.h"

namespace eider {
namespace {

using db::detail::SqlToken;
using db::detail::SqlTokenKind;

std::vector<SqlToken> tokens_of(std::string_view sql) {
  return db::detail::tokens_of(sql, db::detail::kAnySql);
}

bool has_word(std::span<const SqlToken> tokens, std::string_view word) noexcept {
  return std::ranges::any_of(tokens, [word](const SqlToken& token) { return token.is(word); });
}

/// Returns the items between `select` (or `returning`) and `from`, split at their commas.
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

/// Returns whether the item is only a column: `a`, `t.a`, `a as b`.
bool is_plain_column(std::span<const SqlToken> item) noexcept {
  return !item.empty() && std::ranges::none_of(item, [](const SqlToken& token) {
    return token.text == "(" || token.text == "*" || token.is("case") || token.is("null");
  });
}

/// Returns whether the item is never null: `count(…)`, `exists(…)`, a literal, `coalesce(…,
/// literal)`.
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

/// Parses an item as an expression that is null only if one of its columns is.
class StrictItem {
 public:
  StrictItem(std::span<const SqlToken> item, ExpressionsOf of) noexcept
      : tokens_(item), is_sqlites_(of == ExpressionsOf::sqlite) {}

  /// Returns its columns; nothing if the item contains anything else.
  std::optional<std::vector<std::string>> columns() {
    const bool is_read = expression() && (is_end() || is_alias());
    return is_read ? std::optional(std::move(columns_)) : std::nullopt;
  }

 private:
  /// Not included: `extract` and `to_char`, which return null for an infinite time; `substring`
  /// with a pattern; `nullif` and `array_length`.
  static constexpr auto kFunctions = std::to_array<std::string_view>(
      {"abs",      "btrim",      "ceil",         "ceiling",  "char_length", "concat",
       "date_bin", "date_trunc", "floor",        "greatest", "initcap",     "least",
       "left",     "length",     "lower",        "lpad",     "ltrim",       "make_interval",
       "md5",      "mod",        "octet_length", "replace",  "reverse",     "right",
       "round",    "rpad",       "rtrim",        "sign",     "strpos",      "substr",
       "trim",     "trunc",      "upper"});
  static constexpr auto kFunctionsOfSqlite = std::to_array<std::string_view>(
      {"abs", "length", "lower", "ltrim", "replace", "round", "rtrim", "substr", "trim", "upper"});
  static constexpr auto kConstants = std::to_array<std::string_view>(
      {"current_date", "current_timestamp", "localtimestamp", "true", "false"});
  /// Words that begin or continue another kind of expression.
  static constexpr auto kOther = std::to_array<std::string_view>(
      {"all",     "any",      "array",  "as",   "between", "by",   "case",  "cast",
       "collate", "distinct", "else",   "end",  "filter",  "from", "ilike", "in",
       "is",      "like",     "not",    "null", "on",      "or",   "over",  "and",
       "order",   "row",      "select", "some", "then",    "when", "where", "within"});

  [[nodiscard]] bool is_end() const noexcept { return at_ == tokens_.size(); }
  [[nodiscard]] std::string_view next(std::size_t ahead = 0) const noexcept {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead].text : std::string_view();
  }
  bool take(std::string_view word) noexcept {
    const bool is_next = !is_end() && tokens_[at_].is(word);
    at_ += is_next ? 1 : 0;
    return is_next;
  }
  template <std::size_t Count>
  [[nodiscard]] bool is_one_of(const std::array<std::string_view, Count>& words) const noexcept {
    return std::ranges::any_of(words, [this](auto word) { return tokens_[at_].is(word); });
  }
  [[nodiscard]] bool is_word() const noexcept {
    return !is_end() && (tokens_[at_].kind == SqlTokenKind::word || next()[0] == '"');
  }

  /// Returns whether the rest is `as name`.
  bool is_alias() const noexcept {
    return tokens_[at_].is("as") ? at_ + 2 == tokens_.size()
                                 : at_ + 1 == tokens_.size() && is_word();
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the statement's brackets
  bool expression() {
    if (!operand()) {
      return false;
    }
    while (take_operator()) {
      if (!operand()) {
        return false;
      }
    }
    return true;
  }

  bool take_operator() noexcept {
    if (next() == "|" && next(1) == "|") {
      at_ += 2;
      return true;
    }
    // Operators of several bytes, such as ->, are not included. SQLite returns null for 1 / 0 and
    // for infinite numbers, so none of its operators are.
    if (is_sqlites_) {
      return false;
    }
    const bool is_beside =
        at_ + 1 < tokens_.size() && next(1).data() == next().data() + next().size();
    const bool is_alone = !is_beside || std::string_view("+-*/<>=~!@#%^&|`?").find(next(1)[0]) ==
                                            std::string_view::npos;
    return is_alone && (take("+") || take("-") || take("*") || take("/") || take("%"));
  }

  // NOLINTNEXTLINE(misc-no-recursion): as above
  bool operand() {
    (void)take("-");
    if (!primary()) {
      return false;
    }
    for (;;) {
      if (is_sqlites_) {
        return true;
      }
      if (next() == ":" && next(1) == ":") {
        at_ += 2;
        if (!type()) {
          return false;
        }
      } else if (!is_end() && tokens_[at_].is("at") && next(1) == "time" && next(2) == "zone") {
        at_ += 3;
        if (!primary()) {
          return false;
        }
      } else {
        return true;
      }
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion): as above
  bool primary() {
    if (is_end()) {
      return false;
    }
    if (take("(")) {
      return expression() && take(")");
    }
    if (next()[0] == '\'') {
      ++at_;
      return true;
    }
    if (is_digit(next()[0])) {
      ++at_;
      at_ += next() == "." ? 2 : 0;
      return true;
    }
    if (!is_word() || is_one_of(kOther)) {
      return is_word() && cast();
    }
    return word();
  }

  // NOLINTNEXTLINE(misc-no-recursion): as above
  bool word() {
    if (is_one_of(kConstants)) {
      ++at_;
      return true;
    }
    if (!is_sqlites_ && next(1).starts_with('\'') && take("interval")) {
      ++at_;
      return tokens_[at_ - 1].text[0] == '\'';
    }
    if (next(1) != "(") {
      return column();
    }
    if (next(2) == ")" && tokens_[at_].is("now") && !is_sqlites_) {
      at_ += 3;
      return true;
    }
    const bool is_coalesce = tokens_[at_].is("coalesce");
    if (!is_coalesce && !(is_sqlites_ ? is_one_of(kFunctionsOfSqlite) : is_one_of(kFunctions))) {
      return false;
    }
    at_ += 2;
    return arguments(is_coalesce);
  }

  /// For coalesce, the last argument decides.
  // NOLINTNEXTLINE(misc-no-recursion): as above
  bool arguments(bool is_coalesce) {
    const std::size_t before = columns_.size();
    do {
      if (is_coalesce) {
        columns_.resize(before);
      }
      if (!expression()) {
        return false;
      }
    } while (take(","));
    return take(")");
  }

  /// Parses `cast(x as text)`.
  // NOLINTNEXTLINE(misc-no-recursion): as above
  bool cast() {
    return take("cast") && take("(") && expression() && take("as") && type() && take(")");
  }

  bool type() noexcept {
    if (!is_word()) {
      return false;
    }
    const bool is_time = tokens_[at_].is("timestamp") || tokens_[at_].is("time");
    const bool is_double = take("double");
    if (!is_double) {
      ++at_;
    }
    (void)(is_double && take("precision"));
    (void)take("varying");
    if (take("(")) {
      while (!is_end() && !take(")")) {
        ++at_;
      }
    }
    if (is_time && (take("with") || take("without"))) {
      return take("time") && take("zone");
    }
    return true;
  }

  bool column() {
    std::string name(next());
    ++at_;
    while (next() == "." && at_ + 1 < tokens_.size()) {
      ++at_;
      if (!is_word()) {
        return false;
      }
      name.append(".").append(next());
      ++at_;
    }
    columns_.push_back(std::move(name));
    return true;
  }

  std::span<const SqlToken> tokens_;
  bool is_sqlites_;
  std::size_t at_ = 0;
  std::vector<std::string> columns_{};
};

std::size_t count_of(std::string_view text, std::string_view part) noexcept {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

/// Tables whose columns may be null because of an outer join.
struct OuterJoins {
  std::vector<std::string_view> tables{};
  bool are_all = false;  // in doubt, all tables
};

bool has_name(std::span<const std::string> names, std::string_view name) noexcept {
  return std::ranges::any_of(names,
                             [name](const auto& one) { return equals_ignoring_case(one, name); });
}

/// Returns "marks" for `main."marks" m`.
std::string_view last_name(std::span<const SqlToken> tokens) noexcept {
  while (tokens.size() > 2 && tokens[1].text == ".") {
    tokens = tokens.subspan(2);
  }
  return tokens[0].name();
}

/// Joined tables are identified by name. If a name is not that of a table, or the statement has a
/// `with` or a view, all tables count.
OuterJoins outer_joins_of(std::span<const SqlToken> tokens, std::string_view plan,
                          const SchemaNames& schema) {
  OuterJoins joins;
  const std::size_t planned = count_of(plan, "LEFT-JOIN");
  if (planned == 0 && count_of(plan, "RIGHT-JOIN") == 0 && count_of(plan, "FULL-JOIN") == 0) {
    return joins;
  }
  joins.are_all =
      has_word(tokens, "with") || std::ranges::any_of(tokens, [&schema](const SqlToken& token) {
        return has_name(schema.views, token.name());
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

/// Returns whether the statement can return a row that comes from no row of a table: an aggregate
/// without groups, or a union.
bool may_make_rows(std::span<const SqlToken> tokens) noexcept {
  static constexpr auto kAggregates =
      std::to_array<std::string_view>({"max", "min", "sum", "avg", "total", "group_concat",
                                       "string_agg", "count", "json_group_array"});
  const bool has_insert = !tokens.empty() && (tokens[0].is("insert") || tokens[0].is("replace"));
  return (has_any_token(tokens, kAggregates) && !has_word(tokens, "group")) ||
         (has_any_token(tokens, kUnions) && !has_insert);
}

}  // namespace

std::vector<bool> items_that_are_never_null(std::string_view sql, std::size_t columns) {
  const std::vector<SqlToken> tokens = tokens_of(sql);
  const auto items = items_of(tokens);
  const bool has_star = std::ranges::any_of(
      items, [](const auto& item) { return !item.empty() && item.back().text == "*"; });
  // Servers may read a backslash as an escape; then quotes end at other places.
  const bool are_known = items.size() == columns && !has_star && !sql.contains('\\') &&
                         !has_any_token(tokens, kUnions);
  std::vector<bool> never(columns, false);
  for (std::size_t i = 0; are_known && i < columns; ++i) {
    never[i] = is_never_null(items[i]);
  }
  return never;
}

std::string select_of_operands(std::string_view sql, std::size_t place, ExpressionsOf of) {
  const std::vector<SqlToken> tokens = tokens_of(sql);
  const auto items = items_of(tokens);
  if (place >= items.size() || items.front().empty() || items.back().empty() ||
      has_any_word(sql, {"union", "intersect", "except", "distinct"})) {
    return {};
  }
  const auto columns = StrictItem(items[place], of).columns();
  const bool may_aggregate =
      of == ExpressionsOf::sqlite && std::ranges::any_of(items, [of](const auto& item) {
        return !StrictItem(item, of).columns().has_value();
      });
  if (!columns || may_aggregate) {
    return {};
  }
  std::string list = columns->empty() ? "1" : "";
  for (const std::string& column : *columns) {
    list += (list.empty() ? "" : ", ") + column;
  }
  const auto from = static_cast<std::size_t>(items.front().front().text.data() - sql.data());
  const std::string_view last = items.back().back().text;
  const auto end = static_cast<std::size_t>(last.data() + last.size() - sql.data());
  return std::string(sql.substr(0, from)) + list + std::string(sql.substr(end));
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
    const auto* end = std::ranges::find_if_not(
        sql, [](char byte) { return db::detail::is_sql_word_byte(byte) || byte == '$'; });
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
