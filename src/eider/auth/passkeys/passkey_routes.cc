#include "eider/auth/passkeys/passkey_routes.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "eider/app/app.h"
#include "eider/app/handlers/extract.h"
#include "eider/auth/passkeys/relying_party.h"
#include "eider/auth/session/users.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/reflect/constraints.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/cookie.h"
#include "eider/web/assets/assets.h"
#include "eider/web/assets/embedded.h"

/// Made by eider_assets() of assets/. Not its header, so that this file compiles where nothing has
/// been made yet.
[[nodiscard]] eider::EmbeddedAssets eider_passkeys_assets() noexcept;

namespace eider {

namespace detail::passkeys {

namespace {

constexpr std::size_t kBrowserBytes = 32;
/// Of those bytes in base64url.
constexpr std::size_t kBrowserLetters = 43;

struct NewPasskey {
  /// Of a stranger, who wants an account.
  std::optional<Sized<std::string, 1, 128>> name = {};
};

/// The handlers of the four routes.
class Desk {
 public:
  Desk(PasskeyRoutes options, Passkeys keys, const SessionOptions& visits)
      : options_(std::move(options)),
        keys_(std::move(keys)),
        is_secure_(visits.is_secure),
        cookie_(visits.is_secure ? "__Host-passkey" : "passkey"),
        session_cookie_(visits.cookie) {}

  Task<Result<Response>> begin_registration(Json<NewPasskey> wanted, Session<> session,
                                            Extension<session::Entry> entry,
                                            const Request& request) const {
    std::string cookie = cookie_or_new(request);
    const Result<PasskeyUser> user = co_await who_registers(std::move(wanted), session.user());
    if (!user) {
      co_return fail(user.error());
    }
    const std::vector<Passkey> known = co_await options_.store->list(user->key);
    if (!session.user().empty() && !entry->was_proven_within(options_.add_within, now_s())) {
      co_return fail(too_long_ago(known.empty()));
    }
    if (session.user().empty() && !known.empty()) {
      co_return fail(Error::conflict("This account name is already in use."));
    }
    if (known.size() >= options_.passkeys_max) {
      co_return fail(too_many());
    }
    const std::string bound_to = bound(cookie, session.user());
    co_return beginning(keys_.begin_registration(*user, bound_to, known), std::move(cookie));
  }

  Task<Result<void>> finish_registration(Body body, Session<> session,
                                         const Request& request) const {
    const auto cookie = cookie_of(request);
    if (auto json = app::expect_content_type(request, "application/json"); !json) {
      co_return fail(std::move(json.error()));
    }
    auto made = keys_.finish_registration(body.view(), bound(cookie.value_or(""), session.user()));
    if (!made) {
      co_return fail(refusal(made.error()));
    }
    const std::string key = made->user.key;
    const bool is_stranger = session.user().empty();
    auto keeping = is_stranger ? create(std::move(*made)) : keep(std::move(made->passkey), request);
    Result<void> kept = co_await std::move(keeping);
    if (kept && is_stranger) {
      session.log_in(key);
    }
    co_return kept;
  }

  Result<Response> begin_login(Session<> session, const Request& request) const {
    if (auto json = app::expect_content_type(request, "application/json"); !json) {
      return fail(std::move(json.error()));
    }
    std::string cookie = cookie_or_new(request);
    const std::string bound_to = bound(cookie, session.user());
    return beginning(keys_.begin_login(bound_to), std::move(cookie));
  }

  Task<Result<void>> finish_login(Body body, Session<> session, const Request& request) const {
    const auto cookie = cookie_of(request);
    if (auto json = app::expect_content_type(request, "application/json"); !json) {
      co_return fail(std::move(json.error()));
    }
    auto login = co_await keys_.finish_login(std::string(body.view()),
                                             bound(cookie.value_or(""), session.user()), finder());
    if (!login) {
      co_return fail(refusal(login.error()));
    }
    const auto rule = options_.relying_party.requires_counter_increase ? CounterRule::must_increase
                                                                       : CounterRule::may_decrease;
    auto noting = options_.store->note_use(login->passkey, rule);
    if (const bool is_noted = co_await std::move(noting); !is_noted) {
      co_return fail(refusal(co_await why_not_noted(login->passkey.id)));
    }
    // Who removes a passkey ends the sessions that there are, and would miss this one.
    session.log_in(login->passkey.user, [find = finder(), passkey = login->passkey] {
      return is_still_his(find, passkey);
    });
    co_return Result<void>();
  }

