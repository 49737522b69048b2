// Parses the words and expressions of a tag.
// Layering: must not resolve names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eider/web/views/tree.h"

namespace eider::views {

/// Parses the text within braces from its beginning. All functions throw Refused.
class Words {
 public:
  /// text  a part of the source of `place`, which is its beginning
  Words(std::string_view text, Place place);

  [[nodiscard]] bool at_end() const noexcept { return word_.empty(); }
  /// Returns the position of the next word.
  [[nodiscard]] Place place() const noexcept { return {place_.source, place_.offset + begin_}; }
  /// Consumes the next word if it is `word`: a name, or "(", "==", …
  [[nodiscard]] bool take(std::string_view word);
  void expect(std::string_view word, std::string_view what_for);
  /// what  for the error message: "the block's name"
  [[nodiscard]] std::string name(std::string_view what);
  [[nodiscard]] std::optional<std::string> try_name();
  /// Reads a quoted text.
  [[nodiscard]] std::string text(std::string_view what);
  /// Reads the type of a parameter, up to a ',' or ')' outside of its angle brackets.
  [[nodiscard]] std::string type();
  [[nodiscard]] Expression expression();
  /// Returns the rest of the text.
  [[nodiscard]] std::string rest();
  void expect_end(std::string_view behind);

 private:
  void next();
  std::size_t quoted_end() const;
  [[nodiscard]] bool is_name() const noexcept;
  [[nodiscard]] Expression alternatives();
  [[nodiscard]] Expression conditions();
  [[nodiscard]] Expression negated();
  [[nodiscard]] Expression comparison();
  [[nodiscard]] Expression filtered();
  [[nodiscard]] std::string label();
  [[nodiscard]] Expression primary();
  [[nodiscard]] Expression path();
  [[nodiscard]] Expression number();
  [[nodiscard]] std::string unquoted() const;

  std::string_view all_;
  Place place_;
  std::size_t begin_ = 0;
  std::string_view word_;
  int depth_ = 0;
};

}  // namespace eider::views
