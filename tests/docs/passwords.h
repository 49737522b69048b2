// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::passwords_page {

struct Credentials {
  std::string name;
  std::string password;
};
struct Accounts {
  void keep(std::string name, std::string stored);
  std::optional<std::string> find(std::string_view name);
};

}  // namespace docs::passwords_page
