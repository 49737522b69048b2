// What a person types into the form of a note, and what is wrong with it.
// Must not render pages or know the database.
#pragma once

#include <cstddef>
#include <string>

#include "store.h"

namespace notes {

inline constexpr std::size_t kTitleLengthMax = 200;
inline constexpr std::size_t kBodyLengthMax = 20000;

/// As the browser sends it.
struct NoteForm {
  std::string title;
  std::string body;
  int stars = 0;
};

/// For the person who typed; empty where nothing is wrong.
struct FormFaults {
  std::string title;
  std::string body;

  [[nodiscard]] bool any() const noexcept { return !title.empty() || !body.empty(); }
};

/// The form with blanks around the title gone and line breaks as one byte each.
[[nodiscard]] NoteForm tidy(NoteForm form);

[[nodiscard]] FormFaults find_faults(const NoteForm& form);

/// Pre: it has no faults.
[[nodiscard]] Draft draft_of(const NoteForm& form);

}  // namespace notes
