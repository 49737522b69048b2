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

/// Returns whether it is an identifier: a letter or '_', then also digits; only ASCII.
[[nodiscard]] bool is_identifier(std::string_view text) noexcept;

/// Converts names to unique identifiers: "a-b" becomes a_b, a second one a_b_2.
class Names {
 public:
  /// reserved  names that get a '_' appended
  explicit Names(std::set<std::string, std::less<>> reserved) : reserved_(std::move(reserved)) {}

  [[nodiscard]] std::string take(std::string_view name);

 private:
  std::set<std::string, std::less<>> reserved_;
  std::set<std::string, std::less<>> taken_;
  std::map<std::string, std::size_t> numbers_;  // the last number appended to a name
};

/// Returns a literal in double quotes. Invisible characters and those that change the direction of
/// text are escaped.
///
/// text  UTF-8
[[nodiscard]] std::string typescript_literal(std::string_view text);
/// Returns a literal. All but printable ASCII is escaped with octal numbers, which end after three
/// digits.
[[nodiscard]] std::string cpp_literal(std::string_view text);

/// Returns one line that cannot end a comment: "*/" becomes "* /", and invisible characters become
/// spaces.
[[nodiscard]] std::string comment_line(std::string_view text);
/// The same for each line; nothing for an empty text.
[[nodiscard]] std::vector<std::string> comment_lines(std::string_view text);

}  // namespace eider::openapi_client
