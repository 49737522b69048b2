// The text of a statement, checked against its values at compile time: a literal with $1, $2 …
// Layering: must not parse SQL beyond quotes, comments, parameters and ends of statements.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eider/core/base/refusal.h"
#include "eider/data/db/sql_lexer.h"

namespace eider::db {

/// The error in the text of a statement; `none` if it is valid.
enum class SqlFault : std::uint8_t {
  none,
  empty,
  not_closed,     // a quote or a comment
  bad_parameter,  // '?' for a value, "$name", "$0" or a number above kSqlParametersMax
  unused_number,  // $1 and $3 but no $2
  several_statements,
  zero_byte,  // some databases would read only up to it
};

inline constexpr std::size_t kSqlParametersMax = 64;

struct SqlShape {
  SqlFault fault = SqlFault::none;
  std::size_t parameters = 0;  // the highest number
};

/// Finds the parameters of `sql`, outside of quotes and comments.
[[nodiscard]] constexpr SqlShape read_sql(std::string_view sql) noexcept;

/// Returns a description with the fix.
[[nodiscard]] constexpr const char* to_text(SqlFault fault) noexcept;

/// A statement that the program builds at run time. Values are still passed as $1, $2 …; including
/// text from a client allows SQL injection.
struct RuntimeSql {
  std::string text;
};

inline constexpr std::size_t kSqlPiecesMax = 4;

/// Literals that form one statement, each on its own line, created by `sql`.
struct JoinedSql {
  std::array<const char*, kSqlPiecesMax> pieces{};  // the unused ones are null
};

/// Joins literals into one statement, so that several statements share their columns and joins:
///
///     constexpr const char* kNotes = "select n.id, a.name from notes n join authors a using (id)";
///     constexpr auto kNote = db::sql(kNotes, "where n.id = $1");
///
/// In a call, write `{kNotes, "where n.id = $1"}`.
template <class... Pieces>
  requires(sizeof...(Pieces) > 0 && sizeof...(Pieces) <= kSqlPiecesMax &&
           (std::convertible_to<const Pieces&, const char*> && ...))
consteval JoinedSql sql(const Pieces&... pieces) {
  return {{static_cast<const char*>(pieces)...}};
}

/// A literal that is not compared with the schema: a statement that `eider db check` cannot
/// prepare, or whose columns it cannot determine precisely.
///
///     db.one<std::string>(db::unchecked("select upper(title) from notes where id = $1"), id)
struct UncheckedSql {
  JoinedSql joined;
};
consteval UncheckedSql unchecked(const char* literal) {
  return {sql(literal)};
}
consteval UncheckedSql unchecked(JoinedSql joined) {
  return {joined};
}

/// The text of a statement: a literal, or a RuntimeSql. Cheap to move: a call moves it several
/// times.
class SqlText {
 public:
  /// literal  must exist until the program ends
  explicit SqlText(std::string_view literal) noexcept : text_(literal) {}
  /// Joins the pieces once per program run.
  explicit SqlText(const JoinedSql& joined);
  explicit SqlText(RuntimeSql sql)
      : owned_(std::make_shared<const std::string>(std::move(sql.text))), text_(*owned_) {}

  [[nodiscard]] bool is_literal() const noexcept { return owned_ == nullptr; }
  [[nodiscard]] std::string_view view() const noexcept { return text_; }

