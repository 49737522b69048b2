#include "eider/data/db/migrations/sql_pieces.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/data/db/sql_lexer.h"

namespace eider::db {
namespace {

using detail::SqlLexer;
using detail::SqlToken;
using detail::SqlTokenKind;

bool is_one_of(std::string_view word, std::span<const std::string_view> words) noexcept {
  return std::ranges::any_of(
      words, [word](std::string_view one) { return equals_ignoring_case(one, word); });
}

const detail::SqlDialect& rules_of(Dialect dialect) noexcept {
  switch (dialect) {
    case Dialect::sqlite:
      return detail::kSqliteSql;
    case Dialect::postgres:
      return detail::kPostgresSql;
    case Dialect::mariadb:
      break;
  }
  return detail::kMariadbSql;
}

/// MariaDB runs the text of comments that begin with '!', which its dumps use. The two ends of such
/// a comment are tokens.
SqlToken next_of_mariadb(SqlLexer& lexer) noexcept {
  const std::string_view rest = lexer.rest();
  std::size_t bytes = rest.starts_with("*/") ? 2 : 0;
  if (rest.starts_with("/*!") || rest.starts_with("/*M!")) {
    bytes = rest.find('!') + 1;
    while (bytes < rest.size() && is_digit(rest[bytes])) {
      ++bytes;  // the version number is not a word of the statement
    }
  }
  if (bytes == 0) {
    return lexer.next();
  }
  lexer = SqlLexer(rest.substr(bytes), detail::kMariadbSql);
  return {SqlTokenKind::other, rest.substr(0, bytes)};
}

bool is_block(const SqlPiece& piece) noexcept {
  return equals_ignoring_case(piece.words[0], "begin") &&
         equals_ignoring_case(piece.words[1], "not") &&
         equals_ignoring_case(piece.words[2], "atomic");
}

/// Returns the statement in a block that begins with the first token.
SqlPiece first_statement(const SqlPiece& block, std::span<const SqlToken> tokens) {
  const char* const begin = tokens.front().text.data();
  const char* end = begin;
  SqlPiece piece;
  std::size_t words = 0;
  for (const SqlToken& token : tokens) {
    if (token.is(";")) {
      break;
    }
    end = token.text.data() + token.text.size();
    const bool is_word = token.kind == SqlTokenKind::word || token.kind == SqlTokenKind::number;
    if (is_word && words < piece.words.size()) {
      piece.words[words++] = token.text;
    }
  }
  piece.text = {begin, static_cast<std::size_t>(end - begin)};
  piece.line = block.line + static_cast<std::size_t>(std::count(block.text.data(), begin, '\n'));
  return piece;
}

/// Iterates over a script, token by token.
class Splitter {
 public:
  Splitter(std::string_view sql, Dialect dialect) noexcept
      : sql_(sql), lexer_(sql, rules_of(dialect)), dialect_(dialect) {}

  std::vector<SqlPiece> split() {
    while (!lexer_.is_at_end()) {
      const SqlToken token = dialect_ == Dialect::mariadb ? next_of_mariadb(lexer_) : lexer_.next();
      if (!token.is_blank()) {
        step(token);
      }
      line_ += static_cast<std::size_t>(std::ranges::count(token.text, '\n'));
    }
    end_piece();
    return std::move(pieces_);
  }

 private:
  void step(const SqlToken& token) {
    const auto begin = static_cast<std::size_t>(token.text.data() - sql_.data());
    const bool is_semicolon = token.text == ";";
    if (is_semicolon && depth_ == 0) {
      end_piece();
    } else if (!is_in_piece_) {
      is_in_piece_ = true;
      begin_ = begin;
      piece_ = {.text = {}, .line = line_};
    }
    if (token.kind == SqlTokenKind::word || token.kind == SqlTokenKind::number) {
      step_word(token.text);
    }
    is_behind_semicolon_ = is_semicolon;
    end_ = begin + token.text.size();
  }

  void step_word(std::string_view word) {
    if (dialect_ == Dialect::mariadb) {
      note_depth_of_mariadb(word);
    } else {
      note_depth(word);
    }
    if (words_ < piece_.words.size()) {
      piece_.words[words_] = word;
    }
    ++words_;
    last_word_ = word;
  }

  /// Statements within a trigger or a function are part of the one that creates it.
  void note_depth(std::string_view word) noexcept {
    static constexpr auto kMade =
        std::to_array<std::string_view>({"trigger", "function", "procedure"});
    static constexpr auto kBetween =
        std::to_array<std::string_view>({"or", "replace", "temp", "temporary", "constraint"});
    if (words_ == 0) {
      is_create_ = equals_ignoring_case(word, "create");
    } else if (is_create_) {
      has_body_ = is_one_of(word, kMade);
      is_create_ = is_one_of(word, kBetween);
    } else if (has_body_ && depth_ == 0) {
      depth_ = begins_body(word) ? 1 : 0;
    } else if (depth_ > 0 && equals_ignoring_case(word, "case")) {
      ++depth_;
    } else if (depth_ > 0 && equals_ignoring_case(word, "end") && may_end()) {
      --depth_;
    }
  }

