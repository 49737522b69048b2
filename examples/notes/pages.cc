#include "pages.h"

#include <eider/eider.h>

#include <string>

#include "assets.h"
#include "store.h"
#include "view.h"

namespace notes {

using namespace eider;

namespace {

constexpr int kPerPage = 12;

struct PageQuery {
  Range<int, 1, kPageMax> page = 1;
};

struct StarsForm {
  Range<int, 0, 5> stars;
  Range<int, 1, kPageMax> page = 1;
};

struct Requests {
  std::uint64_t requests;
};

Frame frame_of(const RequestCount& count) {
  return {count.now()};
}

Response absent(const RequestCount& count) {
  return Response::html(absent_page(frame_of(count)), 404);
}

Task<Html> show_list(Query<PageQuery> query, State<Store> store, State<RequestCount> count) {
  const Listing listing = co_await store->list(query->page, kPerPage);
  co_return Html(list_page(frame_of(*count), listing, {}, {}));
}

Task<Response> add(Form<NoteForm> typed, State<Store> store, State<RequestCount> count) {
  const NoteForm form = tidy(std::move(*typed));
  const FormFaults faults = find_faults(form);
  if (faults.any()) {
    const Listing listing = co_await store->list(1, kPerPage);
    co_return Response::html(list_page(frame_of(*count), listing, form, faults), 422);
  }
  const Note note = co_await store->add(draft_of(form));
  co_return Response(303).add_header("Location", "/#note-" + std::to_string(note.id));
}

Task<Response> show_note(std::int64_t id, State<Store> store, State<RequestCount> count) {
  const std::optional<Note> note = co_await store->find(id);
  if (!note) {
    co_return absent(*count);
  }
  const NoteForm form{note->title, note->body, note->stars};
  co_return Response::html(edit_page(frame_of(*count), id, form, {}));
}

Task<Response> change(std::int64_t id, Form<NoteForm> typed, State<Store> store,
                      State<RequestCount> count) {
  const NoteForm form = tidy(std::move(*typed));
  const FormFaults faults = find_faults(form);
  if (faults.any()) {
    co_return Response::html(edit_page(frame_of(*count), id, form, faults), 422);
  }
  const std::optional<Note> note = co_await store->replace(id, draft_of(form));
  if (!note) {
    co_return absent(*count);
  }
  co_return Response(303).add_header("Location", "/#note-" + std::to_string(id));
}

Task<Response> set_stars(std::int64_t id, Form<StarsForm> form, State<Store> store,
                         State<RequestCount> count) {
  if (!co_await store->set_stars(id, form->stars)) {
    co_return absent(*count);
  }
  const std::string page = std::to_string(*form->page);
  co_return Response(303).add_header("Location", "/?page=" + page + "#note-" + std::to_string(id));
}

Task<Redirect> remove(std::int64_t id, State<Store> store) {
  (void)co_await store->remove(id);  // gone already is as good
  co_return Redirect("/");
}

void add_assets(App& app) {
  const auto asset = [](const char* type, const char* body) {
    return [type, body] {
      Response response;
      response.set_static_type(type).set_static_body(body);
      response.add_header("Cache-Control", "max-age=300");
      return response;
    };
  };
  app.get("/style.css", asset("text/css; charset=utf-8", assets::kStyle));
  app.get("/live.js", asset("text/javascript; charset=utf-8", assets::kScript));
  app.get("/icon.svg", asset("image/svg+xml", assets::kIcon));
}

/// Of two policies both hold, so one that a page brings along stands alone.
void add_protection(const Request& /*request*/, Response& response) {
  if (!response.find_header("Content-Security-Policy")) {
    response.add_header("Content-Security-Policy",
                        "default-src 'self'; form-action 'self'; frame-ancestors 'none'");
  }
  response.replace_header("X-Content-Type-Options", "nosniff");
  response.add_header("Referrer-Policy", "same-origin");
}

}  // namespace

void add_pages(App& app) {
  const RequestCount count;
  app.state(count);
  app.before([count](Request& request) {
    if (request.path() != "/requests") {
      count.add();
    }
  });
  app.use(cross_origin_protection());
  app.after(add_protection);

  app.get("/", show_list);
  app.post("/notes", add);
  app.get("/notes/{id}", show_note);
  app.post("/notes/{id}", change);
  app.post("/notes/{id}/stars", set_stars);
  app.post("/notes/{id}/delete", remove);
  app.get("/requests", [](State<RequestCount> requests) { return Requests{requests->now()}; });
  add_assets(app);
}

}  // namespace notes
