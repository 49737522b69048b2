// Parses the words and expressions of a tag.
// Layering: must not resolve names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eider/web/views/tree.h"

namespace eider::views {

/// Reads what stands within braces from its beginning. All throw Refused.
class Words {
 public:
  /// text  a part of the source of `place`, where it begins
  Words(std::string_view text, Place place);

  [[nodiscard]] bool at_end() const noexcept { return word_.empty(); }
  /// Where the next word stands.
  [[nodiscard]] Place place() const noexcept { return {place_.source, place_.offset + begin_}; }
  /// Takes the next word if it is that one: a name, or "(", "==", …
  [[nodiscard]] bool take(std::string_view word);
  void expect(std::string_view word, std::string_view what_for);
  /// what  "the block's name"
  [[nodiscard]] std::string name(std::string_view what);
  [[nodiscard]] std::optional<std::string> try_name();
  /// A text in quotes.
  [[nodiscard]] std::string text(std::string_view what);
  /// The type of a parameter, up to a ',' or ')' outside of its angle brackets.
  [[nodiscard]] std::string type();
  [[nodiscard]] Expression expression();
  /// All that is left.
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
