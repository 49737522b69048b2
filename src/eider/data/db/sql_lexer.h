// Splits SQL into tokens, in the dialect of each database.
// Layering: must not know statements, and must not judge them: any text has tokens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace eider::db::detail {

/// The rules in which databases differ.
struct SqlDialect {
  bool has_quotes = true;          // '…' and "…"
  bool has_backticks = false;      // `…`
  bool has_brackets = false;       // […] quotes a name
  bool has_dollar_quotes = false;  // $$…$$ and $tag$…$tag$; also e'…', where a backslash escapes
  bool nests_comments = false;     // /* /* */ */ is one comment
  bool has_hash_comments = false;  // # up to the end of the line
  bool has_double_minus = false;   // 5--1 is 5 minus -1; -- needs a blank to begin a comment
};

inline constexpr SqlDialect kSqliteSql{.has_backticks = true, .has_brackets = true};
inline constexpr SqlDialect kPostgresSql{.has_dollar_quotes = true, .nests_comments = true};
/// With ANSI_QUOTES and NO_BACKSLASH_ESCAPES, which each session sets.
inline constexpr SqlDialect kMariadbSql{
    .has_backticks = true, .has_hash_comments = true, .has_double_minus = true};
/// For a statement whose database is not known yet. `[` and `#` are operators in PostgreSQL.
inline constexpr SqlDialect kAnySql{
    .has_backticks = true, .has_dollar_quotes = true, .nests_comments = true};
/// Without quotes: for checks that must also see the text within them, because a server may be set
/// to end a quote elsewhere.
inline constexpr SqlDialect kUnquotedSql{.has_quotes = false};

enum class SqlTokenKind : std::uint8_t {
  blank,      // one or more
  comment,    // with the newline that ends it
  word,       // a keyword or a name without quotes
  number,     // begins with a digit; may continue with letters
  quoted,     // a text or a name, with its quotes and what is before them: e'…', $tag$…$tag$
  parameter,  // $1
  other,      // one byte
};

/// is_closed  false for a quote or a comment that the text ends in
/// depth      of brackets around it; only `tokens_of` counts it
struct SqlToken {
  SqlTokenKind kind = SqlTokenKind::other;
  std::string_view text{};
  bool is_closed = true;
  std::size_t depth = 0;

  [[nodiscard]] constexpr bool is_blank() const noexcept {
    return kind == SqlTokenKind::blank || kind == SqlTokenKind::comment;
  }
  /// word  a word in any case, or one other byte
  [[nodiscard]] bool is(std::string_view word) const noexcept;
  [[nodiscard]] bool is_one_of(std::initializer_list<std::string_view> words) const noexcept;
  /// Without the quotes of a quoted name.
  [[nodiscard]] std::string_view name() const noexcept;
  /// The number of a parameter; 9999 if it is higher.
  [[nodiscard]] constexpr std::size_t number() const noexcept {
    constexpr std::size_t kNumberMax = 9999;
    std::size_t number = 0;
    for (std::size_t at = 1; at < text.size(); ++at) {
      number = number * 10 + static_cast<std::size_t>(text[at] - '0');
      number = number < kNumberMax ? number : kNumberMax;
    }
    return number;
  }
};

/// What a token may begin with. The plain ones come first: `SqlLexer::skip_plain`.
enum class SqlByte : std::uint8_t { other, blank, letter, digit, quote, dollar, mark, sign };

inline constexpr std::array<SqlByte, 256> kSqlBytes = [] {
  std::array<SqlByte, 256> bytes{};
  for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
    const bool is_letter =
        (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || byte >= 0x80;
    bytes[byte] = is_letter ? SqlByte::letter : SqlByte::other;
  }
  for (std::size_t digit = '0'; digit <= '9'; ++digit) {
    bytes[digit] = SqlByte::digit;
  }
  for (const char blank : {' ', '\t', '\n', '\v', '\f', '\r'}) {
    bytes[static_cast<unsigned char>(blank)] = SqlByte::blank;
  }
  for (const char quote : {'\'', '"', '`', '['}) {
    bytes[static_cast<unsigned char>(quote)] = SqlByte::quote;
  }
  for (const char mark : {'-', '/', '#'}) {
    bytes[static_cast<unsigned char>(mark)] = SqlByte::mark;
  }
  for (const char sign : {';', '?'}) {
    bytes[static_cast<unsigned char>(sign)] = SqlByte::sign;
  }
  bytes['$'] = SqlByte::dollar;
  return bytes;
}();

