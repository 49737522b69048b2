// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::reverse_proxy_page {

struct Admin {
  std::string name;
  static constexpr bool kIsProvided = true;
};

}  // namespace docs::reverse_proxy_page
