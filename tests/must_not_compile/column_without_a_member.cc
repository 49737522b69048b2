// expect: the_struct_has_no_member_for_the_column() [with auto kColumn = Named<5>{"stars"}]
// clang: the_struct_has_no_member_for_the_column (column 2)
#define EIDER_CHECKED_SQL "../../../../tests/must_not_compile/checked_notes.h"
#include <eider/database.h>

#include <optional>
#include <string>
struct Note {
  std::string title;
#ifdef FIXED
  std::optional<int> stars;
#else
  std::optional<int> points;
#endif
};
auto find(const eider::Database& db) { return db.all<Note>("select title, stars from notes"); }
