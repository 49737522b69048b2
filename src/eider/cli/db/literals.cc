#include "eider/cli/db/literals.h"

#include <algorithm>
#include <array>

#include "eider/base/text.h"

namespace eider {
namespace {

bool is_identifier_byte(char byte) noexcept {
  return is_letter(byte) || is_digit(byte) || byte == '_';
}

/// Reads a source from its begin to its end.
class LiteralFinder {
 public:
  explicit LiteralFinder(std::string_view source) noexcept : source_(source) {}

  std::vector<SqlLiteral> find() {
    while (at_ < source_.size()) {
      if (!skip_blank()) {
        step();
      }
    }
    return std::move(found_);
  }

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

  /// Digits may be parted by it: 1'000.
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
      return;
    }
    skip_all_blank();
    skip_template_arguments();
    if (byte() != '(') {
      return;
    }
    ++at_;
    skip_all_blank();
    if (is_literal()) {
      add();
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

  /// Literals beside each other are one.
  void add() {
    const auto line =
        1 + std::count(source_.begin(), source_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    std::string sql;
    while (is_literal()) {
      sql += read_literal();
      skip_all_blank();
    }
    if (byte() == ',' || byte() == ')') {
      found_.push_back({std::move(sql), static_cast<std::size_t>(line)});
    }
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

  /// Those that stand in SQL; an octal or a hexadecimal one does not.
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
  std::size_t at_ = 0;
  std::vector<SqlLiteral> found_;
};

}  // namespace

std::vector<SqlLiteral> find_sql_literals(std::string_view source) {
  return LiteralFinder(source).find();
}

}  // namespace eider
