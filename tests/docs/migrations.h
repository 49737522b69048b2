// Declarations that the snippets of this page use without declaring them.
// Layering: must not be compiled alone; see common.h.
#pragma once

#include "common.h"

namespace docs::migrations_page {

std::vector<Migration> shop_migrations();

}  // namespace docs::migrations_page
