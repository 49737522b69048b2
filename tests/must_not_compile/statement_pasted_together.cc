// expect: a statement must be a literal
#include <eider/database.h>
#include <string>
#ifdef FIXED
auto find(const eider::Database& db, const std::string& name) {
  return db.one<int>("select a from t where name = $1", name);
}
#else
auto find(const eider::Database& db, const std::string& name) {
  return db.one<int>("select a from t where name = '" + name + "'");
}
#endif
