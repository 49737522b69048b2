#include "routes.h"

#include <eider/assets.h>
#include <eider/middleware.h>
#include <eider/pagination.h>
#include <eider/views.h>

#include <atomic>
#include <memory>

#include "absent.html.h"
#include "edit.html.h"
#include "list.html.h"
#include "notes_assets.h"
#include "shown.h"

namespace notes {

using namespace eider;

namespace {

struct Visit {
  int notes_written = 0;
};

struct StarsForm {
  Bounded<int, 0, 5> stars;
  PageNumber page = 1;
};

struct Requests {
  std::uint64_t requests;
};

/// The number of responses, except those to requests for this number.
using RequestCount = std::shared_ptr<std::atomic<std::uint64_t>>;

/// Data for the handlers of all pages.
class Pages {
 public:
  Pages(const Assets& assets, RequestCount count)
      : frame_{assets.url("style.css"), assets.url("live.js"), assets.url("icon.svg"), 0, {}},
        count_(std::move(count)) {}

  [[nodiscard]] Frame frame(std::vector<Flash> messages = {}) const {
    Frame frame = frame_;
    frame.requests = now();
    frame.messages = std::move(messages);
    return frame;
  }
  [[nodiscard]] std::uint64_t now() const { return count_->load(std::memory_order_relaxed); }

 private:
  Frame frame_;
  RequestCount count_;
};

constexpr int kPerPage = 12;
// Browsers enforce the lengths; other errors are shown on the page and stay visible.
const FormOptions kEditor = {.submit = "-", .is_checked_by_browser = false};
const FormOptions kComposer = {
    .action = "/notes", .submit = "Add note", .is_checked_by_browser = false};

/// Removes spaces around the title.
NewNote tidy(NewNote note) {
  note.title = std::string(trim(*note.title));
  return note;
}

FormResponse absent(const Views& views, const Pages& pages) {
  return {views.page(AbsentPage{pages.frame()}), 404};
}

Redirect to_note(std::int64_t id, std::string_view query = {}) {
  return Redirect("/" + std::string(query) + "#note-" + std::to_string(id));
}

Task<HtmlPage> show_list(Query<PageQuery<kPerPage, kPerPage>> query, Pagination pagination,
                         EmptyForm<NewNote> form, Session<Visit> session, State<Store> store,
                         State<Pages> pages, State<Views> views) {
  Listing listing = co_await store->list(query->page, kPerPage);
  PageLinks links = pagination.links(*query, listing.total);
  links.previous_text = "← Newer";
  links.next_text = "Older →";
  co_return views->page(ListPage{pages->frame(session.take_flashes()), std::move(listing),
                                 std::move(links), form.view(kComposer)});
}

Task<FormResponse> add_note(BoundForm<NewNote> form, Session<Visit> session, State<Store> store,
                            State<Pages> pages, State<Views> views) {
  if (!form.is_valid()) {
    Listing listing = co_await store->list(1, kPerPage);
    co_return views->page(ListPage{pages->frame(), std::move(listing), {}, form.view(kComposer)});
  }
  const Note note = co_await store->add(tidy(*form));
  session.flash("info", "Added, your note no. " + std::to_string(++session->notes_written) + ".");
  co_return to_note(note.id);
}

Task<FormResponse> show_note(std::int64_t id, EmptyForm<NewNote> form, State<Store> store,
                             State<Pages> pages, State<Views> views) {
  const std::optional<Note> note = co_await store->find(id);
  if (!note) {
    co_return absent(*views, *pages);
  }
  const NewNote filled{note->title, note->body, note->stars};
  co_return FormResponse(
      views->page(EditPage{pages->frame(), note->title, form.view_of(filled, kEditor)}), 200);
}

Task<FormResponse> change_note(std::int64_t id, BoundForm<NewNote> form, Session<> session,
                               State<Store> store, State<Pages> pages, State<Views> views) {
  if (!form.is_valid()) {
    co_return views->page(EditPage{pages->frame(), *form->title, form.view(kEditor)});
  }
  if (!co_await store->replace(id, tidy(*form))) {
    co_return absent(*views, *pages);
  }
  session.flash("info", "Saved.");
  co_return to_note(id);
}

Task<Result<FormResponse>> set_stars(std::int64_t id, BoundForm<StarsForm> form, State<Store> store,
                                     State<Pages> pages, State<Views> views) {
  if (!form.is_valid()) {
    co_return fail(Error::invalid(form.errors()));
  }
  const bool is_there = co_await store->set_stars(id, form->stars);
  const std::string query = "?page=" + std::to_string(*form->page);
  co_return is_there ? FormResponse(to_note(id, query)) : absent(*views, *pages);
}

Task<Redirect> remove_note(std::int64_t id, Session<> session, State<Store> store) {
  (void)co_await store->remove(id);  // a missing note is not an error
  session.flash("info", "Deleted.");
  co_return Redirect("/");
}

}  // namespace

void add_pages(App& app) {
  const auto count = std::make_shared<std::atomic<std::uint64_t>>(0);
  app.on_request([count](Request& request) {
    if (request.path() != "/requests") {
      count->fetch_add(1, std::memory_order_relaxed);
    }
  });
  // Without TLS by default; with TLS, use names that begin with __Host-.
  const Sessions visits = add_sessions<Visit>(app, {.cookie = "notes-session", .is_secure = false});
  app.use(cross_origin_protection());
  Routes shown = app.group("/");
  shown.use(csrf({.session = visits.csrf_binding(), .cookie = "notes-csrf", .is_secure = false}));
  app.use(security_headers());
  add_views(app);
  app.state(Pages(serve_assets(app, notes_assets()), count));

  shown.get("/", show_list);
  shown.post("/notes", add_note);
  shown.get("/notes/{id}", show_note);
  shown.post("/notes/{id}", change_note);
  shown.post("/notes/{id}/stars", set_stars);
  shown.post("/notes/{id}/delete", remove_note);
  app.get("/requests", [](State<Pages> pages) { return Requests{pages->now()}; });
}

}  // namespace notes
