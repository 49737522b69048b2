// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::internationalization_page {

struct Store {
  int count();
};
struct Bill {
  std::chrono::sys_seconds made_at;
  std::string total;
};
struct Bills {
  Bill latest();
};

}  // namespace docs::internationalization_page
