// Check constraints as limits and labels of columns.

#include <algorithm>
#include <span>

#include "cli/db/structs/schema.h"
#include "eider/core/base/text.h"
#include "eider/data/db/sql_lexer.h"

namespace eider::structs {
namespace {

using db::detail::SqlDialect;
using db::detail::SqlToken;
using db::detail::SqlTokenKind;
using Tokens = std::span<const SqlToken>;

SqlDialect lexer_dialect(db::Dialect dialect) noexcept {
  switch (dialect) {
    case db::Dialect::sqlite:
      return db::detail::kSqliteSql;
    case db::Dialect::postgres:
      return db::detail::kPostgresSql;
    case db::Dialect::mariadb:
      return db::detail::kMariadbSql;
  }
  return db::detail::kAnySql;
}

bool is_text_literal(const SqlToken& token) noexcept {
  return token.kind == SqlTokenKind::quoted && token.text.starts_with('\'');
}

bool is_column_name(const SqlToken& token) noexcept {
  return token.kind == SqlTokenKind::word ||
         (token.kind == SqlTokenKind::quoted && !is_text_literal(token) &&
          !token.text.starts_with('$'));
}

/// 'it''s' becomes it's.
std::string unquoted(std::string_view literal) {
  std::string text;
  literal = literal.substr(1, literal.size() - 2);
  for (std::size_t i = 0; i < literal.size(); ++i) {
    text += literal[i];
    i += literal[i] == '\'' ? 1 : 0;
  }
  return text;
}

bool is_connective(const SqlToken& token) noexcept {
  return token.is_one_of({"and", "or", "not", "is", "in", "between", "like"});
}

/// The type after "::", such as character varying(9)[].
std::size_t end_of_cast(Tokens tokens, std::size_t at) {
  while (at < tokens.size() &&
         ((is_column_name(tokens[at]) && !is_connective(tokens[at])) || tokens[at].is("."))) {
    ++at;
  }
  while (at < tokens.size() && tokens[at].is("(")) {
    while (at < tokens.size() && !tokens[at].is(")")) {
      ++at;
    }
    ++at;
  }
  while (at + 1 < tokens.size() && tokens[at].is("[") && tokens[at + 1].is("]")) {
    at += 2;
  }
  return std::min(at, tokens.size());
}

/// Returns the tokens without casts and brackets, which PostgreSQL adds. `is_simple` below rejects
/// every constraint whose meaning depends on the brackets.
std::vector<SqlToken> flattened(Tokens tokens) {
  std::vector<SqlToken> flat;
  for (std::size_t at = 0; at < tokens.size();) {
    if (at + 1 < tokens.size() && tokens[at].is(":") && tokens[at + 1].is(":")) {
      at = end_of_cast(tokens, at + 2);
      continue;
    }
    if (!tokens[at].is("(") && !tokens[at].is(")")) {
      flat.push_back(tokens[at]);
    }
    ++at;
  }
  return flat;
}

/// `name is null or …` adds no condition: NULL satisfies every check constraint.
Tokens without_null(Tokens tokens) {
  const bool has_null =
      tokens.size() > 4 && tokens[1].is("is") && tokens[2].is("null") && tokens[3].is("or") &&
      std::ranges::all_of(tokens.subspan(4), [&](const SqlToken& token) {
        return !is_column_name(token) || equals_ignoring_case(token.name(), tokens[0].name()) ||
               is_connective(token) || token.is("any") || token.is("array") ||
               token.is_one_of({"length", "char_length", "character_length", "octet_length"});
      });
  return has_null ? tokens.subspan(4) : tokens;
}

/// Returns whether the constraint is a list of conditions that are all required.
bool is_simple(Tokens tokens) noexcept {
  return std::ranges::none_of(tokens, [](const SqlToken& token) {
    return token.is_one_of({"or", "not", "xor", "case", "select", "exists", "if", "iif", "coalesce",
                            "is", "+", "*", "/", "|", "%", "?"});
  });
}

/// Returns whether all called functions are known: for other functions, the brackets matter.
bool has_known_calls(Tokens tokens) noexcept {
  for (std::size_t at = 1; at < tokens.size(); ++at) {
    const SqlToken& before = tokens[at - 1];
    if (tokens[at].is("(") && before.kind == SqlTokenKind::word &&
        !before.is_one_of({"and", "in", "any", "or", "between", "length", "char_length",
                           "character_length", "octet_length", "json_valid", "varying", "varchar",
                           "character", "char", "numeric"})) {
      return false;
    }
  }
  return true;
}

/// Returns whether conditions in brackets are only combined with others. In `(a > 1 and a < 9) =
/// false`, the brackets matter.
bool has_plain_brackets(Tokens tokens) {
  const auto combines = [&](std::size_t at) {
    return at >= tokens.size() || tokens[at].is("(") || tokens[at].is(")") ||
           tokens[at].is_one_of({"and", "or"});
  };
  std::vector<std::size_t> open;
  std::vector<std::size_t> with_conditions;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].is("(")) {
      open.push_back(at);
    } else if (tokens[at].is_one_of({"and", "or"})) {
      with_conditions = open;
    } else if (tokens[at].is(")") && !open.empty()) {
      const bool is_condition =
          std::ranges::find(with_conditions, open.back()) != with_conditions.end();
      // SIZE_MAX of the first token counts as an end.
      if (is_condition && !(combines(open.back() - 1) && combines(at + 1))) {
        return false;
      }
      open.pop_back();
    }
  }
  return true;
}

