// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::mariadb_page {

struct NewBook {
  std::string title;
};
extern const std::vector<NewBook> list;

}  // namespace docs::mariadb_page
