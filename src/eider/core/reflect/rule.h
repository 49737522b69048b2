// The description of a rule: code, text, arguments and schema keywords.
// Layering: must not know any rule: each provides its own description.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// The requirement of a rule.
///
/// code       a stable code, the same in every language: "length"
/// text       for people, with the arguments in braces: "must have {min} to {max} characters"
/// arguments  the values of the arguments
/// keywords   the same as keywords of JSON Schema, with values as JSON: {"maxLength", "200"}
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

/// Returns the text with its arguments; braces around other words are not changed.
[[nodiscard]] std::string to_text(const Requirement& requirement);

/// Returns the texts of all requirements, separated.
[[nodiscard]] std::string to_text(const std::vector<Requirement>& requirements);

/// Returns the validation error for a violated requirement.
[[nodiscard]] FieldError field_error(std::string pointer, const Requirement& broken);

}  // namespace eider
