// expect: the_statement_needs_fewer_values_than_are_passed
#include <eider/database.h>
#ifdef FIXED
auto add(const eider::Database& db) { return db.exec("insert into t values($1)", 1); }
#else
auto add(const eider::Database& db) { return db.exec("insert into t values($1)", 1, 2); }
#endif
