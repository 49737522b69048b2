#include "eider/web/forms/form_words.h"

#include "eider/core/reflect/rule.h"

namespace eider::forms::detail {

std::string Words::text(std::string_view text) const {
  return translator_ && !text.empty() ? (*translator_)(text) : std::string(text);
}

/// Catalogues have what is wrong by its code, as for problem documents; else by what it is in
/// English.
std::string Words::fault(const FieldError& fault) const {
  std::string said = fault.detail;
  if (translator_) {
    const std::string by_code =
        fault.code.empty() ? fault.code : translator_->context("error", fault.code);
    if (by_code != fault.code) {
      Requirement filled{{}, by_code};
      for (const FieldError::Argument& argument : fault.arguments) {
        filled.arguments.push_back({argument.name, argument.value});
      }
      said = to_text(filled);
    } else {
      said = text(said);
    }
  }
  if (!said.empty() && said.front() >= 'a' && said.front() <= 'z') {
    said.front() = static_cast<char>(said.front() - 'a' + 'A');
  }
  return said;
}

}  // namespace eider::forms::detail