 private:
  [[nodiscard]] Error refusal(const PasskeyError& error) const {
    if (options_.on_rejected) {
      options_.on_rejected(error);
    }
    return to_error(error);
  }

  /// What the browser is told by.
  [[nodiscard]] std::optional<std::string_view> cookie_of(const Request& request) const {
    const auto found = app::find_cookie(request, cookie_);
    // It goes back as it came: nothing that anybody has made up may stand in a field.
    const bool is_one = found && found->size() == kBrowserLetters && from_base64url(*found);
    return is_one ? found : std::nullopt;
  }

  /// One cookie for all that a browser begins, so that its tabs do not undo each other's.
  [[nodiscard]] std::string cookie_or_new(const Request& request) const {
    const auto found = cookie_of(request);
    return found ? std::string(*found) : to_base64url(secret_bytes(kBrowserBytes));
  }

  /// What is begun by one user cannot be finished as another, on one browser as well.
  [[nodiscard]] static std::string bound(std::string_view cookie, const std::string& user) {
    return std::string(cookie) + "\n" + user;
  }

  [[nodiscard]] static std::int64_t now_s() { return Loop::current().wall_seconds(); }

  [[nodiscard]] Response beginning(std::string json, std::string cookie) const {
    Response response;
    response.set_static_type("application/json");
    response.set_body(std::move(json));
    response.add_header("Cache-Control", "no-store");
    response.add_header("Set-Cookie", set_cookie(std::move(cookie)));
    return response;
  }

  [[nodiscard]] std::string set_cookie(std::string value) const {
    return *to_header_value({.name = cookie_,
                             .value = std::move(value),
                             .same_site = SameSite::strict,
                             .secure = is_secure_});
  }

  [[nodiscard]] Passkeys::Find finder() const {
    return [store = options_.store](std::string id) -> Task<std::optional<Passkey>> {
      const std::unique_ptr<Passkey> found = co_await store->find(std::move(id));
      co_return found == nullptr ? std::nullopt : std::optional(std::move(*found));
    };
  }

  [[nodiscard]] Task<Result<PasskeyUser>> who_registers(Json<NewPasskey> wanted,
                                                        std::string user_key) const {
    const PasskeyAccounts& accounts = options_.accounts;
    const bool is_stranger = user_key.empty();
    if (!is_stranger && wanted->name) {
      co_return fail(Error::conflict("You are logged in. Log out first."));
    }
    if (is_stranger && !wanted->name && accounts.new_user) {
      co_return fail(Error::invalid({{.pointer = "/name", .detail = "is required"}}));
    }
    if (is_stranger ? !accounts.new_user : !accounts.user) {
      co_return fail(is_stranger ? Error::unauthorized("Log in first.")
                                 : Error::forbidden("Passkeys cannot be added."));
    }
    auto asking =
        is_stranger ? accounts.new_user(std::string(**wanted->name)) : accounts.user(user_key);
    Result<PasskeyUser> user = co_await std::move(asking);
    if (user && !is_stranger && user->key != user_key) {
      co_return fail(Error::internal("passkeys: `accounts.user` returned the key of another user"));
    }
    co_return user;
  }

  [[nodiscard]] static Task<bool> is_still_his(Passkeys::Find find, Passkey passkey) {
    const std::optional<Passkey> found = co_await find(passkey.id);
    co_return found && found->user == passkey.user;
  }

  /// Something has come between the passkey's check and its note.
  [[nodiscard]] Task<PasskeyError> why_not_noted(std::string id) const {
    const std::unique_ptr<Passkey> found = co_await options_.store->find(std::move(id));
    if (found == nullptr) {
      co_return PasskeyError{PasskeyFault::unknown, "the passkey no longer exists"};
    }
    co_return PasskeyError{
        PasskeyFault::counter_not_increased,
        "its counter was used at the same time: the passkey may have been copied"};
  }

