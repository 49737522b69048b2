// Loads the session of a request, and stores its changes before the response headers.
// Layering: must not know the contents of sessions; entries do (session_entry.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "eider/app/handlers/middleware.h"
#include "eider/auth/session/session_entry.h"
#include "eider/auth/session/session_store.h"
#include "eider/auth/session/signed_cookie.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/cookie.h"

namespace eider {

/// Stores whole sessions in signed cookies: without a store, and sessions cannot be ended by the
/// server.
///
/// keys  at least 32 secret bytes each. The first one signs, all are accepted: to replace a key,
///       insert a new one at the front, and remove the old one when `absolute` has passed.
struct SignedSessions {
  std::vector<std::string> keys;
};

struct SessionOptions {
  /// The session store: memory_sessions(), sql_sessions(database), a custom store, or
  /// SignedSessions. Null: memory_sessions().
  std::variant<std::shared_ptr<SessionStore>, SignedSessions> store = {};
  /// Lifetime of an unused session, in whole seconds. Uses are recorded at most twenty times in
  /// that period, so it may be a twentieth shorter; with SignedSessions, once half of it has
  /// passed.
  Duration idle = std::chrono::minutes(30);
  /// Maximum lifetime of a session, however much it is used.
  Duration absolute = std::chrono::hours(12);
  /// A name with __Host- cannot be set by other hosts of the domain, and needs `is_secure`. Empty:
  /// `__Host-session`, and `session` without `is_secure`.
  std::string cookie = {};
  /// Separates the sessions of several applications in one store, or with the same keys. Default:
  /// the name of the cookie. No spaces.
  std::string space = {};
  /// Sends the cookie only over TLS. If false and the name has no __Host-, an unencrypted service
  /// works in all browsers, for example during development.
  bool is_secure = true;
  SameSite same_site = SameSite::lax;
  /// Keeps the cookie when the browser is closed, until `absolute` has passed: "remember me".
  bool outlasts_browser = false;
  /// Time limit of the store; after it, the response is a 503.
  Duration store_within = std::chrono::seconds(5);
  /// Maximum size of a session's struct, and of its flash messages, as JSON; larger ones get a 500.
  std::size_t data_bytes_max = std::size_t{64} << 10U;
};

namespace detail::session {

class Keeper : public std::enable_shared_from_this<Keeper> {
 public:
  /// Throws a Failure for invalid keys, an invalid cookie name, and times below one second.
  explicit Keeper(SessionOptions options);

  /// Throws a Failure, a 503, if the store is not available.
  [[nodiscard]] Task<Entry> load(Request& request) const;
  /// Stores the use of the session before a request body that can arrive slowly.
  [[nodiscard]] Task<> note_use_before_body(Entry& entry) const;
  /// The middleware around handlers.
  [[nodiscard]] Task<Response> respond(Request& request, Next next) const;

  [[nodiscard]] Task<> start() const;
  [[nodiscard]] Task<> sweep() const;
  [[nodiscard]] Task<> end(std::string name) const;
  [[nodiscard]] Task<std::size_t> log_out_all(std::string user) const;
  [[nodiscard]] Task<std::size_t> log_out_others(const Entry& entry) const;
  [[nodiscard]] Task<std::vector<KnownSession>> list(std::string user) const;
  /// Starts a session outside of a request. Returns the cookie as a browser sends it.
  [[nodiscard]] Task<std::string> log_in(std::string user) const;

  [[nodiscard]] const SessionOptions& options() const noexcept { return options_; }
  /// Returns the value that CSRF tokens belong to; see Sessions::csrf_binding.
  [[nodiscard]] std::string csrf_binding(const Request& request) const;

 private:
  class EndedWhenLeft;

  /// Throws a Failure, a 503, for exceptions and timeouts of the store.
  template <class F>
  [[nodiscard]] std::invoke_result_t<F&> in_time(F call) const;
  /// Throws a Failure for sessions in cookies.
  [[nodiscard]] SessionStore& store() const;
  [[nodiscard]] bool lives(const SessionRecord& record, std::int64_t now) const noexcept;
  [[nodiscard]] bool is_to_be_touched(const Entry& entry, std::int64_t now) const noexcept;
  void check_size(const SessionRecord& record) const;
  /// Returns the name in the store, from which the id cannot be derived.
  [[nodiscard]] std::string name_of(std::string_view id) const;
  [[nodiscard]] std::string owner_of(const std::string& user) const;
  [[nodiscard]] Task<std::unique_ptr<SessionRecord>> find(std::string id) const;
  /// Throws a Failure, a 401, if the session of a user was ended, or reached its maximum lifetime,
  /// while the request body arrived.
  [[nodiscard]] Task<> check_not_ended(const Request& request, const Entry& entry) const;
  /// Returns the entry of the request for this session; null if it was not loaded.
  [[nodiscard]] Entry* entry_of(Request& request) const noexcept;

  [[nodiscard]] Task<> keep(const Entry& entry, Response& response) const;
  [[nodiscard]] Task<> renew(const Entry& entry, Response& response) const;
  [[nodiscard]] Task<> part(const Entry& entry, Response& response) const;
  /// Completes even if the caller stops waiting.
  [[nodiscard]] Task<> erase(std::string id) const;
  struct Erasing;
  [[nodiscard]] Task<> run_erase(std::shared_ptr<Erasing> erasing) const;
  [[nodiscard]] Task<> begin(const Entry& entry, Response& response) const;
  [[nodiscard]] Task<> check_still_good(const Entry& entry, std::string id) const;
  [[nodiscard]] Task<> change(const Entry& entry, Response& response) const;
  [[nodiscard]] Task<> note_use(const Entry& entry, Response& response) const;
  /// Returns whether the store has the record with this use now. Does not throw.
  [[nodiscard]] Task<bool> store_use(const Entry& entry, std::int64_t now) const;
  /// id  current id in the store
  [[nodiscard]] Task<> replace(const Entry& entry, std::string id) const;
  [[nodiscard]] Task<bool> try_replace(std::string name, SessionRecord record) const;
  /// Stores a session under a new id. Returns the cookie value.
  [[nodiscard]] Task<std::string> insert(SessionRecord record) const;
  void set_cookie(Response& response, std::string value, std::int64_t began) const;
  /// Sets the cookie with the whole session, with the current time as its last use. Pre:
  /// SignedSessions.
  void set_signed_cookie(Response& response, std::string_view id, SessionRecord record) const;
  void remove_cookie(Response& response) const;
  void keep_pending_login(const Entry& entry, Response& response) const;
  void add_cookie(Response& response, std::string_view field) const;

  SessionOptions options_;
  std::string pending_cookie_;  // for logins that wait for their second step
  std::int64_t idle_s_;
  std::int64_t absolute_s_;
  std::shared_ptr<SessionStore> store_;  // null: SignedSessions
  std::optional<SignedCookie> signed_;
  LoopLocal<Scope> erasing_;
};

}  // namespace detail::session
}  // namespace eider
