// A statement's text, held against its values by the compiler: a literal with $1, $2 … in it.
// Must not understand SQL beyond where quotes, comments, parameters and the statement end.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace eider::db {

/// What is wrong with a statement's text; `none` when nothing is.
enum class SqlFault : std::uint8_t {
  none,
  empty,
  not_closed,     // a quote or a comment
  bad_parameter,  // '?' for a value, "$name", "$0" or a number above kSqlParametersMax
  unused_number,  // $1 and $3 but no $2
  several_statements,
  zero_byte,  // some would read up to it
};

inline constexpr std::size_t kSqlParametersMax = 64;

struct SqlShape {
  SqlFault fault = SqlFault::none;
  std::size_t parameters = 0;  // the highest number
};

/// Finds the parameters of `sql`, outside of quotes and comments.
[[nodiscard]] constexpr SqlShape read_sql(std::string_view sql) noexcept;

/// What a fault means and how it is mended.
[[nodiscard]] constexpr const char* to_text(SqlFault fault) noexcept;

/// A statement that the program put together itself. Values still go in by $1, $2 …; a program
/// that makes one of these out of a client's text has opened the database to that client.
struct RuntimeSql {
  std::string text;
};

/// A literal that is not held against the schema: what `eider db check` cannot prepare, or knows
/// too little of.
///
///     db.one<std::string>(db::unchecked("select upper(title) from notes where id = $1"), id)
struct UncheckedSql {
  const char* literal;
};
consteval UncheckedSql unchecked(const char* literal) {
  return {literal};
}

/// The text of a statement: a literal, or a RuntimeSql. Cheap to move: a call moves it several
/// times.
class SqlText {
 public:
  /// literal  stays for as long as the program runs
  explicit SqlText(std::string_view literal) noexcept : text_(literal) {}
  explicit SqlText(RuntimeSql sql)
      : owned_(std::make_shared<const std::string>(std::move(sql.text))), text_(*owned_) {}

  [[nodiscard]] bool is_literal() const noexcept { return owned_ == nullptr; }
  [[nodiscard]] std::string_view view() const noexcept { return text_; }

 private:
  std::shared_ptr<const std::string> owned_;
  std::string_view text_;
};

namespace detail {
// Never defined: the compiler names them when a statement is refused: their names are the message.
void the_statement_is_not_valid__close_quotes_and_number_parameters_from_dollar_1();
void one_statement_at_a_time__use_script_for_several();
void the_statement_takes_more_values_than_are_given();
void the_statement_takes_fewer_values_than_are_given();
}  // namespace detail

/// The statement of a call with `Count` values. A literal is checked while compiling.
template <std::size_t Count>
class SqlWith {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is to convert by itself
  consteval SqlWith(const char* literal) : literal_(literal) {
    const SqlShape shape = read_sql(literal);
    if (shape.fault == SqlFault::several_statements) {
      detail::one_statement_at_a_time__use_script_for_several();
    }
    if (shape.fault != SqlFault::none) {
      detail::the_statement_is_not_valid__close_quotes_and_number_parameters_from_dollar_1();
    }
    if (shape.parameters > Count) {
      detail::the_statement_takes_more_values_than_are_given();
    }
    if (shape.parameters < Count) {
      detail::the_statement_takes_fewer_values_than_are_given();
    }
  }
  // NOLINTNEXTLINE(google-explicit-constructor): as above
  consteval SqlWith(UncheckedSql sql) : SqlWith(sql.literal) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as above; checked when it is run
  SqlWith(const RuntimeSql& sql) noexcept : runtime_(&sql) {}
  /// Only for the message.
  template <class Text>
    requires std::convertible_to<const Text&, std::string_view>
  SqlWith(const Text& /*text*/) {  // NOLINT(google-explicit-constructor): as above
    static_assert(Count > kSqlParametersMax,
                  "eider: a statement is a literal, and values go into it as $1, $2 …; a text put "
                  "together by the program has to be wrapped in RuntimeSql");
  }

  [[nodiscard]] SqlText text() const {
    return runtime_ == nullptr ? SqlText(literal_) : SqlText(*runtime_);
  }

 private:
  std::string_view literal_;  // its length is known to the compiler
  const RuntimeSql* runtime_ = nullptr;
};

