// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::route_introspection_page {

struct Picture {
  std::string bytes;
};

}  // namespace docs::route_introspection_page
