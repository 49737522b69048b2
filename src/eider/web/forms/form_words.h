// The default texts of forms in English, and all texts of a form in the language of the user.
// Layering: must not generate HTML.
#pragma once

#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/web/languages/languages.h"

namespace eider::forms::detail {

namespace words {

inline constexpr std::string_view kOnePerLine = "One per line.";
inline constexpr std::string_view kNotAsItIs =
    "Entries that contain line breaks or no text will be changed when you save.";
inline constexpr std::string_view kYes = "Yes";
inline constexpr std::string_view kNo = "No";
inline constexpr std::string_view kNone = "None";
inline constexpr std::string_view kHeading = "Please correct the following:";
inline constexpr std::string_view kSave = "Save";

}  // namespace words

/// Texts in the language of the user; without languages, in English.
class Words {
 public:
  Words() = default;
  explicit Words(const Translator& translator) : translator_(translator) {}

  [[nodiscard]] std::string text(std::string_view text) const;
  /// Returns the text as a sentence: it starts with a capital letter.
  [[nodiscard]] std::string fault(const FieldError& fault) const;

 private:
  Translator translator_;
};

}  // namespace eider::forms::detail
