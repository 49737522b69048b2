// expect: a statement must be a literal
#include <eider/database.h>
#ifdef FIXED
auto clear(const eider::Database& db, const char* text) {
  return db.script(eider::db::RuntimeSql{text});
}
#else
auto clear(const eider::Database& db, const char* text) { return db.script(text); }
#endif
