// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::background_tasks_page {

class Store {
 public:
  static constexpr std::string_view kName = "store";
  explicit Store(std::string file = "notes.db");
  Task<> migrate();
  Task<> mail_what_is_due();
  Task<> forget_sessions();
  Task<> flush();
};
struct NewUser {
  Email mail;
};
struct Mailer {
  Task<> welcome(std::string mail);
};
struct Terms {
  std::string q;
};

}  // namespace docs::background_tasks_page