namespace detail {

/// Walks over a statement, byte by byte or a whole quote or comment at a time.
class SqlScanner {
 public:
  constexpr explicit SqlScanner(std::string_view sql) noexcept : sql_(sql) {}

  constexpr SqlShape scan() noexcept {
    if (sql_.contains('\0')) {
      return {SqlFault::zero_byte, 0};
    }
    while (at_ < sql_.size() && fault_ == SqlFault::none) {
      step();
    }
    if (fault_ == SqlFault::none) {
      fault_ = find_final_fault();
    }
    return {fault_, highest_};
  }

 private:
  constexpr void step() noexcept {
    const char byte = sql_[at_];
    if (is_blank(byte)) {
      ++at_;
    } else if (sql_.substr(at_).starts_with("--")) {
      skip_line();
    } else if (sql_.substr(at_).starts_with("/*")) {
      skip_comment();
    } else if (byte == ';') {
      has_ended_ = has_text_;
      ++at_;
    } else {
      step_text(byte);
    }
  }

  constexpr void step_text(char byte) noexcept {
    has_text_ = true;
    if (has_ended_) {
      fault_ = SqlFault::several_statements;
    } else if (begins_name(byte)) {
      skip_name();
    } else if (byte == '\'' && is_behind_e()) {
      skip_escaped();
    } else if (byte == '\'' || byte == '"' || byte == '`') {
      skip_behind(sql_.substr(at_, 1), 1);
    } else if (byte == '$' && at_ + 1 < sql_.size() && is_of_tag(sql_[at_ + 1])) {
      skip_dollar_quote();
    } else if (byte == '$') {
      read_parameter();
    } else if (byte == '?' && !is_operator()) {
      fault_ = SqlFault::bad_parameter;
    } else {
      ++at_;
    }
  }

  constexpr void skip_line() noexcept {
    const std::size_t end = sql_.find('\n', at_);
    at_ = end == std::string_view::npos ? sql_.size() : end + 1;
  }

  /// In PostgreSQL comments stand within comments. SQLite ends one at the first end, and what is
  /// behind that is no statement there.
  constexpr void skip_comment() noexcept {
    std::size_t depth = 0;
    do {
      const bool is_begin = sql_.substr(at_).starts_with("/*");
      const bool is_end = sql_.substr(at_).starts_with("*/");
      depth += is_begin ? 1 : 0;
      depth -= is_end ? 1 : 0;
      at_ += is_begin || is_end ? 2 : 1;
    } while (depth != 0 && at_ < sql_.size());
    fault_ = depth == 0 ? fault_ : SqlFault::not_closed;
  }

  /// Within a name $1 is a part of it, and $tag$ begins no quote.
  constexpr void skip_name() noexcept {
    while (at_ < sql_.size() && (is_of_word(sql_[at_]) || sql_[at_] == '$' || is_high(sql_[at_]))) {
      ++at_;
    }
  }

  /// A doubled quote inside of a quote ends one and begins the next: the same in the end.
  constexpr void skip_behind(std::string_view end, std::size_t opening) noexcept {
    const std::size_t found = sql_.find(end, at_ + opening);
    if (found == std::string_view::npos) {
      fault_ = SqlFault::not_closed;
      return;
    }
    at_ = found + end.size();
  }

  /// PostgreSQL's e'…', in which a backslash takes the next byte's meaning.
  constexpr bool is_behind_e() const noexcept {
    const bool is_e = at_ > 0 && (sql_[at_ - 1] == 'e' || sql_[at_ - 1] == 'E');
    return is_e && (at_ == 1 || !is_of_word(sql_[at_ - 2]));
  }

  constexpr void skip_escaped() noexcept {
    do {
      for (++at_; at_ < sql_.size() && sql_[at_] != '\''; ++at_) {
        at_ += sql_[at_] == '\\' ? 1 : 0;
      }
      fault_ = at_ < sql_.size() ? fault_ : SqlFault::not_closed;
      ++at_;
    } while (fault_ == SqlFault::none && goes_on());
  }

