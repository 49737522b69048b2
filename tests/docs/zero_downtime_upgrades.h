// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::zero_downtime_upgrades_page {

struct Store {
  explicit Store(std::string file);
  Task<> forget_sessions();
};

}  // namespace docs::zero_downtime_upgrades_page
