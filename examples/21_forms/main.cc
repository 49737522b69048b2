// A form derived from a struct: shown, shown again with errors, and accepted only once.
//   ./21_forms --port 8080, and open http://localhost:8080/
#include <eider/eider.h>
#include <eider/forms.h>
#include <eider/middleware.h>
#include <eider/sessions.h>

#include "booking.h"
#include "stay.html.h"

using namespace eider;
using booking::Stay;
using booking::StayPage;

struct Visit {
  int bookings = 0;
};

struct PageOptions {
  bool development = false;
  std::string templates = "pages";

  static constexpr OptionText kOptions[] = {
      {"development", "Show changed templates without a build; only for development"},
      {"templates", "Directory with the templates", "DIRECTORY"}};
};

namespace {

App make_app(const PageOptions& own) {
  App app;
  // Without TLS, for development; with TLS, omit `is_secure`.
  const Sessions visits = add_sessions<Visit>(app, {.is_secure = false});
  app.use(csrf({.session = visits.csrf_binding(), .is_secure = false}));
  add_views(app, {.directory = own.templates, .development = own.development});

  app.get("/", [](EmptyForm<Stay> form, Session<> session, State<Views> views) {
    return views->page(StayPage{session.take_flashes(), form.view({.submit = "Book"})});
  });
  app.post("/",
           [](BoundForm<Stay> form, Session<Visit> session, State<Views> views) -> FormResponse {
             if (form.is_valid(form->name) && *form->name == "Nobody") {
               form.add(form->name, "is not a valid name");
             }
             if (!form.is_valid()) {
               return form.render_again(views->page(StayPage{{}, form.view({.submit = "Book"})}));
             }
             ++session->bookings;
             session.flash("info", "Thank you, " + *form->name + ": the room is yours.");
             return Redirect("/");
           });
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<PageOptions>("forms", argc, argv, make_app);
}
