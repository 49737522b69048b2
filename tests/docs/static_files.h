// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::static_files_page {

struct User {
  std::string name;
  static constexpr bool kIsProvided = true;
};
struct Stored {
  std::string file;
  std::string name;
};
struct Store {
  Task<Stored> attachment(std::int64_t id);
};

}  // namespace docs::static_files_page
