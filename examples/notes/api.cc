#include "routes.h"

#include <eider/eider.h>
#include <eider/pagination.h>
#if defined(HAS_SWAGGER)
#include <eider/swagger.h>
#endif

#include "store.h"

namespace notes {

using namespace eider;

namespace {

Error no_such_note() {
  return Error::not_found("There is no note with this number.");
}

Task<Created<Note>> add(Json<NewNote> note, State<Store> store) {
  Note added = co_await store->add(std::move(*note));
  std::string address = "/api/v1/notes/" + std::to_string(added.id);
  co_return Created(std::move(added), std::move(address));
}

Task<Result<Note>> find(std::int64_t id, State<Store> store) {
  std::optional<Note> found = co_await store->find(id);
  co_return found ? Result<Note>(std::move(*found)) : fail(no_such_note());
}

Task<Result<Note>> replace(std::int64_t id, Json<NewNote> note, State<Store> store) {
  std::optional<Note> replaced = co_await store->replace(id, std::move(*note));
  co_return replaced ? Result<Note>(std::move(*replaced)) : fail(no_such_note());
}

Task<Result<void>> remove(std::int64_t id, State<Store> store) {
  const bool is_removed = co_await store->remove(id);
  co_return is_removed ? Result<void>() : fail(no_such_note());
}

}  // namespace

void add_api(App& app) {
  Routes api = app.group("/api/v1");
  api.get("/notes", [](Query<PageQuery<>> query,
                       State<Store> store) { return store->list(query->page, query->per_page); })
      .docs({.summary = "Lists notes", .tags = {"notes"}});
  api.post("/notes", add).docs({.summary = "Adds a note", .tags = {"notes"}});
  api.get("/notes/{id}", find).docs({.summary = "Finds a note", .tags = {"notes"}});
  api.put("/notes/{id}", replace).docs({.summary = "Replaces a note", .tags = {"notes"}});
  api.del("/notes/{id}", remove).docs({.summary = "Removes a note", .tags = {"notes"}});
  serve_openapi(app, {.title = "Notes", .version = "1.0.0", .below = "/api/v1"});
#if defined(HAS_SWAGGER)
  serve_swagger(app, {.title = "Notes"});
#endif
}

}  // namespace notes
