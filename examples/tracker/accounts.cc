#include "form.html.h"
#include "tracker.h"

namespace tracker {

namespace {

const RateLimit kSignUps{.requests = 20, .per = std::chrono::hours(1), .name = "signup"};

struct Next {
  std::string next = "/";
};

struct LogOut {};

Frame frame(std::optional<User> user, EmptyForm<LogOut> form, Flashes flashes) {
  return {user ? std::optional(user->name) : std::nullopt,
          form.view({.action = "/logout", .submit = "Log out"}), flashes.take()};
}

struct Accounts {
  Database db;
  Passwords passwords;
  LoginThrottle throttle = LoginThrottle();

  Task<Result<User>> find(UserKey key) const {
    const std::optional<User> user =
        co_await db.one<User>("select id, name, role from users where id = $1", key.text);
    co_return ok_or(user, Error::unauthorized("There is no such user."));
  }

  /// Adds the user as a member, and logs the user in.
  Task<Result<Created<User>>> sign_up(Json<SignUp> given, Session<> session) const {
    const auto stored = co_await passwords.hash(*given->password);
    if (!stored) {
      co_return fail(stored.error());
    }
    const std::optional<User> user = co_await db.one<User>(
        R"(insert into users(name, email, password, role) values($1, $2, $3, 'member')
        on conflict(name) do nothing returning id, name, role)",
        given->name, given->email, *stored);
    if (!user) {
      co_return fail(Error::conflict("This name is taken.").with_field("/name", "is taken"));
    }
    session.log_in(std::to_string(user->id));
    co_return Created(*user);
  }

  Task<FormResponse> sign_up_page(BoundForm<SignUp> form, Session<> session,
                                  const Pages& pages) const {
    if (form.is_valid()) {
      if (form.add_result(co_await sign_up(Json(*form), session))) {
        co_return Redirect("/");
      }
    }
    FormView view = form.view({.action = "/signup", .submit = "Sign up"});
    co_return form.render_again(pages.page(FormPage{"Sign up", std::move(view)}));
  }

  Task<Result<User>> log_in(Json<Credentials> given, ClientInfo client, Session<> session) const {
    const std::optional<std::string> stored =
        co_await db.one<std::string>("select password from users where name = $1", given->name);
    const auto proof = co_await throttle.attempt(given->name, client,
                                                 passwords.check_login(given->password, stored));
    if (!proof) {
      co_return fail(proof.error());
    }
    const std::optional<User> user =
        co_await db.one<User>("select id, name, role from users where name = $1", given->name);
    session.log_in(std::to_string(user->id));
    co_return *user;
  }

  /// The form is posted to the URL of the page, with its `next`.
  Task<FormResponse> log_in_page(BoundForm<Credentials> form, Query<Next> query, ClientInfo client,
                                 const Request& request, Session<> session,
                                 const Pages& pages) const {
    if (form.is_valid()) {
      if (form.add_result(co_await log_in(Json(*form), client, session))) {
        co_return Redirect(safe_redirect_path(query->next));
      }
    }
    FormView view = form.view({.action = std::string(request.target()), .submit = "Log in"});
    co_return form.render_again(pages.page(FormPage{"Log in", std::move(view)}));
  }

  /// Only if there is no administrator, so that a restart does not restore a role that was taken
  /// away. The user must exist: otherwise, anyone could sign up with that name.
  Task<Result<void>> make_admin(std::string name) const {
    co_await db.exec(
        R"(update users set role = 'admin' where name = $1 and
        not exists(select 1 from users where role = 'admin'))",
        name);
    const auto one = co_await db.one<int>("select 1 from users where role = 'admin' limit 1");
    co_return one ? Result<void>() : fail(Error::internal("no user has signed up as " + name));
  }

  /// In one statement: two administrators cannot take each other's role at the same time.
  Task<Result<User>> set_role(std::int64_t id, Json<NewRole> given, const Admin&) const {
    const std::optional<User> user = co_await db.one<User>(
        R"(update users set role = $2 where id = $1 and ($2 = 'admin' or
        exists(select 1 from users where role = 'admin' and id <> $1)) returning id, name, role)",
        id, given->role);
    if (user) {
      co_return *user;
    }
    const auto there = co_await db.one<int>("select 1 from users where id = $1", id);
    co_return fail(there ? Error::conflict("At least one user must be an administrator.")
                         : Error::not_found("There is no such user."));
  }
};

}  // namespace

void add_account_routes(App& app, Routes api, Routes pages, const Options& options,
                        const Database& db, PasswordOptions hash) {
  const bool is_secure = options.is_secure;
  const Sessions logins = add_sessions(app, {.store = sql_sessions(db), .is_secure = is_secure});
  pages.use(csrf({.session = logins.csrf_binding(), .is_secure = is_secure}));
  app.state<Accounts>(db, Passwords(std::move(hash)));
  add_users(app, logins, &Accounts::find, {.login_page = "/login"});
  app.provide(with_role<Writer>());
  app.provide(with_role<Admin>());
  add_frame(app, frame);
  if (!options.admin.empty()) {
    app.on_start("administrator", [name = options.admin](State<Accounts> accounts) {
      return accounts->make_admin(name);
    });
  }

  api.post("/signup", &Accounts::sign_up).use(rate_limit(kSignUps));
  api.post("/login", &Accounts::log_in);
  api.post("/logout", [](Session<> session) { session.log_out(); });
  api.get("/me", [](const User& user) { return user; });
  api.put("/users/{id}/role", &Accounts::set_role);
  pages.get("/signup", &Accounts::sign_up_page);
  pages.post("/signup", &Accounts::sign_up_page).use(rate_limit(kSignUps));
  pages.get("/login", &Accounts::log_in_page);
  pages.post("/login", &Accounts::log_in_page);
  pages.post("/logout", [](Session<> session) {
    session.log_out();
    return Redirect("/login");
  });
}

}  // namespace tracker
