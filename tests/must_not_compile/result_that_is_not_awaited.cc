// expect: eider: this task must be awaited: write co_return co_await
#include <eider/database.h>
#include <vector>
#ifdef FIXED
eider::Task<std::vector<int>> all(eider::Database db) {
  co_return co_await db.all<int>("select 1");
}
#else
eider::Task<std::vector<int>> all(eider::Database db) {
  co_return db.all<int>("select 1");
}
#endif
