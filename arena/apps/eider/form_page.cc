#include "form_page.h"

#include <eider/middleware.h>
#include <eider/sessions.h>

#include "form_page.html.h"

namespace arena {

using namespace eider;

namespace {

// Known to the load, which comes with a session and a token: answers are held byte for byte.
constexpr const char* kKey = "the arena's key, which is no secret";

struct Visit {
  int visits = 0;
};

}  // namespace

void add_form_page(App& app) {
  App pages;
  add_views(pages);
  add_sessions<Visit>(pages, {.store = SignedSessions{.keys = {kKey}},
                              .idle = std::chrono::years(50),
                              .absolute = std::chrono::years(50),
                              .cookie = "session",
                              .is_secure = false});
  pages.use(csrf({.key = kKey, .cookie = "csrf", .is_secure = false}));
  pages.get("", [](Session<const Visit> visit, EmptyForm<NewNote> form, State<Views> views) {
    return views->page(FormPage{visit->visits, form.view()});
  });
  app.mount("/form", std::move(pages));
}

}  // namespace arena
