// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::validation_page {

struct User {
  int id;
};
struct NewUser {
  Length<std::string, 1, 30> name;
};
struct Users {
  Task<bool> has(std::string name);
  Task<User> add(NewUser user);
};

}  // namespace docs::validation_page
