// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::load_shedding_page {

std::string status();

}  // namespace docs::load_shedding_page
