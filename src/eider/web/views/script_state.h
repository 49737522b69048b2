// Tracks the JavaScript context of a text: whether a value may follow.
// Layering: must not validate the script; ambiguous places are reported as such.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eider::views {

/// Feed it all of the script that is not a value, and tell it of each value.
class ScriptState {
 public:
  void step(char byte);
  /// A value was written.
  void put_value();

  /// Whether "<!--" and "<script" have come, behind which "</script>" is no end.
  [[nodiscard]] bool hides_its_end() const noexcept { return hides_its_end_; }
  /// Empty where a value may stand; else why not.
  [[nodiscard]] std::string_view refusal() const noexcept;

  /// Of two ways that lead to one place.
  [[nodiscard]] static bool can_join(const ScriptState& one, const ScriptState& other) noexcept;
  void join(const ScriptState& other) noexcept;

  friend bool operator==(const ScriptState&, const ScriptState&) = default;

 private:
  enum class At : std::uint8_t {
    code,
    slash,  // behind a '/' of code
    single_quoted,
    double_quoted,
    backquoted,
    line_comment,
    block_comment,
    regex,
    regex_class,
  };
  /// What stood before: whether a '/' divides or begins a regular expression.
  enum class Before : std::uint8_t { operation, value, either };

  void step_any(char byte);
  void step_code(char byte);
  void step_sign(char byte);
  void step_slash(char byte);
  void step_quoted(char byte, char quote);
  void step_backquoted(char byte);
  void step_comment(char byte);
  void step_regex(char byte);
  void open_brace();
  void close_brace();
  void end_word();
  void step_tail(char byte);

  At at_ = At::code;
  Before before_ = Before::operation;
  bool is_escaped_ = false;
  bool is_unsure_ = false;
  bool is_behind_return_ = false;  // "\r" has come, of which a "\n" is a part
  bool has_comment_ = false;       // "<!--" has come
  bool hides_its_end_ = false;
  bool must_end_word_ = false;  // in one way a name is not over yet
  char last_ = 0;               // of a comment, or '$' of `${`
  std::string word_;            // the name that is being read
  int dots_ = 0;                // right before it: one makes it a member, three are an operator
  /// For each "${" that is open: how many braces are open in it.
  std::vector<int> inserted_;
  std::string tail_;  // what has come of one of the marks that hide code
};

}  // namespace eider::views
