// expect: an absent value is not NULL: check is_absent(), then bind as_optional()
#include <eider/eider.h>
#include <eider/sqlite.h>
eider::Task<> change(eider::Database base, eider::Nullable<int> assignee) {
#ifdef FIXED
  co_await base.exec("update notes set assignee = $1", assignee.as_optional());
#else
  co_await base.exec("update notes set assignee = $1", assignee);
#endif
}