 private:
  std::shared_ptr<const std::string> owned_;
  std::string_view text_;
};

namespace detail {

// Never defined: their names are the messages that the compiler shows if it rejects a statement.
void the_statement_is_not_valid__close_quotes_and_number_parameters_from_dollar_1();
void one_statement_at_a_time__use_script_for_several();
void the_statement_needs_more_values_than_are_passed();
void the_statement_needs_fewer_values_than_are_passed();

enum class SqlRefusal : std::uint8_t {
  none,
  no_literal,
  several,
  not_valid,
  more_values,
  fewer_values
};

/// (clang cannot use the std::string of Debian 12's libstdc++ in a constant expression.)
class JoinedText {
 public:
  constexpr explicit JoinedText(const JoinedSql& joined) {
    for (const char* const piece : joined.pieces) {
      size_ += piece == nullptr ? 0 : __builtin_strlen(piece) + 1;
    }
    bytes_ = new char[size_];
    char* end = bytes_;
    for (const char* piece : joined.pieces) {
      for (; piece != nullptr && *piece != '\0'; ++piece) {
        *end++ = *piece;
      }
      if (piece != nullptr) {
        *end++ = '\n';
      }
    }
  }
  JoinedText(const JoinedText&) = delete;
  JoinedText& operator=(const JoinedText&) = delete;
  constexpr ~JoinedText() { delete[] bytes_; }

  // NOLINTNEXTLINE(google-explicit-constructor): the text is all that it is
  constexpr operator std::string_view() const noexcept { return {bytes_, size_ - 1}; }

