// expect: set_a_default() [with auto kMember = Named<6>{"points"}]
// clang: not reported
#define EIDER_CHECKED_SQL "../../../../tests/must_not_compile/checked_notes.h"
#include <eider/database.h>

#include <optional>
#include <string>
struct Note {
  std::string title;
  std::optional<int> stars;
  std::optional<std::string> body;
  bool is_shown = true;
#ifdef FIXED
  int points = 0;
#else
  int points;
#endif
};
auto find(const eider::Database& db) { return db.all<Note>("select title, stars from notes"); }