  /// A quote that begins on a line further down belongs to the one that has ended.
  constexpr bool goes_on() noexcept {
    std::size_t next = at_;
    while (next < sql_.size() && is_blank(sql_[next])) {
      ++next;
    }
    const std::string_view between = sql_.substr(std::min(at_, sql_.size()), next - at_);
    const bool is_same = between.contains('\n') && sql_.substr(next).starts_with('\'');
    at_ = is_same ? next : at_;
    return is_same;
  }

  /// PostgreSQL's $$…$$ and $tag$…$tag$.
  constexpr void skip_dollar_quote() noexcept {
    std::size_t end = at_ + 1;
    while (end < sql_.size() && (is_of_word(sql_[end]) || is_high(sql_[end]))) {
      ++end;
    }
    if (end == sql_.size() || sql_[end] != '$') {
      fault_ = SqlFault::bad_parameter;
      return;
    }
    skip_behind(sql_.substr(at_, end + 1 - at_), end + 1 - at_);
  }

  /// PostgreSQL's ?, ?| and ?& have an operand behind them, where a place for a value has none.
  constexpr bool is_operator() const noexcept {
    std::string_view rest = sql_.substr(at_ + 1);
    if (rest.starts_with('&') || (rest.starts_with('|') && !rest.starts_with("||"))) {
      return true;
    }
    rest.remove_prefix(rest.find_first_not_of(" \t\r\n") == std::string_view::npos
                           ? rest.size()
                           : rest.find_first_not_of(" \t\r\n"));
    return rest.starts_with('\'') || rest.starts_with('$');
  }

  constexpr void read_parameter() noexcept {
    std::size_t number = 0;
    ++at_;
    while (at_ < sql_.size() && sql_[at_] >= '0' && sql_[at_] <= '9' &&
           number <= kSqlParametersMax) {
      number = number * 10 + static_cast<std::size_t>(sql_[at_++] - '0');
    }
    if (number == 0 || number > kSqlParametersMax) {
      fault_ = SqlFault::bad_parameter;
      return;
    }
    seen_ |= std::uint64_t{1} << (number - 1);
    highest_ = number > highest_ ? number : highest_;
  }

  constexpr SqlFault find_final_fault() const noexcept {
    if (!has_text_) {
      return SqlFault::empty;
    }
    const std::uint64_t all = highest_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - highest_);
    return seen_ == all ? SqlFault::none : SqlFault::unused_number;
  }

  static constexpr bool is_of_word(char byte) noexcept {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           (byte >= '0' && byte <= '9');
  }

  static constexpr bool is_high(char byte) noexcept {
    return static_cast<unsigned char>(byte) >= 0x80;
  }

  static constexpr bool begins_name(char byte) noexcept {
    return is_high(byte) || (is_of_word(byte) && (byte < '0' || byte > '9'));
  }

  static constexpr bool is_of_tag(char byte) noexcept { return byte == '$' || begins_name(byte); }

  static constexpr bool is_blank(char byte) noexcept {
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
  }

  std::string_view sql_;
  std::size_t at_ = 0;
  std::size_t highest_ = 0;
  std::uint64_t seen_ = 0;
  bool has_text_ = false;
  bool has_ended_ = false;
  SqlFault fault_ = SqlFault::none;
};

}  // namespace detail

constexpr SqlShape read_sql(std::string_view sql) noexcept {
  return detail::SqlScanner(sql).scan();
}

constexpr const char* to_text(SqlFault fault) noexcept {
  switch (fault) {
    case SqlFault::none:
      return "nothing is wrong";
    case SqlFault::empty:
      return "there is no statement in it";
    case SqlFault::not_closed:
      return "a quote or a comment is not closed";
    case SqlFault::bad_parameter:
      return "parameters are written $1, $2 … up to $64";
    case SqlFault::unused_number:
      return "the parameters leave a number out";
    case SqlFault::several_statements:
      return "it is several statements: use script for those";
    case SqlFault::zero_byte:
      return "there is a zero byte in it";
  }
  return "";
}

}  // namespace eider::db

// The header of this name holds what `eider db check` has found out: eider_checked_sql() sets it.
#ifdef EIDER_CHECKED_SQL
#include "eider/db/checked_sql.h"
#else
namespace eider::db {
/// The statement of a call that reads rows into T; void where it reads none.
template <class T, std::size_t Count>
using SqlFor = SqlWith<Count>;
}  // namespace eider::db
#endif
