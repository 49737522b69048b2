// expect: one_statement_at_a_time__use_script_for_several
#include <eider/database.h>
#ifdef FIXED
auto clear(const eider::Database& db) { return db.script("delete from a; delete from b"); }
#else
auto clear(const eider::Database& db) { return db.exec("delete from a; delete from b"); }
#endif