  [[nodiscard]] static PasskeyError known() {
    return {PasskeyFault::already_known, "the passkey was registered in the meantime"};
  }
  /// The script answers a 401 by asking for a passkey, which somebody without one cannot show.
  [[nodiscard]] Error too_long_ago(bool has_none) const {
    constexpr const char* kAdvice =
        "Your login is too old for this action. Log in again to add a passkey.";
    Error error = has_none ? Error::forbidden(kAdvice) : Error::unauthorized(kAdvice);
    error.with_header("WWW-Authenticate", "Cookie cookie-name=\"" + session_cookie_ + '"' +
                                              session::stale_login(options_.add_within));
    return error;
  }
  [[nodiscard]] static Error too_many() {
    return Error::conflict("You have too many passkeys. Remove one first.");
  }

  /// Of somebody who is logged in.
  [[nodiscard]] Task<Result<void>> keep(Passkey passkey, const Request& request) const {
    const std::string id = passkey.id;
    // First: a thief who leaves as soon as his passkey is kept would have it in silence.
    if (options_.before_add) {
      co_await options_.before_add(passkey, request);
    }
    auto inserting = options_.store->insert(std::move(passkey), options_.passkeys_max);
    if (const bool is_new = co_await std::move(inserting); is_new) {
      co_return Result<void>();
    }
    const std::unique_ptr<Passkey> found = co_await options_.store->find(id);
    co_return fail(found == nullptr ? too_many() : refusal(known()));
  }

  /// An account that has passkeys is somebody's, whatever `create` says of it.
  [[nodiscard]] Task<Result<void>> create(PasskeyRegistration made) const {
    const std::unique_ptr<Passkey> found = co_await options_.store->find(made.passkey.id);
    if (found != nullptr) {
      co_return fail(refusal(known()));
    }
    const std::vector<Passkey> all = co_await options_.store->list(made.user.key);
    if (!all.empty()) {
      co_return fail(Error::conflict("This account name is already in use."));
    }
    const Passkey passkey = made.passkey;
    Result<void> created =
        co_await options_.accounts.create(std::move(made.user), std::move(made.passkey));
    if (!created) {
      co_return created;
    }
    const std::unique_ptr<Passkey> kept = co_await options_.store->find(passkey.id);
    if (kept == nullptr || kept->user != passkey.user) {
      co_return fail(Error::internal("passkeys: `accounts.create` did not store the passkey"));
    }
    co_return Result<void>();
  }

  const PasskeyRoutes options_;
  const Passkeys keys_;
  const bool is_secure_;
  const std::string cookie_;
  const std::string session_cookie_;
};

PasskeyRoutes checked_routes(PasskeyRoutes options) {
  if (options.store == nullptr) {
    throw Failure(Error::internal("passkeys: Set `store`"));
  }
  if ((options.accounts.new_user == nullptr) != (options.accounts.create == nullptr)) {
    throw Failure(Error::internal("passkeys: Set `new_user` and `create` together"));
  }
  return options;
}

}  // namespace

}  // namespace detail::passkeys

PasskeySite add_passkeys(App& app, const Sessions& visits, PasskeyRoutes options,
                         std::source_location where) {
  using detail::passkeys::Desk;
  options = detail::passkeys::checked_routes(std::move(options));
  const Passkeys keys(options.relying_party);
  const auto store = options.store;
  const std::string prefix = options.prefix;
  app.state<Desk>(std::move(options), keys, visits.options());
  app.on_start("passkeys", [store] { return store->start(); });
  const auto add = [&](const char* path, auto handler, const char* summary) {
    app.post(RuntimePattern{prefix + path, where}, handler)
        .body_bytes_max(detail::passkeys::kResponseBytesMax)
        .docs({.summary = summary, .tags = {"passkeys"}});
  };
  add("/registration/options", &Desk::begin_registration, "Starts the registration of a passkey");
  add("/registration", &Desk::finish_registration, "Stores a new passkey");
  add("/login/options", &Desk::begin_login, "Starts a login with a passkey");
  add("/login", &Desk::finish_login, "Logs in with a passkey");
  const Assets assets = serve_assets(app, eider_passkeys_assets(), {.prefix = prefix}, where);
  return {keys, store, assets.url("passkeys.js")};
}

}  // namespace eider
