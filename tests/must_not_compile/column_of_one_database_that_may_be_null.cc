// expect: read_it_into_an_optional() [with auto kColumn = Named<10>{"max(stars)"}]
// clang: the_column_may_be_null__read_it_into_an_optional (column 1)
#define EIDER_CHECKED_SQL "../../../../tests/must_not_compile/checked_notes.h"
#include <eider/database.h>

#include <optional>
#ifdef FIXED
using Most = std::optional<int>;
#else
using Most = int;
#endif
auto find(const eider::Database& db) { return db.one<Most>("select max(stars) from notes"); }
