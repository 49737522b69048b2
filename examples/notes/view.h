// The pages as HTML.
// Must not decide anything: what is shown is handed in.
#pragma once

#include <cstdint>
#include <string>

#include "form.h"
#include "store.h"

namespace notes {

/// What every page shows around its content.
struct Frame {
  std::uint64_t requests;
};

/// form, faults  the composer above the list: empty, or what has to be mended
[[nodiscard]] std::string list_page(const Frame& frame, const Listing& listing,
                                    const NoteForm& form, const FormFaults& faults);
[[nodiscard]] std::string edit_page(const Frame& frame, std::int64_t id, const NoteForm& form,
                                    const FormFaults& faults);
[[nodiscard]] std::string absent_page(const Frame& frame);

}  // namespace notes
