// Codes and texts of validation errors.
// Layering: must not contain the texts of rules: each rule has its own (rule.h).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/reflect/rule.h"

namespace eider::reflect {

/// Arguments are in braces in the text.
struct Wording {
  std::string_view code;
  std::string_view text;

  [[nodiscard]] Requirement with(std::vector<Requirement::Argument> arguments) const {
    return {code, std::string(text), std::move(arguments)};
  }
  // NOLINTNEXTLINE(google-explicit-constructor): a text without arguments needs no call
  operator Requirement() const { return with({}); }
};

namespace wording {

inline constexpr Wording kMissing = {"missing", "is missing"};
inline constexpr Wording kNoFile = {"missing", "choose a file"};
inline constexpr Wording kUnknown = {"unknown", "is not an allowed member"};
inline constexpr Wording kUnknownParameter = {"unknown", "is not an allowed parameter"};
inline constexpr Wording kDoubled = {"duplicate", "is a duplicate"};
inline constexpr Wording kCrowded = {"hash", "has the same hash as too many others"};
inline constexpr Wording kTakenTwice = {"duplicate", "is given more than once"};
inline constexpr Wording kHeldTwice = {"duplicate", "contains duplicates"};
inline constexpr Wording kBool = {"bool", "must be true or false"};
inline constexpr Wording kInteger = {"integer", "must be an integer"};
inline constexpr Wording kNumber = {"number", "must be a number"};
inline constexpr Wording kString = {"string", "must be a string"};
inline constexpr Wording kObject = {"object", "must be an object"};
inline constexpr Wording kArray = {"array", "must be an array"};
inline constexpr Wording kArrayOf = {"array_of", "must be an array of {count} elements"};
inline constexpr Wording kAnyValue = {"value", "must be a JSON value"};
inline constexpr Wording kOneOf = {"one_of", "must be one of {names}"};
inline constexpr Wording kRange = {"range", "must be between {min} and {max}"};
inline constexpr Wording kAtLeast = {"range", "must be at least {min}"};
inline constexpr Wording kAtMost = {"range", "must be at most {max}"};
inline constexpr Wording kTooLarge = {"too_large", "is too large"};
inline constexpr Wording kNotUtf8 = {"utf8", "must be UTF-8 text"};
inline constexpr Wording kBadEscape = {"escape", "has an invalid percent-escape"};
inline constexpr Wording kWrittenOnly = {"written_only", "has a type that cannot be read"};
inline constexpr Wording kNoText = {"no_text", "cannot be read from text"};

}  // namespace wording
}  // namespace eider::reflect
