// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::csrf_page {

extern const std::string key;
std::string session_of(const Request& request);

}  // namespace docs::csrf_page
