// expect: read_it_into_an_optional() [with auto kColumn = Named<5>{"stars"}]
// clang: the_column_may_be_null__read_it_into_an_optional (column 2)
#define EIDER_CHECKED_SQL "../../../../tests/must_not_compile/checked_notes.h"
#include <eider/database.h>

#include <optional>
#include <string>
struct Note {
  std::string title;
#ifdef FIXED
  std::optional<int> stars;
#else
  int stars;
#endif
};
auto find(const eider::Database& db) { return db.all<Note>("select title, stars from notes"); }
