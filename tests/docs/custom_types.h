// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::custom_types_page {

struct Between {
  std::chrono::year_month_day from;
  std::chrono::year_month_day to;
};
class Isbn {
 public:
  static std::optional<Isbn> from_digits(std::string_view text);
  std::string digits() const;
};
enum class Level { in_progress, done };

}  // namespace docs::custom_types_page
