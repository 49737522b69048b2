// expect: a statement must be a literal
#include <eider/database.h>
#include <string>
#ifdef FIXED
auto clear(const eider::Database& db, const std::string& table) {
  return db.script(eider::db::RuntimeSql{"delete from " + table});
}
#else
auto clear(const eider::Database& db, const std::string& table) {
  return db.script("delete from " + table);
}
#endif