 private:
  std::size_t size_ = 0;
  char* bytes_ = nullptr;
};

// Text that is known at compile time. (Its length is computed by the builtin, which is a hundred
// times faster to compile than std::char_traits.)

constexpr std::string_view text_of(const char* literal) noexcept {
  return {literal, __builtin_strlen(literal)};
}
constexpr JoinedText text_of(const JoinedSql& joined) {
  return JoinedText(joined);
}
constexpr JoinedText text_of(const UncheckedSql& sql) {
  return JoinedText(sql.joined);
}

constexpr JoinedSql joined_of(const char* literal) noexcept {
  return {{literal}};
}
constexpr JoinedSql joined_of(const JoinedSql& joined) noexcept {
  return joined;
}
constexpr JoinedSql joined_of(const UncheckedSql& sql) noexcept {
  return sql.joined;
}

template <class Text>
concept SqlLiteral = requires(const Text& text) { text_of(text); };
/// A text that is no statement if it is not a literal.
template <class Text>
concept SqlOrText = SqlLiteral<Text> || std::convertible_to<const Text&, std::string_view>;
/// A variable that can change, such as `char text[40]`, is no constant expression.
template <class Text>
concept SqlVariable = SqlOrText<Text> && !std::is_const_v<Text>;

/// Returns true. Accepts any type, because clang evaluates attributes before constraints.
template <class Text>
constexpr bool is_literal(const Text& text) {
  if constexpr (std::convertible_to<const Text&, const char*>) {
    return text_of(text).data() != nullptr;
  }
  return true;
}

/// Accepts any type, as above.
template <class Text>
constexpr SqlRefusal refusal_of(const Text& /*text*/, std::size_t /*values*/) {
  return SqlRefusal::no_literal;
}
template <SqlLiteral Text>
constexpr SqlRefusal refusal_of(const Text& text, std::size_t values) {
  const SqlShape shape = read_sql(text_of(text));
  if (shape.fault != SqlFault::none) {
    return shape.fault == SqlFault::several_statements ? SqlRefusal::several
                                                       : SqlRefusal::not_valid;
  }
  if (shape.parameters == values) {
    return SqlRefusal::none;
  }
  return shape.parameters > values ? SqlRefusal::more_values : SqlRefusal::fewer_values;
}

constexpr void refuse(SqlRefusal reason) {
  switch (reason) {
    case SqlRefusal::none:
    case SqlRefusal::no_literal:
      return;
    case SqlRefusal::several:
      return one_statement_at_a_time__use_script_for_several();
    case SqlRefusal::not_valid:
      return the_statement_is_not_valid__close_quotes_and_number_parameters_from_dollar_1();
    case SqlRefusal::more_values:
      return the_statement_needs_more_values_than_are_passed();
    case SqlRefusal::fewer_values:
      return the_statement_needs_fewer_values_than_are_passed();
  }
}

}  // namespace detail

#define EIDER_NO_LITERAL                                                                       \
  "eider: a statement must be a literal, with values as $1, $2 …; wrap text that the program " \
  "builds at run time in RuntimeSql"

// The reasons for which `text` is rejected as a statement with `values` values.
// clang-format off
#define EIDER_REFUSES_SQL(text, values)                                                           \
  EIDER_REFUSES(detail::refusal_of(text, values) == detail::SqlRefusal::several,                  \
                one_statement_at_a_time__use_script_for_several)                                  \
  EIDER_REFUSES(detail::refusal_of(text, values) == detail::SqlRefusal::not_valid,                \
                the_statement_is_not_valid__close_quotes_and_number_parameters_from_dollar_1)     \
  EIDER_REFUSES(detail::refusal_of(text, values) == detail::SqlRefusal::more_values,              \
                the_statement_needs_more_values_than_are_passed)                                  \
  EIDER_REFUSES(detail::refusal_of(text, values) == detail::SqlRefusal::fewer_values,             \
                the_statement_needs_fewer_values_than_are_passed)
#define EIDER_REFUSES_NO_LITERAL(text) EIDER_REFUSES_WITH(sizeof(text) != 0, EIDER_NO_LITERAL)
// clang-format on

/// The statement of a call with `Count` values. A literal is checked while compiling.
template <std::size_t Count>
class SqlWith {
 public:
  /// text  a literal, or the result of `sql` or `unchecked`
  template <detail::SqlLiteral Text>
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is to convert by itself
  consteval SqlWith(const Text& text)
      EIDER_ACCEPTS(detail::refusal_of(text, Count) == detail::SqlRefusal::none)
      : SqlWith(detail::joined_of(text), Accepted()) {
    if constexpr (!eider::detail::base::kIsRefusedByAttribute) {
      detail::refuse(detail::refusal_of(text, Count));
    }
  }
  /// `{kNotes, "where id = $1"}`: literals that form one statement, as `sql` joins them. g++ 14
  /// cannot pass the result of `sql` in an expression with co_await.
  consteval SqlWith(const char* first, const char* second, const char* third = nullptr,
                    const char* fourth = nullptr)
      EIDER_ACCEPTS(detail::refusal_of(JoinedSql{{first, second, third, fourth}}, Count) ==
                    detail::SqlRefusal::none)
      : SqlWith(JoinedSql{{first, second, third, fourth}}, Accepted()) {
    if constexpr (!eider::detail::base::kIsRefusedByAttribute) {
      detail::refuse(detail::refusal_of(JoinedSql{{first, second, third, fourth}}, Count));
    }
  }
  // NOLINTNEXTLINE(google-explicit-constructor): as above; checked when it is run
  SqlWith(const RuntimeSql& sql) noexcept : runtime_(&sql) {}
  /// Only for the message; the second one also with g++, which would report a call of a consteval
  /// function.
  template <detail::SqlOrText Text>
  SqlWith(const Text& text)  // NOLINT(google-explicit-constructor): as above
      EIDER_REFUSES_SQL(text, Count) EIDER_REFUSES_NO_LITERAL(text) {
    static_assert(eider::detail::base::kIsRefusedByAttribute || Count > kSqlParametersMax,
                  EIDER_NO_LITERAL);
  }
  template <detail::SqlVariable Text>
  // NOLINTNEXTLINE(google-explicit-constructor): as above
  SqlWith(Text& text) EIDER_REFUSES_NO_LITERAL(text) {
    static_assert(eider::detail::base::kIsRefusedByAttribute || Count > kSqlParametersMax,
                  EIDER_NO_LITERAL);
  }

  [[nodiscard]] SqlText text() const {
    if (runtime_ != nullptr) {
      return SqlText(*runtime_);
    }
    // An empty piece may precede others.
    const bool is_one = joined_.pieces[1] == nullptr && joined_.pieces[2] == nullptr &&
                        joined_.pieces[3] == nullptr;
    return is_one ? SqlText(literal_) : SqlText(joined_);
  }

