// Iterates over the header values of a response that is being built.
// Layering: must not read headers from a network; h1/head_reader.h does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eider {

/// Iterates over the values of all headers with one name, in order, in lines "Name: value\r\n".
class FieldValues {
 public:
  /// Both must outlive this object.
  FieldValues(std::string_view field_lines, std::string_view name) noexcept
      : rest_(field_lines), name_(name) {}

  [[nodiscard]] std::optional<std::string_view> next() noexcept;

 private:
  std::string_view rest_;
  std::string_view name_;
};

/// Returns whether one of the comma-separated items of these headers is `item`, without case, with
/// or without an argument: "private" is an item of `max-age=1, private="X"`.
[[nodiscard]] bool has_item(std::string_view field_lines, std::string_view name,
                            std::string_view item) noexcept;

/// Returns all values of that name as one: "a, b".
[[nodiscard]] std::string joined_values(std::string_view field_lines, std::string_view name);

}  // namespace eider
