#include "eider/web/views/script_state.h"

#include <algorithm>
#include <array>

#include "eider/core/base/text.h"

namespace eider::views {

namespace {

constexpr std::size_t kInsertedMax = 16;
constexpr std::size_t kWordMax = 16;

/// Keywords that are followed by a value, like operators.
constexpr std::array<std::string_view, 13> kOperators = {
    "return", "typeof", "case", "in",      "delete",     "void",   "throw",
    "new",    "do",     "else", "default", "instanceof", "extends"};
/// These may also be ordinary names.
constexpr std::array<std::string_view, 3> kMaybeOperators = {"of", "yield", "await"};

constexpr std::string_view kComment = "<!--";
constexpr std::string_view kScript = "<script";
/// Comments and line breaks that scripts rarely intend: they are treated as ambiguous.
constexpr std::array<std::string_view, 4> kUnsureInCode = {"-->", "#!", "\xe2\x80\xa8",
                                                           "\xe2\x80\xa9"};

bool is_word_byte(char byte) {
  return is_letter(byte) || is_digit(byte) || byte == '_' || byte == '$' ||
         static_cast<unsigned char>(byte) >= 0x80;
}

bool begins_a_mark(std::string_view text) {
  return kComment.starts_with(text) || kScript.starts_with(text) ||
         std::ranges::any_of(kUnsureInCode,
                             [text](std::string_view mark) { return mark.starts_with(text); });
}

}  // namespace

/// A browser reads "\r\n" and "\r" as "\n" (HTML, section 13.2.3.5).
void ScriptState::step(char byte) {
  const bool is_read = byte == '\n' && is_behind_return_;
  is_behind_return_ = byte == '\r';
  if (!is_read) {
    step_any(byte == '\r' ? '\n' : byte);
  }
}

/// "<!--" starts a state in which further script elements are hidden (HTML, "script data escaped
/// state").
void ScriptState::step_tail(char byte) {
  tail_ += to_lower(byte);
  while (!begins_a_mark(tail_)) {
    tail_.erase(0, 1);
  }
  has_comment_ = has_comment_ || tail_ == kComment;
  hides_its_end_ = hides_its_end_ || (has_comment_ && tail_ == kScript);
  const bool is_code = at_ != At::single_quoted && at_ != At::double_quoted &&
                       at_ != At::backquoted && at_ != At::block_comment;
  is_unsure_ = is_unsure_ || has_comment_ ||
               (is_code && tail_ != "-->" &&
                std::ranges::find(kUnsureInCode, tail_) != kUnsureInCode.end()) ||
               (at_ == At::code && tail_ == "-->");
}

void ScriptState::step_any(char byte) {
  step_tail(byte);
  is_unsure_ = is_unsure_ || (must_end_word_ && is_word_byte(byte));
  must_end_word_ = false;
  switch (at_) {
    case At::code:
      return step_code(byte);
    case At::slash:
      return step_slash(byte);
    case At::single_quoted:
      return step_quoted(byte, '\'');
    case At::double_quoted:
      return step_quoted(byte, '"');
    case At::backquoted:
      return step_backquoted(byte);
    case At::line_comment:
    case At::block_comment:
      return step_comment(byte);
    case At::regex:
    case At::regex_class:
      return step_regex(byte);
  }
}

void ScriptState::end_word() {
  if (word_.empty()) {
    return;
  }
  const bool is_member = dots_ == 1 || dots_ == 2;
  const bool is_operator = !is_member && std::ranges::find(kOperators, word_) != kOperators.end();
  const bool is_maybe =
      !is_member && std::ranges::find(kMaybeOperators, word_) != kMaybeOperators.end();
  before_ = is_operator ? Before::operation : is_maybe ? Before::either : Before::value;
  word_.clear();
  dots_ = 0;
}

void ScriptState::step_code(char byte) {
  if (is_word_byte(byte)) {
    if (word_.size() < kWordMax) {
      word_ += byte;
    }
    return;
  }
  const bool is_in_number = !word_.empty() && is_digit(word_.front()) && dots_ == 0;
  end_word();
  if (byte == ' ' || byte == '\t' || byte == '\n') {
    return;
  }
  if (byte == '.' || byte == '#') {  // 1. / 2, a.of / 2, this.#of / 2
    dots_ += is_in_number ? 0 : 1;
    before_ = Before::either;
    return;
  }
  step_sign(byte);
}

void ScriptState::step_sign(char byte) {
  dots_ = byte == '/' ? dots_ : 0;  // a comment may follow
  switch (byte) {
    case '/':
      at_ = At::slash;
      return;
    case '\'':
      at_ = At::single_quoted;
      return;
    case '"':
      at_ = At::double_quoted;
      return;
    case '`':
      at_ = At::backquoted;
      return;
    case '{':
      return open_brace();
    case '}':
      return close_brace();
    case ']':
      before_ = Before::value;
      return;
    case ')':  // (a + b) / 2, but also: if (a) /b/.test(c)
    case '+':  // a++ / 2
    case '-':
      before_ = Before::either;
      return;
    case '\\':  // a name with escape sequences
      is_unsure_ = true;
      return;
    default:
      before_ = Before::operation;
  }
}

void ScriptState::open_brace() {
  before_ = Before::operation;
  if (!inserted_.empty()) {
    ++inserted_.back();
  }
}

void ScriptState::close_brace() {
  before_ = Before::either;
  if (inserted_.empty()) {
    return;
  }
  if (inserted_.back() == 0) {
    inserted_.pop_back();
    at_ = At::backquoted;
  } else {
    --inserted_.back();
  }
}

void ScriptState::step_slash(char byte) {
  if (byte == '/') {
    at_ = At::line_comment;
  } else if (byte == '*') {
    at_ = At::block_comment;
    last_ = 0;
  } else if (before_ == Before::operation) {
    at_ = At::regex;
    step_regex(byte);
  } else {
    is_unsure_ = is_unsure_ || before_ == Before::either;
    before_ = Before::operation;
    at_ = At::code;
    step_code(byte);
  }
}

void ScriptState::step_quoted(char byte, char quote) {
  if (is_escaped_) {
    is_escaped_ = false;
  } else if (byte == '\\') {
    is_escaped_ = true;
  } else if (byte == quote || byte == '\n') {
    at_ = At::code;
    before_ = Before::value;
  }
}

void ScriptState::step_backquoted(char byte) {
  if (is_escaped_) {
    is_escaped_ = false;
  } else if (byte == '\\') {
    is_escaped_ = true;
  } else if (byte == '`') {
    at_ = At::code;
    before_ = Before::value;
  } else if (byte == '{' && last_ == '$') {
    if (inserted_.size() == kInsertedMax) {
      is_unsure_ = true;
    } else {
      inserted_.push_back(0);
      at_ = At::code;
      before_ = Before::operation;
    }
  }
  last_ = byte;
}

void ScriptState::step_comment(char byte) {
  const bool ends = at_ == At::line_comment ? byte == '\n' : byte == '/' && last_ == '*';
  last_ = byte;
  if (ends) {
    at_ = At::code;
  }
}

void ScriptState::step_regex(char byte) {
  if (is_escaped_) {
    is_escaped_ = false;
  } else if (byte == '\\') {
    is_escaped_ = true;
  } else if (byte == '\n') {
    is_unsure_ = true;
    at_ = At::code;
  } else if (at_ == At::regex_class) {
    is_unsure_ = is_unsure_ || byte == '[';  // with flag v, a class within the class
    at_ = byte == ']' ? At::regex : At::regex_class;
  } else if (byte == '[') {
    at_ = At::regex_class;
  } else if (byte == '/') {
    at_ = At::code;
    before_ = Before::value;
  }
}

void ScriptState::put_value() {
  word_.clear();
  tail_.clear();
  is_behind_return_ = must_end_word_ = false;
  dots_ = 0;
  before_ = Before::value;
  if (at_ == At::slash) {
    at_ = At::code;
  }
}

std::string_view ScriptState::refusal() const noexcept {
  if (is_unsure_) {
    return "the code before the value may be a regular expression or a comment: assign the value "
           "to a variable at the start of the script";
  }
  if (!inserted_.empty()) {
    return "a value is not allowed in a template literal: assign the value to a variable first";
  }
  switch (at_) {
    case At::code:
      return word_.empty() && !must_end_word_
                 ? std::string_view()
                 : "a value must not continue a name: add a space or an operator before the value";
    case At::slash:
      return before_ == Before::value ? std::string_view()
                                      : "a value is not allowed in a regular expression";
    case At::single_quoted:
    case At::double_quoted:
      return "remove the quotes: in a script, a value includes its own quotes";
    case At::backquoted:
      return "a value is not allowed in a template literal: assign the value to a variable first";
    case At::line_comment:
    case At::block_comment:
      return "a value is not allowed in a comment";
    case At::regex:
    case At::regex_class:
      return "a value is not allowed in a regular expression";
  }
  return "a value is not allowed here";
}

bool ScriptState::can_join(const ScriptState& one, const ScriptState& other) noexcept {
  return one.at_ == other.at_ && one.inserted_ == other.inserted_ &&
         one.is_escaped_ == other.is_escaped_ && one.tail_ == other.tail_ &&
         one.is_behind_return_ == other.is_behind_return_;
}

void ScriptState::join(const ScriptState& other) noexcept {
  is_unsure_ = is_unsure_ || other.is_unsure_;
  has_comment_ = has_comment_ || other.has_comment_;
  hides_its_end_ = hides_its_end_ || other.hides_its_end_;
  must_end_word_ = must_end_word_ || other.must_end_word_ || word_ != other.word_;
  if (word_ != other.word_ || before_ != other.before_ || dots_ != other.dots_) {
    word_.clear();
    dots_ = 0;
    before_ = Before::either;
  }
  last_ = last_ == other.last_ ? last_ : '\0';
}

}  // namespace eider::views
