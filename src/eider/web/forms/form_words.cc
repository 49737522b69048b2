#include "eider/web/forms/form_words.h"

#include "eider/web/languages/library_texts.h"

namespace eider::forms::detail {

std::string Words::text(std::string_view text) const {
  return text.empty() ? std::string() : translator_(text);
}

std::string Words::fault(const FieldError& fault) const {
  std::string said = eider::detail::languages::error_text(translator_, fault);
  if (!said.empty() && said.front() >= 'a' && said.front() <= 'z') {
    said.front() = static_cast<char>(said.front() - 'a' + 'A');
  }
  return said;
}

}  // namespace eider::forms::detail
