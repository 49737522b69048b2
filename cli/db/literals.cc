#include "cli/db/literals.h"

#include <algorithm>
#include <array>

#include "eider/core/base/text.h"

namespace eider {
namespace {

bool is_identifier_byte(char byte) noexcept {
  return is_letter(byte) || is_digit(byte) || byte == '_';
}

/// Reads a source from start to end.
class LiteralFinder {
 public:
  LiteralFinder(std::string_view source, const SqlConstants* known) noexcept
      : source_(source), known_(known) {}

  void find() {
    while (at_ < source_.size()) {
      if (!skip_blank()) {
        step();
      }
    }
  }

  std::vector<SqlLiteral> literals{};
  SqlConstants constants{};

 private:
  [[nodiscard]] std::string_view rest() const noexcept {
    return source_.substr(std::min(at_, source_.size()));
  }
  [[nodiscard]] char byte() const noexcept { return at_ < source_.size() ? source_[at_] : '\0'; }

  bool skip_blank() noexcept {
    if (rest().starts_with("//")) {
      skip_behind("\n");
    } else if (rest().starts_with("/*")) {
      skip_behind("*/");
    } else if (byte() == ' ' || (byte() >= '\t' && byte() <= '\r')) {
      ++at_;
    } else {
      return false;
    }
    return true;
  }
  void skip_all_blank() noexcept {
    while (at_ < source_.size() && skip_blank()) {
    }
  }
  void skip_behind(std::string_view end) noexcept {
    const std::size_t found = source_.find(end, at_);
    at_ = found == std::string_view::npos ? source_.size() : found + end.size();
  }

  void step() {
    if (is_literal()) {
      (void)read_literal();
    } else if (byte() == '\'') {
      skip_character();
    } else if (is_identifier_byte(byte())) {
      step_word(take_word());
    } else {
      ++at_;
    }
  }

  /// A ' may also separate digits: 1'000.
  void skip_character() noexcept {
    const bool is_of_number = at_ > 0 && is_identifier_byte(source_[at_ - 1]);
    ++at_;
    while (!is_of_number && at_ < source_.size() && byte() != '\'' && byte() != '\n') {
      at_ += byte() == '\\' ? 2 : 1;
    }
    at_ += is_of_number ? 0 : 1;
  }

  std::string_view take_word() noexcept {
    const std::size_t begin = at_;
    while (is_identifier_byte(byte())) {
      ++at_;
    }
    return source_.substr(begin, at_ - begin);
  }

  [[nodiscard]] bool is_literal() const noexcept {
    return byte() == '"' || rest().starts_with("R\"");
  }

  void step_word(std::string_view word) {
    static constexpr auto kCalls =
        std::to_array<std::string_view>({"one", "all", "exec", "stream", "row", "rows", "change"});
    if (std::ranges::find(kCalls, word) == kCalls.end()) {
      return step_constant(word);
    }
    skip_all_blank();
    skip_template_arguments();
    if (byte() == '(') {
      ++at_;
      skip_all_blank();
      add();
    }
  }

  /// Reads `kName = "…";` or `kName[] = "…";`.
  void step_constant(std::string_view name) {
    skip_all_blank();
    if (rest().starts_with("[]")) {
      at_ += 2;
      skip_all_blank();
    }
    if (byte() != '=') {
      return;
    }
    ++at_;
    skip_all_blank();
    std::string text;
    if (is_literal() && read_piece(text) && byte() == ';') {
      constants.insert_or_assign(std::string(name), std::move(text));
    }
  }

  void skip_template_arguments() noexcept {
    std::size_t depth = 0;
    while (byte() == '<' || depth > 0) {
      if (at_ >= source_.size() || byte() == ';') {
        return;
      }
      depth += byte() == '<' ? 1U : 0U;
      depth -= byte() == '>' ? 1U : 0U;
      ++at_;
    }
    skip_all_blank();
  }

  void add() {
    const auto line =
        1 + std::count(source_.begin(), source_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    std::string sql;
    if (read_statement(sql) && (byte() == ',' || byte() == ')')) {
      literals.push_back({std::move(sql), static_cast<std::size_t>(line)});
    }
  }

  bool read_statement(std::string& sql) {
    if (byte() == '{') {
      ++at_;
      skip_all_blank();
      return read_pieces(sql, '}');
    }
    return skip_name_of_join() ? read_pieces(sql, ')') : read_piece(sql);
  }

  /// Skips `sql(`, `db::sql(` or `eider::db::sql(`.
  bool skip_name_of_join() noexcept {
    std::string_view name = rest();
    for (const std::string_view space : {"eider::", "db::"}) {
      name.remove_prefix(name.starts_with(space) ? space.size() : 0);
    }
    if (!name.starts_with("sql(")) {
      return false;
    }
    at_ = source_.size() - name.size() + 4;
    skip_all_blank();
    return true;
  }

  /// Reads arguments such as "a", kB) until `end`, and joins them with line ends. Returns false if
  /// a constant is unknown.
  bool read_pieces(std::string& all, char end) {
    while (read_piece(all)) {
      if (byte() == end) {
        ++at_;
        skip_all_blank();
        return true;
      }
      if (byte() != ',') {
        return false;
      }
      ++at_;
      skip_all_blank();
      all += '\n';
    }
    return false;
  }

  /// Adjacent literals are one text.
  bool read_piece(std::string& text) {
    if (is_literal()) {
      while (is_literal()) {
        text += read_literal();
        skip_all_blank();
      }
      return true;
    }
    const std::size_t begin = at_;
    std::string_view name = take_word();
    while (rest().starts_with("::")) {
      at_ += 2;
      name = take_word();
    }
    skip_all_blank();
    const auto constant = known_ == nullptr ? SqlConstants::const_iterator() : known_->find(name);
    if (known_ == nullptr || constant == known_->end()) {
      at_ = begin;  // it may be another call
      return false;
    }
    text += constant->second;
    return true;
  }

  std::string read_literal() { return byte() == 'R' ? read_raw() : read_escaped(); }

  std::string read_raw() {
    at_ += 2;
    const std::size_t open = std::min(source_.find('(', at_), source_.size());
    const std::string end = ")" + std::string(source_.substr(at_, open - at_)) + "\"";
    const std::size_t begin = std::min(open + 1, source_.size());
    const std::size_t close = std::min(source_.find(end, begin), source_.size());
    at_ = std::min(close + end.size(), source_.size());
    return std::string(source_.substr(begin, close - begin));
  }

  std::string read_escaped() {
    std::string text;
    ++at_;
    while (at_ < source_.size() && byte() != '"' && byte() != '\n') {
      if (byte() == '\\') {
        ++at_;
        add_escaped(text);
      } else {
        text.push_back(byte());
      }
      ++at_;
    }
    ++at_;
    return text;
  }

  /// Adds the escapes that occur in SQL; octal and hexadecimal ones do not.
  void add_escaped(std::string& text) const {
    switch (byte()) {
      case 'n':
        text.push_back('\n');
        return;
      case 't':
        text.push_back('\t');
        return;
      case '\n':
        return;
      default:
        text.push_back(byte());
        return;
    }
  }

  std::string_view source_;
  const SqlConstants* known_;  // null: none
  std::size_t at_ = 0;
};

}  // namespace

SqlConstants find_sql_constants(std::string_view source) {
  LiteralFinder finder(source, nullptr);
  finder.find();
  return std::move(finder.constants);
}

std::vector<SqlLiteral> find_sql_literals(std::string_view source, const SqlConstants& constants) {
  LiteralFinder finder(source, &constants);
  finder.find();
  return std::move(finder.literals);
}

}  // namespace eider
