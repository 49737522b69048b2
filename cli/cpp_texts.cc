#include "cli/cpp_texts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/core/base/translation.h"

namespace eider {

namespace {

/// literal  a text in quotes, without the quotes and with its escapes resolved
struct CppToken {
  enum class Kind : std::uint8_t { name, literal, other };
  Kind kind;
  std::string text;
  std::size_t line;
};

bool continues_cpp_name(char byte) {
  return is_letter(byte) || is_digit(byte) || byte == '_';
}

/// Splits a source into names, literals and punctuation. Comments are skipped, except for their
/// lines.
class CppLexer {
 public:
  explicit CppLexer(std::string_view source) : source_(source) {}

  void run() {
    while (at_ < source_.size()) {
      const char byte = source_[at_];
      if (byte == '\n') {
        ++line_;
        ++at_;
      } else if (source_.substr(at_).starts_with("//")) {
        line_comment();
      } else if (source_.substr(at_).starts_with("/*")) {
        skip_to(source_.find("*/", at_ + 2), 2);
      } else if (source_.substr(at_).starts_with("R\"")) {
        raw_literal();
      } else if (byte == '"') {
        literal();
      } else if (byte == '\'') {
        character();
      } else if (continues_cpp_name(byte)) {
        name();
      } else {
        if (static_cast<unsigned char>(byte) > ' ') {
          tokens.push_back({CppToken::Kind::other, std::string(1, byte), line_});
        }
        ++at_;
      }
    }
  }

  std::vector<CppToken> tokens;
  /// Lines that end with the comment `// tr`.
  std::vector<std::size_t> marked_lines;

 private:
  void skip_to(std::size_t end, std::size_t and_more) {
    const std::size_t to = end == source_.npos ? source_.size() : end + and_more;
    line_ += static_cast<std::size_t>(std::ranges::count(source_.substr(at_, to - at_), '\n'));
    at_ = to;
  }

  void line_comment() {
    const std::size_t end = std::min(source_.find('\n', at_), source_.size());
    if (trim(source_.substr(at_, end - at_)) == "// tr") {
      marked_lines.push_back(line_);
    }
    at_ = end;
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < source_.size() && continues_cpp_name(source_[at_])) {
      // 1'000'000
      at_ +=
          is_digit(source_[begin]) && at_ + 1 < source_.size() && source_[at_ + 1] == '\'' ? 2 : 1;
    }
    tokens.push_back(
        {CppToken::Kind::name, std::string(source_.substr(begin, at_ - begin)), line_});
  }

  void character() {
    ++at_;
    while (at_ < source_.size() && source_[at_] != '\'' && source_[at_] != '\n') {
      at_ += source_[at_] == '\\' ? 2 : 1;
    }
    ++at_;
  }

  void raw_literal() {
    const std::size_t line = line_;
    const std::size_t open = source_.find('(', at_);
    if (open == source_.npos) {
      at_ = source_.size();
      return;
    }
    const std::string close = ")" + std::string(source_.substr(at_ + 2, open - at_ - 2)) + "\"";
    const std::size_t end = std::min(source_.find(close, open), source_.size());
    std::string text(source_.substr(open + 1, end - open - 1));
    skip_to(end, std::min(close.size(), source_.size() - end));
    add_literal(std::move(text), line);
  }

  void literal() {
    std::string text;
    const std::size_t line = line_;
    for (++at_; at_ < source_.size() && source_[at_] != '"' && source_[at_] != '\n'; ++at_) {
      if (source_[at_] == '\\' && at_ + 1 < source_.size()) {
        text += unescaped(source_[++at_]);
      } else {
        text += source_[at_];
      }
    }
    ++at_;
    add_literal(std::move(text), line);
  }

  static char unescaped(char byte) { return byte == 'n' ? '\n' : byte == 't' ? '\t' : byte; }

