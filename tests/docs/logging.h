// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::logging_page {

struct Payment {
  int cents;
};
extern const Log log;

}  // namespace docs::logging_page
