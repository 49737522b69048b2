// expect: the_column_and_the_member_have_different_types
#define EIDER_CHECKED_SQL "../../../../tests/must_not_compile/checked_notes.h"
#include <eider/database.h>

#include <string>
#include <vector>
struct Note {
  std::vector<std::string> tags;
#ifdef FIXED
  std::string span;  // in PostgreSQL's notation: [1,9)
#else
  std::vector<int> span;
#endif
};
auto find(const eider::Database& db) { return db.all<Note>("select tags, span from notes"); }