/// Any byte of a word or a number but its first one, `$` aside.
[[nodiscard]] constexpr bool is_sql_word_byte(char byte) noexcept {
  const SqlByte kind = kSqlBytes[static_cast<unsigned char>(byte)];
  return kind == SqlByte::letter || kind == SqlByte::digit;
}

/// The byte before a token of `sql`; a space at the beginning.
[[nodiscard]] constexpr char byte_before(const SqlToken& token, std::string_view sql) noexcept {
  return token.text.data() == sql.data() ? ' ' : token.text.data()[-1];
}

/// Reads one token after the other.
class SqlLexer {
 public:
  constexpr SqlLexer(std::string_view sql, const SqlDialect& dialect) noexcept
      : bytes_(sql.data()), end_(sql.size()), dialect_(dialect) {}

  [[nodiscard]] constexpr bool is_at_end() const noexcept { return at_ == end_; }
  [[nodiscard]] constexpr std::string_view rest() const noexcept {
    return {bytes_ + at_, end_ - at_};
  }

  /// Pre: !is_at_end()
  constexpr SqlToken next() noexcept {
    const std::size_t begin = at_;
    is_closed_ = true;
    const SqlTokenKind kind = read(bytes_[at_]);
    return {kind, {bytes_ + begin, at_ - begin}, is_closed_};
  }

  /// The next token that is no blank and no comment; at the end one without text.
  constexpr SqlToken next_visible() noexcept {
    while (!is_at_end()) {
      const SqlToken token = next();
      if (!token.is_blank()) {
        return token;
      }
    }
    return {};
  }

  /// Skips words, numbers, blanks and operators, which are most bytes of a statement, up to a byte
  /// that may begin anything else. The compiler runs this loop for each literal: it takes a third
  /// of the time of reading each token.
  constexpr void skip_plain() noexcept {
    const char* const bytes = bytes_;
    const std::size_t end = end_;
    std::size_t at = at_;
    while (at < end && kSqlBytes[static_cast<unsigned char>(bytes[at])] <= SqlByte::digit) {
      ++at;
    }
    // In a$1 and e'…' it belongs to the word before it.
    while (at < end && at > at_ && is_sql_word_byte(bytes[at - 1])) {
      --at;
    }
    at_ = at;
  }

 private:
  constexpr SqlTokenKind read(char first) noexcept {
    switch (kind_of(at_++)) {
      case SqlByte::blank:
        while (kind_at() == SqlByte::blank) {
          ++at_;
        }
        return SqlTokenKind::blank;
      case SqlByte::letter:
        return read_word(first);
      case SqlByte::digit:
        skip_word();
        return SqlTokenKind::number;
      case SqlByte::quote:
        return read_quoted(first);
      case SqlByte::dollar:
        return read_dollar();
      case SqlByte::mark:
        return read_mark(first);
      case SqlByte::sign:
      case SqlByte::other:
        break;
    }
    return SqlTokenKind::other;
  }

  constexpr SqlTokenKind read_word(char first) noexcept {
    const bool is_e = first == 'e' || first == 'E';
    if (is_e && dialect_.has_dollar_quotes && dialect_.has_quotes && is_next('\'')) {
      skip_escaped();
      return SqlTokenKind::quoted;
    }
    for (SqlByte kind = kind_at();
         kind == SqlByte::letter || kind == SqlByte::digit || kind == SqlByte::dollar;
         kind = kind_at()) {
      ++at_;
    }
    return SqlTokenKind::word;
  }

  constexpr SqlTokenKind read_quoted(char quote) noexcept {
    const bool is_quote = quote == '['   ? dialect_.has_brackets
                          : quote == '`' ? dialect_.has_backticks
                                         : dialect_.has_quotes;
    if (!is_quote) {
      return SqlTokenKind::other;
    }
    const char end = quote == '[' ? ']' : quote;
    for (;;) {
      while (at_ < end_ && bytes_[at_] != end) {
        ++at_;
      }
      close();
      if (quote == '[' || !is_next(quote)) {
        return SqlTokenKind::quoted;
      }
      ++at_;  // a doubled quote is one within the text
    }
  }

