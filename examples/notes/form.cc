#include "form.h"

#include <algorithm>

namespace notes {
namespace {

/// Code points of a UTF-8 text: the bytes that begin one.
std::size_t length_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string trimmed(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

}  // namespace

NoteForm tidy(NoteForm form) {
  form.title = trimmed(form.title);
  std::erase(form.body, '\r');  // browsers send CRLF
  return form;
}

FormFaults find_faults(const NoteForm& form) {
  FormFaults faults;
  if (form.title.empty()) {
    faults.title = "Give it a title.";
  } else if (length_of(form.title) > kTitleLengthMax) {
    faults.title = "A title has at most 200 characters.";
  }
  if (length_of(form.body) > kBodyLengthMax) {
    faults.body = "A note has at most 20,000 characters.";
  }
  return faults;
}

Draft draft_of(const NoteForm& form) {
  return {form.title, form.body, std::clamp(form.stars, 0, 5)};
}

}  // namespace notes
