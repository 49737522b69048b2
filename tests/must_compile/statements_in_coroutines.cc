// Statements concatenated from literals, in all places where co_await is allowed: g++ 14 cannot
// evaluate db::sql(…) there.
#include <eider/database.h>
#include <eider/eider.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace eider;

struct NoteRow {
  std::int64_t id = 0;
  std::string title;
};
constexpr const char* kNotes = "select id, title from notes";

struct NoteStore {
  Database database;

  Task<std::vector<NoteRow>> all() const {
    co_return co_await database.all<NoteRow>({kNotes, "order by id"});
  }
  Task<std::vector<NoteRow>> between(const NoteRow& first, std::int64_t last) const {
    co_return co_await database.all<NoteRow>({kNotes, "where id between $1 and $2 and title = $3"},
                                             first.id, last, first.title);
  }
  Task<bool> has(std::int64_t id) const {
    if (co_await database.one<NoteRow>({kNotes, "where id = $1"}, id)) {
      co_return true;
    }
    co_return false;
  }
  Task<> remove(std::int64_t id) const {
    co_await database.exec({"delete from notes", "where id = $1"}, id);
  }
};
