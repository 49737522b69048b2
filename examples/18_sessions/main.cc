// Sessions: a cart, a login that changes the session ID, messages for the next page, and handlers
// that require a login. For passwords, see 19_logins.
//   ./18_sessions --port 8080, and open http://localhost:8080/
#include <eider/eider.h>
#include <eider/sessions.h>

#include <map>
#include <string>
#include <vector>

using namespace eider;

struct Visit {
  std::vector<std::string> cart = {};
};

struct User {
  std::string name;
  std::vector<std::string> roles = {};
};

template <>
struct eider::Extract<User> : eider::ExtractExtension<User> {
  static constexpr bool kOwnsData = true;
};

/// Replaces a database.
struct People {
  std::map<std::string, User> by_key = {{"ann", {"Ann", {"admin"}}}, {"bob", {"Bob"}}};
};

struct Login {
  std::string name;
  std::string next = "/";
};

std::string shown(std::vector<Flash> flashes) {
  std::string text;
  for (const Flash& flash : flashes) {
    text += flash.kind + ": " + flash.text + "\n";
  }
  return text;
}

App make_app() {
  App app;
  app.state(People());
  // Without TLS, for development; with TLS, omit `is_secure`.
  const Sessions visits = add_sessions<Visit>(app, {.is_secure = false});
  add_users(app, visits, [](const UserKey& key, State<People> people) -> Result<User> {
    const auto found = people->by_key.find(key.text);
    if (found == people->by_key.end()) {
      return fail(Error::unauthorized("This user no longer exists."));
    }
    return found->second;
  });
  app.use(cross_origin_protection());

  app.get("/", [](std::optional<User> user, Session<Visit> session) {
    return shown(session.take_flashes()) + "Hello, " + (user ? user->name : "stranger") + ": " +
           std::to_string(session->cart.size()) + " in your cart.\n";
  });
  app.post("/cart/{thing}", [](std::string thing, Session<Visit> session) {
    session.flash("info", thing + " is in your cart.");
    session->cart.push_back(std::move(thing));
    return Redirect("/");
  });
  app.post("/login", [](Form<Login> form, Session<> session, State<People> people) {
    if (people->by_key.contains(form->name)) {
      session.log_in(form->name);
    } else {
      session.flash("error", "There is no user with this name.");
    }
    return Redirect(safe_redirect_path(form->next));
  });
  app.post("/logout", [](Session<> session) {
    session.log_out();
    session.flash("info", "Good bye.");
    return Redirect("/");
  });
  app.get("/me", [](const User& user) { return user.name + "\n"; });
  app.get("/admin", [](const User& user) { return "Welcome, administrator " + user.name + ".\n"; })
      .guard(require_role<User>("admin"));
  return app;
}

int main(int argc, char** argv) {
  return run_app("sessions", argc, argv, make_app);
}
