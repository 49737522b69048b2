// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::routing_page {

struct NewNote {
  std::string title;
};
struct Note {
  int id;
};
struct Caller {
  std::string name;
};
struct Settings {
  std::string title;
};
struct User {
  int id;
};
struct Users {
  User read(int id) const;
};
Result<void> administrators_only();

}  // namespace docs::routing_page