 protected:
  SqlWith() noexcept = default;
  struct Accepted {};  // by a derived class, whose check includes this one
  constexpr SqlWith(JoinedSql joined, Accepted /*by the caller*/) noexcept
      : literal_(detail::text_of(joined.pieces[0])), joined_(joined) {}

 private:
  std::string_view literal_;  // stored, because the compiler knows its length
  JoinedSql joined_;
  const RuntimeSql* runtime_ = nullptr;
};

namespace detail {

/// Reads a statement's parameters, and checks that it is one statement.
class SqlScanner {
 public:
  constexpr explicit SqlScanner(std::string_view sql) noexcept : sql_(sql), lexer_(sql, kAnySql) {}

  constexpr SqlShape scan() noexcept {
    // A literal ends at its first zero byte, so only a text built at run time can contain one.
    if (!std::is_constant_evaluated() && sql_.contains('\0')) {
      return {SqlFault::zero_byte, 0};
    }
    while (!lexer_.is_at_end() && fault_ == SqlFault::none) {
      step(lexer_.next());
      if (has_text_ && !has_ended_) {
        lexer_.skip_plain();
      }
    }
    if (fault_ == SqlFault::none) {
      fault_ = find_final_fault();
    }
    return {fault_, highest_};
  }

 private:
  constexpr void step(const SqlToken& token) noexcept {
    const char first = token.text[0];
    if (token.is_blank()) {
      fault_ = token.is_closed ? fault_ : SqlFault::not_closed;
      return;
    }
    if (first == ';') {
      has_ended_ = has_text_;
      return;
    }
    has_text_ = true;
    if (has_ended_) {
      fault_ = SqlFault::several_statements;
    } else if (!token.is_closed) {
      fault_ = SqlFault::not_closed;
    } else if (token.kind == SqlTokenKind::parameter) {
      read_parameter(token.number());
    } else if (token.kind == SqlTokenKind::other &&
               (first == '$' || (first == '?' && !is_operator(lexer_.rest())))) {
      fault_ = SqlFault::bad_parameter;
    }
  }

  /// PostgreSQL's operators ?, ?| and ?& are followed by an operand; a placeholder is not.
  static constexpr bool is_operator(std::string_view rest) noexcept {
    if (rest.starts_with('&') || (rest.starts_with('|') && !rest.starts_with("||"))) {
      return true;
    }
    rest.remove_prefix(rest.find_first_not_of(" \t\r\n") == std::string_view::npos
                           ? rest.size()
                           : rest.find_first_not_of(" \t\r\n"));
    return rest.starts_with('\'') || rest.starts_with('$');
  }

  constexpr void read_parameter(std::size_t number) noexcept {
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

  std::string_view sql_;
  SqlLexer lexer_;
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
      return "no error";
    case SqlFault::empty:
      return "there is no statement";
    case SqlFault::not_closed:
      return "a quote or a comment is not closed";
    case SqlFault::bad_parameter:
      return "parameters must be written $1, $2 … up to $64";
    case SqlFault::unused_number:
      return "the numbers of the parameters have a gap";
    case SqlFault::several_statements:
      return "there are several statements: use script for them";
    case SqlFault::zero_byte:
      return "there is a NUL byte in the statement";
  }
  return "";
}

}  // namespace eider::db

// The header named by EIDER_CHECKED_SQL has the results of `eider db check`; eider_checked_sql()
// sets it.
#ifdef EIDER_CHECKED_SQL
#include "eider/data/db/checked_sql.h"
#else
namespace eider::db {
/// The statement of a call that reads rows into T; void if it reads none.
template <class T, std::size_t Count>
using SqlFor = SqlWith<Count>;
}  // namespace eider::db
#endif
