// Tracks the JavaScript context of a text: whether a value may follow.
// Layering: must not validate the script; ambiguous places are reported as such.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eider::views {

/// Reads the script between the values, and is notified of each value.
class ScriptState {
 public:
  void step(char byte);
  /// Notifies that a value was written.
  void put_value();

  /// Returns whether "<!--" and "<script" were read: "</script>" then does not end the script.
  [[nodiscard]] bool hides_its_end() const noexcept { return hides_its_end_; }
  /// Returns an empty text if a value is allowed here; else the reason why not.
  [[nodiscard]] std::string_view refusal() const noexcept;

  /// Returns whether two branches of a template end in the same state.
  [[nodiscard]] static bool can_join(const ScriptState& one, const ScriptState& other) noexcept;
  void join(const ScriptState& other) noexcept;

  friend bool operator==(const ScriptState&, const ScriptState&) = default;

 private:
  enum class At : std::uint8_t {
    code,
    slash,  // after a '/' in code
    single_quoted,
    double_quoted,
    backquoted,
    line_comment,
    block_comment,
    regex,
    regex_class,
  };
  /// The previous token, which determines whether a '/' divides or starts a regular expression.
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
  bool is_behind_return_ = false;  // "\r" was read, and a "\n" belongs to it
  bool has_comment_ = false;       // "<!--" was read
  bool hides_its_end_ = false;
  bool must_end_word_ = false;  // in one branch, a name may continue
  char last_ = 0;               // of a comment, or '$' of `${`
  std::string word_;            // the name so far
  int dots_ = 0;                // before it: one makes it a member, three are an operator
  /// The number of open braces in each open "${".
  std::vector<int> inserted_;
  std::string tail_;  // the part that was read of a mark that hides code
};

}  // namespace eider::views
