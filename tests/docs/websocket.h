// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::websocket_page {

void use(std::string_view bytes);

}  // namespace docs::websocket_page
