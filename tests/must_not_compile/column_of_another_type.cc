// expect: have_different_types() [with auto kColumn = Named<5>{"stars"}]
// clang: have_different_types (column 2)
#define EIDER_CHECKED_SQL "../../../../tests/must_not_compile/checked_notes.h"
#include <eider/database.h>

#include <optional>
#include <string>
struct Note {
  std::string title;
#ifdef FIXED
  std::optional<int> stars;
#else
  std::optional<std::string> stars;
#endif
};
auto find(const eider::Database& db) { return db.all<Note>("select title, stars from notes"); }