/// Reads conditions one after the other, and adds each to its column.
class Reader {
 public:
  Reader(Tokens tokens, db::Dialect dialect, Table& table)
      : tokens_(tokens), dialect_(dialect), table_(table) {}

  void read() {
    while (!tokens_.empty()) {
      if (!read_one()) {
        skip_condition();
      }
    }
  }

 private:
  [[nodiscard]] bool is_at(std::size_t at, std::string_view word) const {
    return at < tokens_.size() && tokens_[at].is(word);
  }
  /// Returns whether a condition ends there.
  [[nodiscard]] bool is_end(std::size_t at) const {
    return at == tokens_.size() || is_at(at, "and");
  }

  void take(std::size_t count) { tokens_ = tokens_.subspan(std::min(count, tokens_.size())); }
  void skip_condition() {
    std::size_t at = 0;
    while (!is_end(at)) {
      ++at;
    }
    take(at + 1);
  }

  Column* column_at(std::size_t at) {
    if (at >= tokens_.size() || !is_column_name(tokens_[at])) {
      return nullptr;
    }
    const auto found = std::ranges::find_if(table_.columns, [&](const Column& column) {
      return equals_ignoring_case(column.name, tokens_[at].name());
    });
    return found == table_.columns.end() ? nullptr : &*found;
  }

  /// Reads a whole number, also '-5' as PostgreSQL writes it. Moves `at` after the number.
  std::optional<std::int64_t> number_at(std::size_t& at) const {
    const bool is_negative = is_at(at, "-");
    const std::size_t place = at + (is_negative ? 1 : 0);
    if (place >= tokens_.size()) {
      return std::nullopt;
    }
    const SqlToken& token = tokens_[place];
    const std::string digits =
        is_text_literal(token) ? unquoted(token.text) : std::string(token.text);
    auto number = parse_integer<std::int64_t>((is_negative ? "-" : "") + digits);
    at = place + 1;
    return number;
  }

  bool read_one() {
    if (is_at(0, "json_valid") && column_at(1) != nullptr && is_end(2)) {
      column_at(1)->type = "json";
      take(3);
      return true;
    }
    const bool is_length =
        !tokens_.empty() &&
        tokens_[0].is_one_of({"length", "char_length", "character_length", "octet_length"}) &&
        column_at(1) != nullptr;
    Column* const column = column_at(is_length ? 1 : 0);
    const std::size_t at = is_length ? 2 : 1;
    if (column == nullptr) {
      return false;
    }
    if (!is_length && (is_at(at, "in") || is_at(at, "="))) {
      return read_labels(*column, at);
    }
    Limits read;
    const std::size_t end =
        is_at(at, "between") ? read_between(read, at + 1) : read_bound(read, at);
    if (end == 0 || !is_end(end)) {
      return false;
    }
    add(is_length ? column->length : column->range, read, is_length);
    take(end + 1);
    return true;
  }

