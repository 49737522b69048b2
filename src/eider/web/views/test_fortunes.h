// For tests: the page of the fortunes benchmark (TechEmpower).
// Layering: must not know templates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fortunes {

struct Fortune {
  std::int32_t id = 0;
  std::string message;
};

struct FortunesPage {
  std::vector<Fortune> fortunes;
};

}  // namespace fortunes
