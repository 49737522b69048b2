// expect: the_statement_needs_more_values_than_are_passed
#include <eider/database.h>
#ifdef FIXED
auto find(const eider::Database& db) { return db.one<int>("select a from t where b = $1", 5); }
#else
auto find(const eider::Database& db) { return db.one<int>("select a from t where b = $1"); }
#endif