  /// Returns the position after it; 0 for other conditions.
  std::size_t read_between(Limits& read, std::size_t at) const {
    read.min = number_at(at);
    if (!read.min || !is_at(at, "and")) {
      return 0;
    }
    ++at;
    read.max = number_at(at);
    return read.max ? at : 0;
  }
  std::size_t read_bound(Limits& read, std::size_t at) const {
    const bool is_less = is_at(at, "<");
    if (!is_less && !is_at(at, ">")) {
      return 0;
    }
    const bool is_inclusive = is_at(at + 1, "=");
    at += is_inclusive ? 2 : 1;
    const auto number = number_at(at);
    constexpr std::int64_t kNumberMax = 1'000'000'000'000'000'000;
    if (!number || *number > kNumberMax || *number < -kNumberMax) {
      return 0;
    }
    (is_less ? read.max : read.min) = is_inclusive ? *number : *number + (is_less ? -1 : 1);
    return at;
  }

  void add(Limits& to, Limits read, bool is_length) const {
    // A character has one to four bytes. MariaDB counts bytes in `length`, too, and stores it as
    // octet_length.
    const bool counts_bytes =
        is_length && (tokens_[0].is("octet_length") ||
                      (dialect_ == db::Dialect::mariadb && tokens_[0].is("length")));
    if (counts_bytes && read.min) {
      read.min = std::min<std::int64_t>(*read.min, 1);
    }
    if (read.min) {
      to.min = std::max(to.min.value_or(*read.min), *read.min);
    }
    if (read.max) {
      to.max = std::min(to.max.value_or(*read.max), *read.max);
    }
  }

  /// in 'a', 'b' · = ANY ARRAY ['a', 'b'] · = 'a'
  bool read_labels(Column& column, std::size_t at) {
    const bool is_array = is_at(at, "=") && is_at(at + 1, "any");
    at += is_array ? 3 : 1;
    at += is_array && is_at(at, "[") ? 1 : 0;
    std::vector<std::string> labels;
    while (at < tokens_.size() && is_text_literal(tokens_[at])) {
      labels.push_back(unquoted(tokens_[at].text));
      at += is_at(at + 1, ",") ? 2 : 1;
    }
    at += is_array && is_at(at, "]") ? 1 : 0;
    if (labels.empty() || !is_end(at)) {
      return false;
    }
    if (!column.labels.empty()) {
      // All constraints apply: the values are those of both.
      std::erase_if(labels, [&column](const std::string& label) {
        return std::ranges::find(column.labels, label) == column.labels.end();
      });
    }
    column.labels = std::move(labels);
    take(at + 1);
    return true;
  }

  Tokens tokens_;
  db::Dialect dialect_;
  Table& table_;
};

}  // namespace

void add_checks(std::string_view sql, db::Dialect dialect, Table& table) {
  const std::vector<SqlToken> all = db::detail::tokens_of(sql, lexer_dialect(dialect));
  for (std::size_t at = 0; at + 1 < all.size(); ++at) {
    if (!all[at].is("check") || !all[at + 1].is("(")) {
      continue;
    }
    std::size_t end = at + 2;
    for (std::size_t depth = 1; end < all.size(); ++end) {
      depth += all[end].is("(") ? 1 : 0;
      depth -= all[end].is(")") ? 1 : 0;
      if (depth == 0) {
        break;
      }
    }
    const Tokens constraint = Tokens(all).subspan(at + 2, end - at - 2);
    const std::vector<SqlToken> flat = flattened(constraint);
    const Tokens tokens = without_null(flat);
    if (has_known_calls(constraint) && has_plain_brackets(constraint) && is_simple(tokens)) {
      Reader(tokens, dialect, table).read();
    }
  }
}

}  // namespace eider::structs