  /// Bodies are nested with `begin` and `case`. Constructs that end with two words (`end if`) do
  /// not count as nesting, because they are within one of those.
  void note_depth_of_mariadb(std::string_view word) noexcept {
    static constexpr auto kMade =
        std::to_array<std::string_view>({"trigger", "function", "procedure", "event", "package"});
    static constexpr auto kOther = std::to_array<std::string_view>(
        {"table", "view", "index", "database", "schema", "user", "role", "sequence", "server"});
    static constexpr auto kParts =
        std::to_array<std::string_view>({"if", "while", "loop", "repeat", "for"});
    const bool is_begin = equals_ignoring_case(word, "begin");
    if (words_ == 0) {
      is_create_ = equals_ignoring_case(word, "create");
      is_behind_begin_ = is_begin;
    } else if (is_create_) {  // `definer = …` and `or replace` may come before
      has_body_ = is_one_of(word, kMade);
      is_create_ = !has_body_ && !is_one_of(word, kOther);
    } else if (words_ == 1 && is_behind_begin_ && equals_ignoring_case(word, "not")) {
      has_body_ = true;  // begin not atomic … end
      depth_ = 1;
    } else if (has_body_ && is_begin) {
      ++depth_;
    } else if (depth_ > 0 && equals_ignoring_case(word, "case")) {
      depth_ += std::exchange(is_end_case_, false) ? 0 : 1;
    } else if (depth_ > 0 && equals_ignoring_case(word, "end") &&
               detail::byte_before({SqlTokenKind::word, word}, sql_) != '.') {
      const SqlToken next = SqlLexer(lexer_).next_visible();
      depth_ -= is_one_of(next.text, kParts) ? 0 : 1;
      is_end_case_ = next.is("case");
    }
  }

  /// `begin` may be a name in both: PostgreSQL's bodies begin with `begin atomic`, and SQLite's
  /// triggers have only one `begin` that is not a name.
  [[nodiscard]] bool begins_body(std::string_view word) const noexcept {
    return dialect_ == Dialect::sqlite
               ? equals_ignoring_case(word, "begin")
               : equals_ignoring_case(word, "atomic") && equals_ignoring_case(last_word_, "begin");
  }

  /// SQLite accepts a column named `end`: the one that ends a body comes after a semicolon.
  [[nodiscard]] bool may_end() const noexcept {
    return dialect_ != Dialect::sqlite || depth_ > 1 || is_behind_semicolon_;
  }

  void end_piece() {
    if (is_in_piece_) {
      piece_.text = sql_.substr(begin_, end_ - begin_);
      pieces_.push_back(piece_);
    }
    is_in_piece_ = is_create_ = has_body_ = is_behind_begin_ = is_end_case_ = false;
    words_ = depth_ = 0;
  }

  std::string_view sql_;
  SqlLexer lexer_;
  Dialect dialect_;
  std::size_t line_ = 1;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;  // of the last token that is not whitespace or a comment
  std::size_t words_ = 0;
  std::size_t depth_ = 0;
  bool is_in_piece_ = false;
  bool is_create_ = false;
  bool has_body_ = false;
  bool is_behind_begin_ = false;  // if it is the statement's first word
  bool is_end_case_ = false;      // the next word is the second one of `end case`
  bool is_behind_semicolon_ = false;
  std::string_view last_word_{};
  SqlPiece piece_{};
  std::vector<SqlPiece> pieces_;
};

}  // namespace

std::vector<SqlToken> tokens_of_mariadb(std::string_view sql) {
  std::vector<SqlToken> tokens;
  for (SqlLexer lexer(sql, detail::kMariadbSql); !lexer.is_at_end();) {
    const SqlToken token = next_of_mariadb(lexer);
    if (!token.is_blank() && !token.text.starts_with("/*") && token.text != "*/") {
      tokens.push_back(token);
    }
  }
  return tokens;
}

std::vector<SqlPiece> statements_in_block(const SqlPiece& block) {
  std::vector<SqlPiece> found;
  if (!is_block(block)) {
    return found;
  }
  const std::vector<SqlToken> tokens = tokens_of_mariadb(block.text);
  bool is_declaration = false;
  for (std::size_t i = 3; i < tokens.size(); ++i) {  // after `begin not atomic`
    const SqlToken& token = tokens[i];
    const bool is_first =
        tokens[i - 1].is_one_of({";", "atomic", "begin", "then", "else", "do", "loop", "repeat"});
    is_declaration = is_first ? token.is("declare") : is_declaration;
    // In `declare exit handler for sqlexception rollback`, any word may begin the statement.
    if ((is_first || is_declaration) && token.kind == SqlTokenKind::word &&
        !token.is_one_of({"begin", "end"})) {
      found.push_back(first_statement(block, std::span(tokens).subspan(i)));
    }
  }
  return found;
}

bool controls_transaction(const SqlPiece& piece) noexcept {
  static constexpr auto kControls =
      std::to_array<std::string_view>({"start", "commit", "end", "abort"});
  const auto& words = piece.words;
  if (equals_ignoring_case(words[0], "prepare")) {
    return equals_ignoring_case(words[1], "transaction");
  }
  if (equals_ignoring_case(words[0], "begin")) {
    return !is_block(piece);  // `begin not deferrable` in PostgreSQL is not a block
  }
  if (equals_ignoring_case(words[0], "rollback")) {
    // rollback [work | transaction] to [savepoint] name
    return !equals_ignoring_case(words[1], "to") && !equals_ignoring_case(words[2], "to");
  }
  return is_one_of(words[0], kControls);
}

std::vector<SqlPiece> split_sql(std::string_view sql, Dialect dialect) {
  return Splitter(sql, dialect).split();
}

}  // namespace eider::db
