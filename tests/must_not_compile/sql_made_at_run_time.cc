// expect: eider: a statement must be a literal
#include <eider/eider.h>
#include <eider/sqlite.h>
struct Note {
  std::int64_t id;
};
eider::Task<std::vector<Note>> find(eider::Database database, std::string name) {
#ifdef FIXED
  co_return co_await database.all<Note>("select id from notes where name = $1", name);
#else
  co_return co_await database.all<Note>("select id from notes where name = '" + name + "'");
#endif
}
