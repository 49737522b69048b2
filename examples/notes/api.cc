#include "api.h"

#include <eider/eider.h>

#include <optional>
#include <string>

#include "store.h"

namespace notes {

using namespace eider;

namespace {

struct NewNote {
  Length<std::string, 1, 200> title;
  Length<std::string, 0, 20000> body;
  std::optional<Range<int, 0, 5>> stars;
};

struct Paging {
  Range<int, 1, kPageMax> page = 1;
  Range<int, 1, 100> per_page = 20;
};

Draft draft_of(const NewNote& note) {
  return {*note.title, *note.body, note.stars ? int{*note.stars} : 0};
}

Error no_such_note() {
  return Error::not_found("There is no note with this number.");
}

std::string address_of(std::int64_t id) {
  return "/api/v1/notes/" + std::to_string(id);
}

Task<Created<Note>> add(Json<NewNote> note, State<Store> store) {
  Note added = co_await store->add(draft_of(*note));
  std::string address = address_of(added.id);
  co_return Created(std::move(added), std::move(address));
}

Task<Result<Note>> find(std::int64_t id, State<Store> store) {
  std::optional<Note> found = co_await store->find(id);
  co_return found ? Result<Note>(std::move(*found)) : fail(no_such_note());
}

Task<Result<Note>> replace(std::int64_t id, Json<NewNote> note, State<Store> store) {
  std::optional<Note> replaced = co_await store->replace(id, draft_of(*note));
  co_return replaced ? Result<Note>(std::move(*replaced)) : fail(no_such_note());
}

Task<Result<void>> remove(std::int64_t id, State<Store> store) {
  const bool is_removed = co_await store->remove(id);
  co_return is_removed ? Result<void>() : fail(no_such_note());
}

}  // namespace

void add_api(App& app) {
  Routes api = app.group("/api/v1");
  api.get("/notes", [](Query<Paging> paging, State<Store> store) {
    return store->list(paging->page, paging->per_page);
  });
  api.post("/notes", add);
  api.get("/notes/{id}", find);
  api.put("/notes/{id}", replace);
  api.del("/notes/{id}", remove);
}

}  // namespace notes
