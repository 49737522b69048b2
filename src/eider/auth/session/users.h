// Who asks, by type: handlers that take a User are for users, and for nobody else.
// Must not log anybody in: that is Session::begin_for, behind a check of the application's.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/app.h"
#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/operation.h"
#include "eider/auth/session/session.h"
#include "eider/core/json/json.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// The key of the user whose session asks, as Session::begin_for was given it; never empty. What
/// `users` is given takes it, and handlers may.
struct UserKey {
  std::string text;
};

template <>
struct Extract<UserKey> : ExtractSlot<UserKey> {
  static constexpr bool kOwns = true;
};

struct UsersOptions {
  /// The path to which browsers are sent that ask for a page and are nobody's, as
  /// "/login?next=%2Fnotes"; programs are told by a 401. Empty: all are.
  std::string login_page = {};
};

namespace detail::session {

/// What a WWW-Authenticate says to whose login is older (RFC 9470, section 3).
[[nodiscard]] std::string stale_login(Duration within);

/// How somebody is told to log in: a browser is sent to the page, from where it comes back.
struct LoginWay {
  std::string cookie_name;
  std::string page = {};

  /// why         for programs: the detail of a 401
  /// parameters  that its WWW-Authenticate has beside the cookie's name
  [[nodiscard]] Error refusal(const Request& request, const std::string& why,
                              const std::string& parameters = {}) const;
  void describe(Operation& operation, const std::string& why) const;
};

}  // namespace detail::session

/// What makes a UserKey, where somebody takes one.
class UserKeyGuard {
 public:
  UserKeyGuard(std::string cookie_name, UsersOptions options)
      : way_{.cookie_name = std::move(cookie_name), .page = std::move(options.login_page)} {}

  Result<UserKey> operator()(Slot<detail::session::Entry> session, const Request& request) const;
  void describe(Operation& operation) const;
  [[nodiscard]] std::string name() const { return "users"; }
  [[nodiscard]] const detail::session::LoginWay& way() const noexcept { return way_; }

 private:
  detail::session::LoginWay way_;
};

/// Says how a User is found, once per request and for those handlers alone that take one:
///
///     template <> struct eider::Extract<User> : eider::ExtractSlot<User> {};
///
///     users(app, visits, [](const UserKey& key, State<Store> store) -> Task<Result<User>> { … },
///           {.login_page = "/login"});
///     app.provide([](const User& user) -> Result<Admin> { … });  // or a 403
///     app.get("/me", [](const User& user) { … });
///
/// Whoever is not logged in is sent to the login page, or a 401; for std::optional<User> he is
/// nobody. Documents say that these handlers take the session's cookie.
///
/// load  takes what a guard may take, a `const UserKey&` among it, and returns a Result<User> or a
///       Task of one
template <class F>
void users(Routes& at, const Sessions& sessions, F load, UsersOptions options = {}) {
  UserKeyGuard guard(sessions.options().cookie, std::move(options));
  at.provide([way = guard.way()] { return way; });
  at.provide(std::move(guard));
  at.provide(std::move(load));
}

/// A 403 for users without that role, which is one of the texts in `user.roles`:
///
///     Routes admin = app.group("/admin");
///     admin.guard(needs_role<User>("admin"));
template <class U>
class RoleGuard {
 public:
  explicit RoleGuard(std::string role) : role_(std::move(role)) {}

  Result<void> operator()(Slot<U> user) const {
    if (std::ranges::find(user->roles, role_) != user->roles.end()) {
      return {};
    }
    return fail(Error::forbidden(refusal()));
  }
  void describe(Operation& operation) const { operation.answer_problem(403, refusal()); }
  [[nodiscard]] std::string name() const { return "needs_role " + role_; }

 private:
  [[nodiscard]] std::string refusal() const { return "This takes the role '" + role_ + "'."; }

  std::string role_;
};

template <class U>
[[nodiscard]] RoleGuard<U> needs_role(std::string role) {
  return RoleGuard<U>(std::move(role));
}

/// A user whose member `role` is one of these: handlers take it by its type once it is provided,
/// and others are a 403.
///
///     using Writer = WithRole<User, Role::admin, Role::member>;
///     app.provide(with_role<Writer>());
///     app.post("/notes", [](Json<NewNote> note, const Writer& writer) { … });
template <class U, auto... kRoles>
struct WithRole : U {
  using Any = U;

  static bool admits(const U& user) { return ((user.role == kRoles) || ...); }
  static std::string refusal() {
    std::string roles;
    ((roles += (roles.empty() ? "" : " or ") + json::to_text(kRoles)), ...);
    return "This takes the role " + roles + ".";
  }
};

template <class W>
struct RoleProvider {
  Result<W> operator()(const typename W::Any& user) const {
    if (W::admits(user)) {
      return W{user};
    }
    return fail(Error::forbidden(W::refusal()));
  }
  void describe(Operation& operation) const { operation.answer_problem(403, W::refusal()); }
};

template <class W>
[[nodiscard]] RoleProvider<W> with_role() {
  return {};
}

/// A guard: routes that are for whom a T is provided, and whose handlers take none.
///
///     app.get("/events", &Journal::follow).guard(needs<User>());
///     serve_metrics(app).guard(needs<Admin>());
template <class T>
struct Needs {
  Result<void> operator()(const T& /*provided*/) const noexcept { return {}; }
};

template <class T>
[[nodiscard]] Needs<T> needs() {
  return {};
}

/// See needs_fresh_login.
class FreshLoginGuard {
 public:
  /// Throws a Failure for less than a second.
  explicit FreshLoginGuard(Duration within);

  Result<void> operator()(const UserKey& user, Slot<detail::session::Entry> session,
                          Slot<detail::session::LoginWay> way, const Request& request) const;
  void describe(Operation& operation) const;
  [[nodiscard]] std::string name() const { return "needs_fresh_login"; }

 private:
  Duration within_;
};

extern template Guard detail::app::make_guard(FreshLoginGuard);

/// A guard: for users who have shown so short a time ago who they are, by a password, a passkey or
/// whatever the application calls Session::begin_for behind. For what outlives a session that was
/// stolen or left open: another password or address, a passkey, a key of an API.
///
///     app.get("/password", show_password).guard(needs_fresh_login(10min));
///     app.post("/password", set_password).guard(needs_fresh_login(10min));
///
/// Others are told as those who are not logged in are: a browser is sent to the login page of
/// `users`, and by its `next` comes back, to the page of the form where it has sent one. That page
/// has to show its form to who is logged in, too. Programs get a 401 whose WWW-Authenticate says
/// insufficient_user_authentication.
///
/// source  RFC 9470, section 3
[[nodiscard]] inline FreshLoginGuard needs_fresh_login(Duration within) {
  return FreshLoginGuard(within);
}

/// Where to go on behind a login: `next` if that is a path of this service, else `otherwise`. What
/// a browser would take for another host ("//evil.example", "/\evil.example", a tab in between),
/// and what cannot stand in a Location, is none.
///
///     return Redirect(own_path(form->next));
///
/// source  WHATWG URL, "relative state" and "relative slash state"; OWASP, Unvalidated Redirects
[[nodiscard]] std::string own_path(std::string_view next, std::string_view otherwise = "/");

}  // namespace eider
