// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::redis_page {

struct Entry {
  std::string id;
  std::map<std::string, std::string> values;
};
void use(const std::string& name, int visits);

}  // namespace docs::redis_page