  constexpr SqlTokenKind read_dollar() noexcept {
    if (kind_at() == SqlByte::digit) {
      while (kind_at() == SqlByte::digit) {
        ++at_;
      }
      return SqlTokenKind::parameter;
    }
    const std::size_t begin = at_;
    skip_word();
    if (!dialect_.has_dollar_quotes || !is_next('$')) {
      at_ = begin;
      return SqlTokenKind::other;
    }
    const std::string_view tag(bytes_ + begin - 1, at_ + 2 - begin);
    ++at_;
    skip_past(tag);
    return SqlTokenKind::quoted;
  }

  constexpr SqlTokenKind read_mark(char first) noexcept {
    if (first == '#' ? dialect_.has_hash_comments : first == '-' && is_dash_comment()) {
      skip_past("\n");
      is_closed_ = true;
      return SqlTokenKind::comment;
    }
    if (first != '/' || !is_next('*')) {
      return SqlTokenKind::other;
    }
    ++at_;
    skip_comment();
    return SqlTokenKind::comment;
  }

  /// Pre: the byte before is a '-'
  [[nodiscard]] constexpr bool is_dash_comment() const noexcept {
    if (!is_next('-') || !dialect_.has_double_minus || at_ + 1 == end_) {
      return is_next('-');
    }
    const auto after = static_cast<unsigned char>(bytes_[at_ + 1]);
    return after <= ' ' || after == 0x7F;  // a blank or a control byte
  }

  constexpr void skip_comment() noexcept {
    std::size_t depth = 1;
    while (depth != 0 && at_ + 1 < end_) {
      const bool is_begin = dialect_.nests_comments && bytes_[at_] == '/' && bytes_[at_ + 1] == '*';
      const bool is_end = bytes_[at_] == '*' && bytes_[at_ + 1] == '/';
      depth += is_begin ? 1 : 0;
      depth -= is_end ? 1 : 0;
      at_ += is_begin || is_end ? 2 : 1;
    }
    is_closed_ = depth == 0;
    at_ = is_closed_ ? at_ : end_;
  }

  /// A quote on a later line continues the text, as in the SQL standard.
  constexpr void skip_escaped() noexcept {
    do {
      ++at_;
      while (at_ < end_ && bytes_[at_] != '\'') {
        at_ += bytes_[at_] == '\\' && at_ + 1 < end_ ? 2 : 1;
      }
      close();
    } while (is_next('\'') || skip_to_continuation());
  }

  constexpr bool skip_to_continuation() noexcept {
    std::size_t next = at_;
    bool has_newline = false;
    while (next < end_ && kind_of(next) == SqlByte::blank) {
      has_newline = has_newline || bytes_[next] == '\n';
      ++next;
    }
    const bool is_continued = has_newline && next < end_ && bytes_[next] == '\'';
    at_ = is_continued ? next : at_;
    return is_continued;
  }

  /// Skips the byte that ends a quote, if the text does not end before it.
  constexpr void close() noexcept {
    is_closed_ = at_ < end_;
    at_ += is_closed_ ? 1 : 0;
  }
  constexpr void skip_past(std::string_view wanted) noexcept {
    const std::size_t found = rest().find(wanted);
    is_closed_ = found != std::string_view::npos;
    at_ = is_closed_ ? at_ + found + wanted.size() : end_;
  }
  constexpr void skip_word() noexcept {
    while (at_ < end_ && is_sql_word_byte(bytes_[at_])) {
      ++at_;
    }
  }
  [[nodiscard]] constexpr bool is_next(char byte) const noexcept {
    return at_ < end_ && bytes_[at_] == byte;
  }
  [[nodiscard]] constexpr SqlByte kind_of(std::size_t at) const noexcept {
    return kSqlBytes[static_cast<unsigned char>(bytes_[at])];
  }
  [[nodiscard]] constexpr SqlByte kind_at() const noexcept {
    return at_ < end_ ? kind_of(at_) : SqlByte::other;
  }

  const char* bytes_;
  std::size_t at_ = 0;
  std::size_t end_;
  SqlDialect dialect_;
  bool is_closed_ = true;
};

/// All but blanks and comments, each with the depth of brackets around it.
[[nodiscard]] std::vector<SqlToken> tokens_of(std::string_view sql, const SqlDialect& dialect);

}  // namespace eider::db::detail
