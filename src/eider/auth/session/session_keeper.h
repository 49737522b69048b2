// Brings a request its session, and keeps what became of it, ahead of the answer's head.
// Must not know what applications keep in sessions: entries do (session_entry.h).
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

/// Sessions as a whole in their cookies, which browsers bring back: no store, and nothing to be
/// ended from here.
///
/// keys  32 bytes or more each, of nobody else. The first signs, all are taken: to change it, put a
///       new one in front, and take the old one away when `absolute` is over.
struct SignedSessions {
  std::vector<std::string> keys;
};

struct SessionOptions {
  /// Where they are kept: memory_sessions(), sql_sessions(database), a store of your own, or
  /// SignedSessions. Null: memory_sessions().
  std::variant<std::shared_ptr<SessionStore>, SignedSessions> store = {};
  /// How long one lasts that nobody uses, in whole seconds. Uses are noted twenty times in that
  /// time at most, so it may be a twentieth less; in SignedSessions once half of it is over.
  Duration idle = std::chrono::minutes(30);
  /// How long one lasts however much it is used.
  Duration absolute = std::chrono::hours(12);
  /// A name with __Host- cannot be set by other hosts of the domain, and needs `is_secure`. Empty:
  /// `__Host-session`, and `session` without `is_secure`.
  std::string cookie = {};
  /// What keeps those of one application apart from another's in one store, and from what signs
  /// with the same keys: the name of the cookie, where it is empty. It has no blank.
  std::string space = {};
  /// Over TLS alone. Without it, and with another name, a service in the clear works in all
  /// browsers, as in development.
  bool is_secure = true;
  SameSite same_site = SameSite::lax;
  /// The cookie outlasts the browser, until `absolute` is over: "remember me".
  bool outlasts_browser = false;
  /// A store that has not answered by then makes the answer a 503.
  Duration store_within = std::chrono::seconds(5);
  /// Of one session's struct and of its flashes, as JSON each; more is a 500.
  std::size_t data_bytes_max = std::size_t{64} << 10U;
};

namespace detail::session {

class Keeper : public std::enable_shared_from_this<Keeper> {
 public:
  /// Throws a Failure for keys that are none, a cookie that cannot be called so, and times of
  /// nothing.
  explicit Keeper(SessionOptions options);

  /// Throws a Failure, a 503, where the store does not say.
  [[nodiscard]] Task<Entry> load(Request& request) const;
  /// Around handlers.
  [[nodiscard]] Task<Response> answer(Request& request, Next next) const;

  [[nodiscard]] Task<> start() const;
  [[nodiscard]] Task<> sweep() const;
  [[nodiscard]] Task<> end(std::string name) const;
  [[nodiscard]] Task<std::size_t> end_all(std::string user) const;
  [[nodiscard]] Task<std::size_t> end_others(const Entry& entry) const;
  [[nodiscard]] Task<std::vector<KnownSession>> list(std::string user) const;
  /// Begins one beside any request. Returns the cookie as a browser sends it.
  [[nodiscard]] Task<std::string> begin_for(std::string user) const;

  [[nodiscard]] const SessionOptions& options() const noexcept { return options_; }
  /// What a form's token belongs to; see Sessions::csrf_binding.
  [[nodiscard]] std::string csrf_binding(const Request& request) const;

 private:
  class EndedWhenLeft;

  /// Throws a Failure, a 503, for what the store throws, and where it takes too long.
  template <class F>
  [[nodiscard]] std::invoke_result_t<F&> in_time(F call) const;
  /// Throws a Failure where sessions are in their cookies.
  [[nodiscard]] SessionStore& store() const;
  [[nodiscard]] bool lives(const SessionRecord& record, std::int64_t now) const noexcept;
  [[nodiscard]] bool is_to_be_touched(const Entry& entry, std::int64_t now) const noexcept;
  void check_size(const SessionRecord& record) const;
  /// Who reads the store has no id.
  [[nodiscard]] std::string name_of(std::string_view id) const;
  [[nodiscard]] std::string owner_of(const std::string& user) const;
  [[nodiscard]] Task<std::unique_ptr<SessionRecord>> find(std::string id) const;
  /// The request's entry that is of this one; null where nobody has asked for it.
  [[nodiscard]] Entry* entry_of(Request& request) const noexcept;

  [[nodiscard]] Task<> keep(const Entry& entry, Response& response) const;
  [[nodiscard]] Task<> renew(const Entry& entry, Response& response) const;
  [[nodiscard]] Task<> part(const Entry& entry, Response& response) const;
  /// Comes to its end also where nobody waits for that any more.
  [[nodiscard]] Task<> erase(std::string id) const;
  struct Erasing;
  [[nodiscard]] Task<> run_erase(std::shared_ptr<Erasing> erasing) const;
  [[nodiscard]] Task<> begin(const Entry& entry, Response& response) const;
  [[nodiscard]] Task<> check_still_good(const Entry& entry, std::string id) const;
  [[nodiscard]] Task<> change(const Entry& entry, Response& response) const;
  [[nodiscard]] Task<> note_use(const Entry& entry, Response& response) const;
  /// id  under which it is by now
  [[nodiscard]] Task<> replace(const Entry& entry, std::string id) const;
  [[nodiscard]] Task<bool> try_replace(std::string name, SessionRecord record) const;
  /// Stores one under a new id. Returns the cookie's value.
  [[nodiscard]] Task<std::string> insert(SessionRecord record) const;
  void set_cookie(Response& response, std::string value, std::int64_t began) const;
  /// The whole of a session, as it is used now. Pre: sessions are in their cookies.
  void set_signed_cookie(Response& response, std::string_view id, SessionRecord record) const;
  void remove_cookie(Response& response) const;
  void add_cookie(Response& response, std::string_view field) const;

  SessionOptions options_;
  std::int64_t idle_s_;
  std::int64_t absolute_s_;
  std::shared_ptr<SessionStore> store_;  // null: they are in their cookies
  std::optional<SignedCookie> signed_;
  LoopLocal<Scope> erasing_;
};

}  // namespace detail::session
}  // namespace eider
