// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::checked_sql_page {

struct Note {
  std::int64_t id;
  std::string title;
  std::string author;
};
extern std::int64_t id;

}  // namespace docs::checked_sql_page
