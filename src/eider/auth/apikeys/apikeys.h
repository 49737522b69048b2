// API keys of users: programs send one instead of logging in.
// Layering: must not know accounts or pages; a key belongs to the key of a user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/operation.h"
#include "eider/auth/session/users.h"
#include "eider/core/base/no_dangling.h"
#include "eider/data/db/database.h"

namespace eider {

struct ApiKey;

struct ApiKeyOptions {
  /// First part of all keys: "shop" for "shop_9rT…". 1 to 16 characters of a-z and 0-9, of which
  /// the first is a letter. Secret scanners find keys by it, so do not change it later.
  std::string prefix = {};
  /// Scopes that keys can have, in the application's words. See require_key_scope.
  std::vector<std::string> scopes = {};
  /// Maximum number of keys of one user, including expired ones.
  std::size_t keys_max = 25;
  /// Maximum lifetime; keys without an expiry get it, too. Zero: keys may be valid forever.
  Duration lifetime_max = Duration::zero();
  /// Header that carries the key. Empty: `Authorization: Bearer shop_…`.
  std::string header = {};
  /// Called before a key is created, for example with Accounts::notify_api_key_added to inform the
  /// owner by email. If it throws, the key is not created.
  ///
  /// language  ApiKeyRequest::language
  std::function<Task<>(ApiKey key, std::string language)> before_create = {};
};

/// An API key without its secret, for display. As a handler parameter it requires a key:
/// std::optional<ApiKey> is empty for sessions.
///
/// id       identifier for ApiKeys::revoke; it does not grant access
/// user     key of the user
/// name     chosen by the user, at most 100 characters
/// hint     last four characters of the secret
/// created, expires, used  seconds since 1970; `expires` is 0 if the key does not expire, `used` is
///          0 if it was never used. `used` is written at most once per minute
struct ApiKey {
  std::string id;
  std::string user;
  std::string name;
  std::vector<std::string> scopes;
  std::string hint;
  std::int64_t created = 0;
  std::int64_t expires = 0;
  std::int64_t used = 0;

  static constexpr bool kIsInjectable = true;
};

/// A key to be created.
///
/// lifetime  zero: ApiKeyOptions::lifetime_max
/// language  of the user, for ApiKeyOptions::before_create
struct ApiKeyRequest {
  std::string name;
  std::vector<std::string> scopes = {};
  Duration lifetime = Duration::zero();
  std::string language = {};
};

/// secret  what programs send: show it once, it is stored nowhere
struct CreatedApiKey {
  ApiKey key;
  std::string secret;
};

/// The API keys of an app: a module, see add_api_keys. Creates its tables eider_api_keys and
/// eider_api_key_owners if necessary, on SQLite, PostgreSQL and MariaDB. Only the SHA-256 digests
/// of keys are stored, so the tables do not grant access.
class ApiKeys {
 public:
  static constexpr std::string_view kName = "api_keys";

  /// Throws a Failure for an invalid prefix, and for a scope that is empty or contains spaces.
  ApiKeys(Database database, ApiKeyOptions options);

  /// Creates a key. Call it only after a recent login (require_recent_login).
  ///
  /// errors  422 for "/name", "/scopes" and "/lifetime"; 409 above `keys_max`
  [[nodiscard]] Task<Result<CreatedApiKey>> create(UserKey user, ApiKeyRequest request) const;
  /// Lists the keys of a user, also expired ones, the newest first.
  [[nodiscard]] Task<std::vector<ApiKey>> list(UserKey user) const;
  /// Deletes a key of that user, and returns whether it existed. The next request with it gets 401.
  [[nodiscard]] Task<bool> revoke(UserKey user, std::string id) const;
  /// Deletes all keys of a user, for example when the account is deleted and after a password
  /// reset. Returns their number.
  [[nodiscard]] Task<std::size_t> revoke_all(UserKey user) const;
  /// Returns the key with that secret; nothing if it is invalid, expired or revoked.
  [[nodiscard]] Task<std::optional<ApiKey>> find(std::string secret) const;

  /// Returns the key that the request contains, valid or not, or an empty text.
  [[nodiscard]] std::string_view secret_in(const Request& request) const noexcept;
  [[nodiscard]] const ApiKeyOptions& options() const noexcept { return options_; }

