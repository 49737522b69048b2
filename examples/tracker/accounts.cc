#include <eider/middleware/csrf.h>
#include <eider/middleware/middleware.h>

#include "tracker.h"

namespace tracker {

namespace {

struct Visit {};

struct Known {
  std::int64_t id;
  std::string name;
  Role role;
  std::string password;
};

struct NewRole {
  Role role;
};

Task<Result<User>> find_user(UserKey key, State<Accounts> accounts) {
  const std::optional<User> user =
      co_await accounts->db.one<User>("select id, name, role from users where id = $1", key.text);
  co_return user ? Result<User>(*user) : fail(Error::unauthorized("There is no such user."));
}

/// While there is none: whose role was taken does not get it back by a start. A name that is still
/// free would be anybody's who signs up under it.
Task<Result<void>> make_admin(std::string name, State<Accounts> accounts) {
  co_await accounts->db.exec(
      R"(update users set role = 'admin' where name = $1 and
      not exists(select 1 from users where role = 'admin'))",
      name);
  const auto one =
      co_await accounts->db.one<int>("select 1 from users where role = 'admin' limit 1");
  co_return one ? Result<void>() : fail(Error::unavailable("nobody has signed up as " + name));
}

/// In one statement: two administrators cannot take each other's role at once.
Task<Result<User>> set_role(std::int64_t id, Json<NewRole> given, const Admin&,
                            State<Accounts> accounts) {
  const std::optional<User> user = co_await accounts->db.one<User>(
      R"(update users set role = $2 where id = $1 and ($2 = 'admin' or
      exists(select 1 from users where role = 'admin' and id <> $1)) returning id, name, role)",
      id, given->role);
  if (user) {
    co_return *user;
  }
  const auto there = co_await accounts->db.one<int>("select 1 from users where id = $1", id);
  co_return fail(there ? Error::conflict("Somebody has to be an administrator.")
                       : Error::not_found("There is no such user."));
}

}  // namespace

Task<Result<Created<User>>> Accounts::sign_up(Json<SignUp> given, Session<> session) const {
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
  session.begin_for(std::to_string(user->id));
  co_return Created(*user);
}

Task<Result<User>> Accounts::log_in(Json<Credentials> given, Client client,
                                    Session<> session) const {
  const std::optional<Known> known = co_await db.one<Known>(
      "select id, name, role, password from users where name = $1", given->name);
  const auto stored = known ? std::optional(known->password) : std::nullopt;
  const auto proof =
      co_await throttle.attempt(given->name, client, passwords.prove(given->password, stored));
  if (!proof) {
    co_return fail(proof.error());
  }
  session.begin_for(std::to_string(known->id));
  co_return User{known->id, known->name, known->role};
}

void add_accounts(App& app, Routes api, Routes pages, const Database& db, const Options& options) {
  const std::string prefix = options.is_secure ? "__Host-" : "";
  const Sessions visits = sessions<Visit>(
      app,
      {.store = sql_sessions(db), .cookie = prefix + "session", .is_secure = options.is_secure});
  pages.use(csrf({.session = visits.csrf_binding(),
                  .cookie = prefix + "csrf",
                  .is_secure = options.is_secure}));
  users(app, visits, find_user, {.login_page = "/login"});
  app.provide(with_role<Writer>());
  app.provide(with_role<Admin>());
  app.state<Accounts>(db);
  if (!options.admin.empty()) {
    app.on_start("administrator", [name = options.admin](State<Accounts> accounts) {
      return make_admin(name, accounts);
    });
  }

  api.post("/signup", &Accounts::sign_up).use(rate_limit(kSignUps));
  api.post("/login", &Accounts::log_in);
  api.post("/logout", [](Session<> session) { session.end(); });
  api.get("/me", [](const User& user) { return user; });
  api.put("/users/{id}/role", set_role);
}

}  // namespace tracker
