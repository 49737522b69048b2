// Converts names and texts of a document for source code.
// Layering: must not let text end a comment, a literal or a line.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eider::openapi_client {

/// A letter or '_' first, then digits too; ASCII alone.
[[nodiscard]] bool is_identifier(std::string_view text) noexcept;

/// Makes identifiers of any names, each once: "a-b" is a_b, a second one a_b_2.
class Names {
 public:
  /// reserved  what no name may be: it gets a '_' behind it
  explicit Names(std::set<std::string, std::less<>> reserved) : reserved_(std::move(reserved)) {}

  [[nodiscard]] std::string take(std::string_view name);

 private:
  std::set<std::string, std::less<>> reserved_;
  std::set<std::string, std::less<>> taken_;
  std::map<std::string, std::size_t> numbers_;  // the last that a name has behind it
};

/// A literal in double quotes. What is not seen, or turns the direction of text, is escaped.
///
/// text  UTF-8
[[nodiscard]] std::string typescript_literal(std::string_view text);
/// All but printable ASCII is escaped, octally: such an escape ends after three digits.
[[nodiscard]] std::string cpp_literal(std::string_view text);

/// One line for a comment, which ends neither that nor the line: "*/" is "* /", and what is not
/// seen is a space.
[[nodiscard]] std::string comment_line(std::string_view text);
/// The same of each line; none of an empty text.
[[nodiscard]] std::vector<std::string> comment_lines(std::string_view text);

}  // namespace eider::openapi_client
