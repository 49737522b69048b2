#include "store.h"

namespace notes {

using eider::Database;
using eider::Result;
using eider::Task;

namespace {

constexpr const char* kSchema = R"(
  create table if not exists notes(
    id      integer primary key,
    title   text not null check(length(title) between 1 and 200),
    body    text not null,
    stars   integer not null check(stars between 0 and 5),
    written text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')),
    changed text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')));
  create index if not exists notes_by_change on notes(changed desc, id desc);
)";

}  // namespace

Result<Database, std::string> open_database(const std::string& file, eider::SqliteOptions options) {
  options.schema = kSchema;
  return eider::try_open_sqlite(file, options);
}

Task<Listing> Store::list(int page, int per_page) const {
  Listing listing{{}, page, per_page, 0};
  listing.total = (co_await database_.one<std::int64_t>("select count(*) from notes")).value_or(0);
  listing.notes = co_await database_.all<Note>(
      "select id, title, body, stars, written, changed from notes "
      "order by changed desc, id desc limit $1 offset $2",
      per_page, (page - 1) * per_page);
  co_return listing;
}

Task<std::optional<Note>> Store::find(std::int64_t id) const {
  co_return co_await database_.one<Note>(
      "select id, title, body, stars, written, changed from notes where id = $1", id);
}

Task<Note> Store::add(Draft draft) const {
  std::optional<Note> note = co_await database_.one<Note>(
      "insert into notes(title, body, stars) values($1, $2, $3) "
      "returning id, title, body, stars, written, changed",
      draft.title, draft.body, draft.stars);
  co_return std::move(note.value());
}

Task<std::optional<Note>> Store::replace(std::int64_t id, Draft draft) const {
  co_return co_await database_.one<Note>(
      "update notes set title = $2, body = $3, stars = $4, "
      "changed = strftime('%Y-%m-%dT%H:%M:%SZ') where id = $1 "
      "returning id, title, body, stars, written, changed",
      id, draft.title, draft.body, draft.stars);
}

Task<bool> Store::set_stars(std::int64_t id, int stars) const {
  const eider::db::Changed changed =
      co_await database_.exec("update notes set stars = $2 where id = $1", id, stars);
  co_return changed.rows == 1;
}

Task<bool> Store::remove(std::int64_t id) const {
  const eider::db::Changed changed = co_await database_.exec("delete from notes where id = $1", id);
  co_return changed.rows == 1;
}

}  // namespace notes
