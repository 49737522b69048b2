#include "store.h"

#include <eider/database.h>

#include <array>
#include <ctime>

#include "notes_postgres_migrations.h"
#include "notes_sqlite_migrations.h"

namespace notes {

using namespace eider;

namespace {

/// Returns "2026-01-31T12:00:00Z", the same format for both databases.
std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%FT%TZ", &parts)};
}

int stars_of(const NewNote& note) {
  return note.stars ? int{*note.stars} : 0;
}

}  // namespace

void add_store(App& app, const Database& database) {
  app.add_module<eider::SchemaModule>(database, database.dialect() == eider::db::Dialect::sqlite
                                                    ? notes_sqlite_migrations()
                                                    : notes_postgres_migrations());
  app.state(Store(database));
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

Task<Note> Store::add(NewNote note) const {
  std::optional<Note> added = co_await database_.one<Note>(
      "insert into notes(title, body, stars, written, changed) values($1, $2, $3, $4, $4) "
      "returning id, title, body, stars, written, changed",
      note.title, note.body, stars_of(note), now());
  co_return std::move(added.value());
}

Task<std::optional<Note>> Store::replace(std::int64_t id, NewNote note) const {
  co_return co_await database_.one<Note>(
      "update notes set title = $2, body = $3, stars = $4, "
      "changed = $5 where id = $1 "
      "returning id, title, body, stars, written, changed",
      id, note.title, note.body, stars_of(note), now());
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
