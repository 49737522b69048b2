#include "eider/data/db/migrations/sql_pieces.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "eider/core/base/text.h"

namespace eider::db {
namespace {

bool is_word_byte(char byte) noexcept {
  return is_letter(byte) || is_digit(byte) || byte == '_' ||
         static_cast<unsigned char>(byte) >= 0x80;
}

/// Of a name in its midst. At its beginning '$' is a parameter's, or opens a quote.
bool is_name_byte(char byte) noexcept {
  return is_word_byte(byte) || byte == '$';
}

bool is_space(char byte) noexcept {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/// What stands in front and has such bytes alone.
std::string_view front_of(std::string_view sql, bool (*is_of_it)(char) noexcept) noexcept {
  const auto* end = std::ranges::find_if_not(sql, is_of_it);
  return sql.substr(0, static_cast<std::size_t>(end - sql.begin()));
}

bool is_one_of(std::string_view word, std::span<const std::string_view> words) noexcept {
  return std::ranges::any_of(
      words, [word](std::string_view one) { return equals_ignoring_case(one, word); });
}

/// Walks over a script, a word, a quote or a comment at a time.
class Splitter {
 public:
  Splitter(std::string_view sql, Dialect dialect) noexcept
      : sql_(sql),
        is_sqlite_(dialect == Dialect::sqlite),
        is_postgres_(dialect == Dialect::postgres),
        is_mariadb_(dialect == Dialect::mariadb) {}

  std::vector<SqlPiece> split() {
    while (at_ < sql_.size()) {
      if (!skip_blank()) {
        step();
      }
    }
    end_piece();
    return std::move(pieces_);
  }

 private:
  [[nodiscard]] std::string_view rest() const noexcept { return sql_.substr(at_); }

  void advance(std::size_t bytes) noexcept {
    const std::size_t end = std::min(at_ + bytes, sql_.size());
    line_ +=
        static_cast<std::size_t>(std::count(sql_.begin() + static_cast<std::ptrdiff_t>(at_),
                                            sql_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }
  void advance_behind(std::string_view end, std::size_t opening) noexcept {
    const std::size_t found = sql_.find(end, at_ + opening);
    advance(found == std::string_view::npos ? sql_.size() : found + end.size() - at_);
  }

  bool skip_blank() noexcept {
    if (rest().starts_with("--") || (is_mariadb_ && rest().starts_with('#'))) {
      advance_behind("\n", 0);
    } else if (is_run_comment()) {
      return false;
    } else if (rest().starts_with("/*")) {
      skip_comment();
    } else if (is_space(sql_[at_])) {
      advance(1);
    } else {
      return false;
    }
    return true;
  }

  /// MariaDB runs what stands in one, as in those that its dumps begin with.
  [[nodiscard]] bool is_run_comment() const noexcept {
    return is_mariadb_ && (rest().starts_with("/*!") || rest().starts_with("/*M!"));
  }

  /// PostgreSQL's comments nest, those of the others do not.
  void skip_comment() noexcept {
    std::size_t depth = 0;
    do {
      if (rest().starts_with("/*") && (depth == 0 || is_postgres_)) {
        ++depth;
        advance(2);
      } else if (rest().starts_with("*/")) {
        --depth;
        advance(2);
      } else {
        advance(1);
      }
    } while (depth > 0 && at_ < sql_.size());
  }

  void step() {
    const char byte = sql_[at_];
    if (byte == ';') {
      step_semicolon();
      return;
    }
    if (!is_in_piece_) {
      begin_piece();
    }
    if (byte == '\'' || byte == '"' || (!is_postgres_ && byte == '`')) {
      advance_behind(sql_.substr(at_, 1), 1);
    } else if (is_sqlite_ && byte == '[') {
      advance_behind("]", 1);
    } else if (byte == '$' && is_postgres_) {
      step_dollar();
    } else if (is_word_byte(byte)) {
      step_word();
    } else {
      advance(1);
    }
    is_behind_semicolon_ = false;
    end_ = at_;
  }

  void step_semicolon() {
    if (depth_ == 0) {
      end_piece();
    }
    advance(1);
    is_behind_semicolon_ = true;
    end_ = at_;
  }

  void step_dollar() noexcept {
    const std::string_view tag = front_of(rest().substr(1), is_word_byte);
    const bool is_quote = rest().substr(1 + tag.size()).starts_with('$');
    advance_behind(is_quote ? rest().substr(0, tag.size() + 2) : "$",
                   is_quote ? tag.size() + 2 : 0);
  }

  void step_word() {
    const std::string_view word = front_of(rest(), is_name_byte);
    advance(word.size());
    if (is_postgres_ && equals_ignoring_case(word, "e") && rest().starts_with('\'')) {
      skip_escaped();
      return;
    }
    if (is_mariadb_) {
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

  /// E'…' alone knows backslashes.
  void skip_escaped() noexcept {
    advance(1);
    while (at_ < sql_.size() && sql_[at_] != '\'') {
      advance(sql_[at_] == '\\' ? 2 : 1);
    }
    advance(1);
  }

  /// Statements within a trigger or a function are parts of the one that makes it.
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

  /// Its bodies nest by `begin` and `case`. What ends by two words (`end if`) nests nothing here:
  /// it stands within one of those.
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
    } else if (is_create_) {  // `definer = …` and `or replace` stand between
      has_body_ = is_one_of(word, kMade);
      is_create_ = !has_body_ && !is_one_of(word, kOther);
    } else if (words_ == 1 && is_behind_begin_ && equals_ignoring_case(word, "not")) {
      has_body_ = true;  // begin not atomic … end
      depth_ = 1;
    } else if (has_body_ && is_begin) {
      ++depth_;
    } else if (depth_ > 0 && equals_ignoring_case(word, "case")) {
      depth_ += std::exchange(is_end_case_, false) ? 0 : 1;
    } else if (depth_ > 0 && equals_ignoring_case(word, "end") && !is_behind_dot()) {
      const std::string_view next = next_word();
      depth_ -= is_one_of(next, kParts) ? 0 : 1;
      is_end_case_ = equals_ignoring_case(next, "case");
    }
  }

  [[nodiscard]] bool is_behind_dot() const noexcept {
    return at_ > 3 && sql_.substr(0, at_ - 3).ends_with('.');
  }
  /// Behind blanks, without comments.
  [[nodiscard]] std::string_view next_word() const noexcept {
    const std::string_view behind = rest().substr(front_of(rest(), is_space).size());
    return front_of(behind, is_name_byte);
  }

  /// `begin` may be a name in both: PostgreSQL's bodies say `begin atomic`, SQLite's triggers have
  /// but one that is none.
  [[nodiscard]] bool begins_body(std::string_view word) const noexcept {
    return is_sqlite_
               ? equals_ignoring_case(word, "begin")
               : equals_ignoring_case(word, "atomic") && equals_ignoring_case(last_word_, "begin");
  }

  /// SQLite lets a column be named `end`: a body's own comes behind a semicolon.
  [[nodiscard]] bool may_end() const noexcept {
    return !is_sqlite_ || depth_ > 1 || is_behind_semicolon_;
  }

  void begin_piece() noexcept {
    is_in_piece_ = true;
    begin_ = at_;
    piece_ = {.text = {}, .line = line_};
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
  bool is_sqlite_;
  bool is_postgres_;
  bool is_mariadb_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;  // behind the last byte that is neither space nor comment
  std::size_t words_ = 0;
  std::size_t depth_ = 0;
  bool is_in_piece_ = false;
  bool is_create_ = false;
  bool has_body_ = false;
  bool is_behind_begin_ = false;  // which is the statement's first word
  bool is_end_case_ = false;      // the next word is the second one of `end case`
  bool is_behind_semicolon_ = false;
  std::string_view last_word_{};
  SqlPiece piece_{};
  std::vector<SqlPiece> pieces_;
};

}  // namespace

std::vector<SqlPiece> split_sql(std::string_view sql, Dialect dialect) {
  return Splitter(sql, dialect).split();
}

}  // namespace eider::db
