// expect: the_column_is_of_another_type_than_the_member_of_its_name
#define EIDER_CHECKED_SQL "../../../tests/must_not_compile/checked_notes.h"
#include <eider/db/database.h>

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
