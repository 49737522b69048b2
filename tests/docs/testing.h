// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::testing_page {

struct Note {
  std::string text;
};
struct NewNote {
  std::string title;
};
struct Mailer {};
using Sent = std::vector<std::string>;
extern Sent sent;
Mailer FakeMailer(Sent& to);
inline constexpr const char* kSchema = "create table notes(text text)";
void add_routes(App& app);
App make_app();
App make_app(Database database);

}  // namespace docs::testing_page
