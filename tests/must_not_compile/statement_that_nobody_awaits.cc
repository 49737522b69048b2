// expect: write co_await in front
#include <eider/database.h>
#ifdef FIXED
eider::Task<> clear(eider::Database db) { co_await db.exec("delete from notes"); }
#else
eider::Task<> clear(eider::Database db) { db.exec("delete from notes"); co_return; }
#endif
