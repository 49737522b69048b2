// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::guards_page {

struct Note {
  std::string title;
};
struct Visitor {
  std::string name;
};
struct Sessions {
  Task<Found> find(std::string_view id);
};
struct Store {
  Task<Result<Note>> find(int id, std::string caller);
};
struct Began {
  std::chrono::steady_clock::time_point at;
};
struct Usage {
  int units;
};
std::string take_upload(Body content);
Result<void> may_upload();
Result<Visitor> find_session(Cookie<"sid"> sid);

}  // namespace docs::guards_page
