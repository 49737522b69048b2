// A statement's text, held against its values by the compiler: a literal with $1, $2 … in it.
// Must not understand SQL beyond where quotes, comments, parameters and the statement end.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace eider::db {

/// What is wrong with a statement's text; `none` when nothing is.
enum class SqlFault : std::uint8_t {
  none,
  empty,
  not_closed,     // a quote or a comment
  bad_parameter,  // '?', "$name", "$0" or a number above kSqlParametersMax
  unused_number,  // $1 and $3 but no $2
  several_statements,
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

/// The text of a statement: a literal, or a RuntimeSql.
class SqlText {
 public:
  constexpr explicit SqlText(const char* literal) noexcept : literal_(literal) {}
  explicit SqlText(RuntimeSql sql) noexcept : owned_(std::move(sql.text)) {}

  [[nodiscard]] std::string_view view() const noexcept {
    return literal_ != nullptr ? std::string_view(literal_) : std::string_view(owned_);
  }

 private:
  const char* literal_ = nullptr;
  std::string owned_;
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
  const char* literal_ = nullptr;
  const RuntimeSql* runtime_ = nullptr;
};

namespace detail {

/// Walks over a statement, byte by byte or a whole quote or comment at a time.
class SqlScanner {
 public:
  constexpr explicit SqlScanner(std::string_view sql) noexcept : sql_(sql) {}

  constexpr SqlShape scan() noexcept {
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
      skip_behind("*/", 2);
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
    } else if (byte == '\'' || byte == '"' || byte == '`') {
      skip_behind(sql_.substr(at_, 1), 1);
    } else if (byte == '$') {
      read_parameter();
    } else if (byte == '?') {
      fault_ = SqlFault::bad_parameter;
    } else {
      ++at_;
    }
  }

  constexpr void skip_line() noexcept {
    const std::size_t end = sql_.find('\n', at_);
    at_ = end == std::string_view::npos ? sql_.size() : end + 1;
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
  }
  return "";
}

}  // namespace eider::db
