// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::event_log_page {

struct NewIssue {
  std::string title;
};
struct User {
  std::string name;
  static constexpr bool kIsProvided = true;
};
struct Writer : User {};

}  // namespace docs::event_log_page