  /// Adjacent literals are one text.
  void add_literal(std::string text, std::size_t line) {
    if (!tokens.empty() && tokens.back().kind == CppToken::Kind::literal) {
      tokens.back().text += text;
    } else {
      tokens.push_back({CppToken::Kind::literal, std::move(text), line});
    }
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

/// Positions of the context, the text and its plural among the arguments of a call; -1: none.
struct CallShape {
  std::string_view name;
  int context;
  int text;
  int many;
};

constexpr auto kTextCalls = std::to_array<CallShape>({{"tr", -1, 0, -1},
                                                      {"plural", -1, 0, 1},
                                                      {"context", 0, 1, -1},
                                                      {"context_plural", 0, 1, 2},
                                                      {"translate", -1, 1, -1},
                                                      {"translate_plural", -1, 1, 2},
                                                      {"flash", -1, 1, -1}});

class CppTextFinder {
 public:
  CppTextFinder(const CppLexer& lexer, std::span<const std::string> keywords)
      : tokens_(lexer.tokens), marked_lines_(lexer.marked_lines), keywords_(keywords) {}

  std::vector<SourceText> run() {
    for (std::size_t at = 0; at + 1 < tokens_.size(); ++at) {
      if (tokens_[at].kind != CppToken::Kind::name) {
        continue;
      }
      if (tokens_[at].text == "enum") {
        enumeration(at);
      } else if (is_sign(at + 1, "(")) {
        call(at);
      }
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_sign(std::size_t at, std::string_view sign) const {
    return at < tokens_.size() && tokens_[at].kind == CppToken::Kind::other &&
           tokens_[at].text == sign;
  }

  [[nodiscard]] std::optional<CallShape> shape_of(std::string_view name) const {
    if (const auto* const known = std::ranges::find(kTextCalls, name, &CallShape::name);
        known != kTextCalls.end()) {
      return *known;
    }
    if (std::ranges::find(keywords_, name) != keywords_.end()) {
      return CallShape{name, -1, 0, -1};
    }
    return std::nullopt;
  }

  void call(std::size_t at) {
    const auto shape = shape_of(tokens_[at].text);
    if (!shape) {
      return;
    }
    const std::vector<const CppToken*> texts = literal_arguments(at + 2);
    const auto argument = [&texts](int index) {
      return index >= 0 && static_cast<std::size_t>(index) < texts.size()
                 ? texts[static_cast<std::size_t>(index)]
                 : nullptr;
    };
    const CppToken* const text = argument(shape->text);
    const CppToken* const context = argument(shape->context);
    const CppToken* const many = argument(shape->many);
    if (text == nullptr || (shape->context >= 0 && context == nullptr) ||
        (shape->many >= 0 && many == nullptr)) {
      return;
    }
    found_.push_back({context == nullptr ? "" : context->text, text->text,
                      many == nullptr ? "" : many->text, text->line});
  }

  /// Returns the arguments from that position on; null for those that are not a single literal.
  [[nodiscard]] std::vector<const CppToken*> literal_arguments(std::size_t at) const {
    std::vector<const CppToken*> found;
    int depth = 0;
    for (std::size_t begin = at; at < tokens_.size(); ++at) {
      const bool is_end = depth == 0 && (is_sign(at, ",") || is_sign(at, ")"));
      if (is_end) {
        const bool is_text = at == begin + 1 && tokens_[begin].kind == CppToken::Kind::literal;
        found.push_back(is_text ? &tokens_[begin] : nullptr);
        begin = at + 1;
        if (is_sign(at, ")")) {
          break;
        }
      }
      depth += is_sign(at, "(") || is_sign(at, "{") || is_sign(at, "[") ? 1 : 0;
      depth -= !is_end && (is_sign(at, ")") || is_sign(at, "}") || is_sign(at, "]")) ? 1 : 0;
    }
    return found;
  }

  /// Reads `enum class Name : type { first, second = 2 };`
  void enumeration(std::size_t at) {
    const std::size_t first_line = tokens_[at].line;
    while (at < tokens_.size() && !is_sign(at, "{") && !is_sign(at, ";")) {
      ++at;
    }
    std::vector<SourceText> labels;
    for (; at + 1 < tokens_.size() && !is_sign(at, "}") && !is_sign(at, ";"); ++at) {
      const CppToken& next = tokens_[at + 1];
      if ((is_sign(at, "{") || is_sign(at, ",")) && next.kind == CppToken::Kind::name) {
        labels.push_back({"", label_of(next.text), "", next.line});
      }
    }
    const std::size_t last_line = at < tokens_.size() ? tokens_[at].line : first_line;
    const bool is_marked = std::ranges::any_of(marked_lines_, [&](std::size_t line) {
      return line + 1 >= first_line && line <= last_line;
    });
    if (is_marked) {
      std::ranges::move(labels, std::back_inserter(found_));
    }
  }

  const std::vector<CppToken>& tokens_;
  const std::vector<std::size_t>& marked_lines_;
  std::span<const std::string> keywords_;
  std::vector<SourceText> found_;
};

}  // namespace

std::vector<SourceText> texts_of_cpp(std::string_view source,
                                     std::span<const std::string> keywords) {
  CppLexer lexer(source);
  lexer.run();
  return CppTextFinder(lexer, keywords).run();
}

}  // namespace eider