  // For the module.
  [[nodiscard]] Task<> start() const;

 private:
  [[nodiscard]] Task<bool> insert(CreatedApiKey created, std::string scopes) const;
  [[nodiscard]] Task<> note_use(std::string digest, std::int64_t now) const;
  [[nodiscard]] Result<CreatedApiKey> made_of(UserKey user, ApiKeyRequest request) const;

  const Database database_;
  const ApiKeyOptions options_;
};

/// Adds API keys to an app that has users (add_users or add_accounts):
///
///     ApiKeys& keys = add_api_keys(app, database, {.prefix = "shop", .scopes = {"read"}});
///     Routes api = app.group("/api");
///     accept_api_keys(api, keys, visits);                                  // session or key
///     api.get("/orders", list_orders).guard(require_key_scope("read"));
///     serve_api_keys(app, "/account/api-keys");                            // page for users
///
/// No route accepts keys without accept_api_keys or a parameter `const ApiKey&`. A request with a
/// key is authenticated by the key alone: its session cookie is ignored, and so it needs no CSRF
/// token. Call this before `app.use(csrf(…))`, so that this also applies to browser programs of
/// other origins. Returns the module, which handlers get as State<ApiKeys>.
EIDER_NO_DANGLING ApiKeys& add_api_keys(App& app, Database database, ApiKeyOptions options);

namespace detail::apikeys {

/// The key that a request contains, if any, valid or not.
struct Presented {
  bool is_there = false;
  std::optional<ApiKey> key = {};
};

/// Looks the key up, once per request and only if a guard or handler needs it. It also adds Vary,
/// because the responses of these routes depend on the header of the key.
class FindKey {
 public:
  explicit FindKey(std::string header) : header_(std::move(header)) {}
  Task<Presented> operator()(const Request& request, State<ApiKeys> keys) const;
  [[nodiscard]] Middleware middleware() const;
  [[nodiscard]] std::string name() const { return "api_key of the request"; }

 private:
  std::string header_;
};

class KeyGuard {
 public:
  explicit KeyGuard(std::string header) : header_(std::move(header)) {}
  Result<ApiKey> operator()(Extension<Presented> presented) const;
  void describe(Operation& operation) const;
  [[nodiscard]] std::string name() const { return "api_key"; }

 private:
  std::string header_;
};

/// The user of a request, authenticated by a key or a session.
///
/// key  empty: authenticated by the session
struct Caller {
  UserKey user;
  std::optional<ApiKey> key = {};
};

/// Requires a key or a session.
class KeyOrSession {
 public:
  /// cookie  name of the session cookie; empty: unknown, and not documented
  KeyOrSession(KeyGuard keys, std::string cookie)
      : keys_(std::move(keys)), cookie_(std::move(cookie)) {}
  Result<Caller> operator()(Extension<Presented> presented, Extension<session::Entry> session,
                            Extension<session::LoginPrompt> way, const Request& request) const;
  void describe(Operation& operation) const;
  [[nodiscard]] std::string name() const { return "api_key or session"; }

 private:
  KeyGuard keys_;
  std::string cookie_;
};

}  // namespace detail::apikeys

/// Accepts API keys in addition to sessions for all routes of a group: UserKey, and with it the
/// user of add_users, is the owner of the key. An invalid key gets 401, also if the request has a
/// session. OpenAPI documents list both methods as alternatives. Guards of outer groups that need a
/// user run before, and reject keys.
void accept_api_keys(Routes& at, const ApiKeys& keys, const Sessions& sessions);

/// See require_key_scope.
class KeyScopeGuard {
 public:
  explicit KeyScopeGuard(std::string scope) : scope_(std::move(scope)) {}
  Result<void> operator()(Extension<detail::apikeys::Caller> caller) const;
  void describe(Operation& operation) const;
  [[nodiscard]] std::string name() const { return "require_key_scope " + scope_; }

 private:
  std::string scope_;
};

/// Requires a key with that scope, or a session of a user: a user who is logged in may do
/// everything that the other guards allow. Keys without the scope get a 403. Invalid keys, and
/// requests with neither key nor user, get a 401, also if the handler has no user parameter.
[[nodiscard]] inline KeyScopeGuard require_key_scope(std::string scope) {
  return KeyScopeGuard(std::move(scope));
}

}  // namespace eider
