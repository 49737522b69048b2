// What a rule on a value says of itself: to people, to programs and to documents.
// Must not know any rule: each brings its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// What a rule asks for.
///
/// code       one word, the same in every language: "length"
/// text       for people, with the arguments in braces: "must have {min} to {max} characters"
/// arguments  what stands for them
/// keywords   the same in words of JSON Schema, with their values as JSON: {"maxLength", "200"}
struct Requirement {
  struct Argument {
    std::string_view name;
    std::string value;
  };
  struct Keyword {
    std::string_view name;
    std::string json;
  };

  std::string_view code;
  std::string text;
  std::vector<Argument> arguments = {};
  std::vector<Keyword> keywords = {};
};

/// The text with its arguments in their places; braces around another word stay as they are.
[[nodiscard]] std::string to_text(const Requirement& requirement);

/// All of them, one behind the other.
[[nodiscard]] std::string to_text(const std::vector<Requirement>& requirements);

/// What is told of a part of the input that is not as required.
[[nodiscard]] FieldError field_error(std::string pointer, const Requirement& broken);

}  // namespace eider
