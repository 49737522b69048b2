// The current user as a handler parameter: handlers with a User require a login.
// Layering: must not log users in; Session::log_in does, after a check of the application.
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

/// Key of the logged-in user, as passed to Session::log_in; never empty. A parameter of the
/// function of `add_users` and of handlers.
struct UserKey {
  std::string text;
};

template <>
struct Extract<UserKey> : ExtractExtension<UserKey> {
  static constexpr bool kOwnsData = true;
};

struct UsersOptions {
  /// Path of the login page, to which browsers without a login are redirected:
  /// "/login?next=%2Fnotes". Programs get a 401. Empty: all clients get a 401.
  std::string login_page = {};
};

namespace detail::session {

/// Parameters of WWW-Authenticate for a login that is too old (RFC 9470, section 3).
[[nodiscard]] std::string stale_login(Duration within);

/// How a client is asked to log in: a browser is redirected to the login page, and returns from
/// there.
struct LoginPrompt {
  std::string cookie_name;
  std::string page = {};

  /// why         detail of the 401 for programs
  /// parameters  of WWW-Authenticate, in addition to the cookie name
  [[nodiscard]] Error refusal(const Request& request, const std::string& why,
                              const std::string& parameters = {}) const;
  void describe(Operation& operation, const std::string& why) const;
};

}  // namespace detail::session

/// Provides the UserKey to handlers and guards.
class UserKeyGuard {
 public:
  UserKeyGuard(std::string cookie_name, UsersOptions options)
      : prompt_{.cookie_name = std::move(cookie_name), .page = std::move(options.login_page)} {}

  Result<UserKey> operator()(Extension<detail::session::Entry> session,
                             const Request& request) const;
  void describe(Operation& operation) const;
  [[nodiscard]] std::string name() const { return "users"; }
  [[nodiscard]] const detail::session::LoginPrompt& prompt() const noexcept { return prompt_; }

 private:
  detail::session::LoginPrompt prompt_;
};

/// Registers the function that loads the User. It is called once per request, and only for handlers
/// with a User parameter:
///
///     template <> struct eider::Extract<User> : eider::ExtractExtension<User> {};
///
///     add_users(app, visits, [](const UserKey& key, State<Store> store) -> Task<Result<User>> { …
///     },
///           {.login_page = "/login"});
///     app.provide([](const User& user) -> Result<Admin> { … });  // or a 403
///     app.get("/me", [](const User& user) { … });
///
/// Without a login, browsers are redirected to the login page and programs get a 401;
/// std::optional<User> is empty then. OpenAPI documents list the session cookie for these handlers.
///
/// load  has the parameters of a guard, including `const UserKey&`, and returns a Result<User> or a
///       Task of one
template <class F>
void add_users(Routes& at, const Sessions& sessions, F load, UsersOptions options = {}) {
  UserKeyGuard guard(sessions.options().cookie, std::move(options));
  at.provide([prompt = guard.prompt()] { return prompt; });
  at.provide(std::move(guard));
  at.provide(std::move(load));
}

/// A 403 for users without that role, which is one of the texts in `user.roles`:
///
///     Routes admin = app.group("/admin");
///     admin.guard(require_role<User>("admin"));
template <class U>
class RoleGuard {
 public:
  explicit RoleGuard(std::string role) : role_(std::move(role)) {}

  Result<void> operator()(Extension<U> user) const {
    if (std::ranges::find(user->roles, role_) != user->roles.end()) {
      return {};
    }
    return fail(Error::forbidden(refusal()));
  }
  void describe(Operation& operation) const { operation.add_problem(403, refusal()); }
  [[nodiscard]] std::string name() const { return "require_role " + role_; }

 private:
  [[nodiscard]] std::string refusal() const { return "Missing required role '" + role_ + "'."; }

  std::string role_;
};

template <class U>
[[nodiscard]] RoleGuard<U> require_role(std::string role) {
  return RoleGuard<U>(std::move(role));
}

/// A user whose member `role` is one of these. Handlers use the type as a parameter once it is
/// provided; other users get a 403.
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
    return "Missing required role: " + roles + ".";
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
  void describe(Operation& operation) const { operation.add_problem(403, W::refusal()); }
};

template <class W>
[[nodiscard]] RoleProvider<W> with_role() {
  return {};
}

/// A guard that requires a provided T, for routes whose handlers have no such parameter.
///
///     app.get("/events", &EventLog::follow).guard(require<User>());
///     serve_metrics(app).guard(require<Admin>());
template <class T>
struct RequireGuard {
  Result<void> operator()(const T& /*provided*/) const noexcept { return {}; }
};

template <class T>
[[nodiscard]] RequireGuard<T> require() {
  return {};
}

/// See require_recent_login.
class RecentLoginGuard {
 public:
  /// Throws a Failure for less than a second.
  explicit RecentLoginGuard(Duration within);

  Result<void> operator()(const UserKey& user, Extension<detail::session::Entry> session,
                          Extension<detail::session::LoginPrompt> prompt,
                          const Request& request) const;
  void describe(Operation& operation) const;
  [[nodiscard]] std::string name() const { return "require_recent_login"; }

 private:
  Duration within_;
};

extern template Guard detail::app::make_guard(RecentLoginGuard);

/// A guard that requires a recent authentication: with a password, a passkey, or any check after
/// which the application calls Session::log_in. Use it for actions with lasting effect that a
/// stolen or unattended session must not allow: a new password or address, a passkey, an API key.
///
///     app.get("/password", show_password).guard(require_recent_login(10min));
///     app.post("/password", set_password).guard(require_recent_login(10min));
///
/// Other users are treated as not logged in. A browser is redirected to the login page of
/// `add_users`, and returns with its `next` to the page (or to the page of the submitted form).
/// That login page must also show its form to logged-in users. Programs get a 401 with
/// insufficient_user_authentication in WWW-Authenticate.
///
/// source  RFC 9470, section 3
[[nodiscard]] inline RecentLoginGuard require_recent_login(Duration within) {
  return RecentLoginGuard(within);
}

/// Returns `next` if it is a path of this service, otherwise `fallback`: for the redirect after a
/// login. Values that a browser would treat as another host ("//evil.example", "/\evil.example", a
/// tab in between), that are not valid in a Location, or longer than 2 KiB, are rejected.
///
///     return Redirect(safe_redirect_path(form->next));
///
/// source  WHATWG URL, "relative state" and "relative slash state"; OWASP, Unvalidated Redirects
[[nodiscard]] std::string safe_redirect_path(std::string_view next,
                                             std::string_view fallback = "/");

}  // namespace eider
