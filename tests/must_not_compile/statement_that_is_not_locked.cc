// expect: the_statement_is_not_in_the_lock_file__build_the_target_that_ends_with_sql_check
#define EIDER_CHECKED_SQL "../../../../tests/must_not_compile/checked_notes.h"
#include <eider/database.h>
#ifdef FIXED
auto forget(const eider::Database& db) { return db.exec(eider::db::unchecked("delete from note")); }
#else
auto forget(const eider::Database& db) { return db.exec("delete from note"); }
#endif
