// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::metrics_and_traces_page {

struct Admin {
  std::string name;
  static constexpr bool kIsProvided = true;
};
struct Kept {
  std::size_t size() const;
};
struct Order {
  std::string photo;
};
extern const std::shared_ptr<Kept> cache;
extern const std::shared_ptr<Metrics> metrics;

}  // namespace docs::metrics_and_traces_page
