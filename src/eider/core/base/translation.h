// A text to translate, and its arguments, for a Translator (languages/).
// Layering: must not translate.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace eider {

/// The value of "{name}" in a text, inserted as it is: braces in the value have no meaning. Numbers
/// are digits without separators.
struct TextArgument {
  TextArgument(std::string_view its_name, std::string_view its_value)
      : name(its_name), value(its_value) {}
  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>)
  TextArgument(std::string_view its_name, T its_value)
      : name(its_name), value(std::to_string(its_value)) {}

  std::string_view name;
  std::string value;
};

using TextArguments = std::initializer_list<TextArgument>;

/// A text to be translated.
///
/// context  distinguishes two meanings of one text; empty: none
/// text     in the program's language; of a plural the singular
/// many     the plural; used only with `count`
struct Translatable {
  std::string_view context;
  std::string_view text;
  std::string_view many = {};
  std::optional<std::int64_t> count = {};
  std::span<const TextArgument> arguments = {};
};

/// Returns the label of a member or an enumerator: "Sold out" for "sold_out".
[[nodiscard]] std::string label_of(std::string_view name);

}  // namespace eider
