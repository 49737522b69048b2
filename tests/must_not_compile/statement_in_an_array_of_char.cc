// expect: a statement must be a literal
#include <eider/database.h>
auto clear(const eider::Database& db) {
#ifdef FIXED
  static constexpr char text[] = "delete from notes";
#else
  char text[] = "delete from notes";
#endif
  return db.exec(text);
}
