// Iterates over the header values of a response that is being built.
// Layering: must not read headers from a network; h1/head_reader.h does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eider {

/// The values of all lines of one name, in their order, of lines "Name: value\r\n".
class FieldValues {
 public:
  /// Both must outlive this.
  FieldValues(std::string_view field_lines, std::string_view name) noexcept
      : rest_(field_lines), name_(name) {}

  [[nodiscard]] std::optional<std::string_view> next() noexcept;

 private:
  std::string_view rest_;
  std::string_view name_;
};

/// Whether one of the comma-separated items of these fields is `item`, compared without case, with
/// or without an argument: "private" is an item of `max-age=1, private="X"`.
[[nodiscard]] bool has_item(std::string_view field_lines, std::string_view name,
                            std::string_view item) noexcept;

/// All values of that name as one: "a, b".
[[nodiscard]] std::string joined_values(std::string_view field_lines, std::string_view name);

}  // namespace eider
