// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::handler_parameters_page {

struct Search {
  std::string q;
};
struct Library {};
struct Book {
  std::string title;
};

}  // namespace docs::handler_parameters_page
