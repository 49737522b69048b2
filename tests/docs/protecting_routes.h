// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::protecting_routes_page {

struct Visit {
  std::string language;
};
struct NewNote {
  std::string title;
};
struct LoginPage {
  std::string next;
};
struct Store {
  Task<Found> find_user(std::string key);
};
enum class Role { admin, member };
Html login_form(const std::string& next);
std::string show_password();
std::string set_password(Body content);

}  // namespace docs::protecting_routes_page
