// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::diagnostics_page {

struct Admin {
  std::string name;
  static constexpr bool kIsProvided = true;
};

}  // namespace docs::diagnostics_page
