// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::request_models_page {

struct Issue {
  std::int64_t id;
  std::string title;
};
struct Issues {
  Issue find(std::int64_t id);
  void put(std::int64_t id, Issue issue);
};

}  // namespace docs::request_models_page
