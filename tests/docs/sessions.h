// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::sessions_page {

struct Login {
  std::string name;
  std::string password;
  std::string next;
};
struct NewPassword {
  std::string password;
};
struct NewNote {
  std::string title;
};
struct User {
  std::string key;
};
struct Users {
  Task<std::optional<User>> check(std::string name, std::string password);
};
extern const Sessions visits;
void show(std::string_view kind, std::string_view text);

}  // namespace docs::sessions_page
