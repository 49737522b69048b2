// Routes for registration and login with passkeys, and the script that requests them.
// Layering: must not know accounts; the application allows and creates them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <utility>

#include "eider/auth/passkeys/passkey.h"
#include "eider/auth/passkeys/passkey_store.h"
#include "eider/auth/passkeys/passkeys.h"
#include "eider/auth/session/session.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// Connects passkeys to the accounts of the application.
struct PasskeyAccounts {
  /// Returns the logged-in user who adds a passkey, by the key of the session. Null: adding is not
  /// allowed.
  std::function<Task<Result<PasskeyUser>>(std::string user_key)> user = {};
  /// Returns the future user for a new account with that name, or an error. Nothing is created yet.
  /// Null: sign-up is not allowed.
  std::function<Task<Result<PasskeyUser>>(std::string name)> new_user = {};
  /// Creates the account of a new user with the first passkey, in one transaction (insert_passkey),
  /// because the browser may disconnect and a store may fail in between. Must fail if the account
  /// now exists: another user may have taken the name since `new_user`.
  std::function<Task<Result<void>>(PasskeyUser user, Passkey passkey)> create = {};
};

struct PasskeyRoutes {
  PasskeyOptions relying_party;
  /// memory_passkeys(), sql_passkeys(database), or a store of your own.
  std::shared_ptr<PasskeyStore> store;
  PasskeyAccounts accounts;
  /// Prefix of the paths of the routes and the script.
  std::string prefix = "/passkeys";
  /// Called with the reason when a passkey is rejected, which clients do not see: for a log, or an
  /// alarm when a counter went back. Called on any event loop; an exception leads to a 500.
  std::function<void(const PasskeyError& error)> on_rejected = {};
  /// Called before a logged-in user adds a passkey. Inform the user by mail, because a thief of the
  /// session may do this, and a passkey stays valid after a change of the password. It is called
  /// before storing, so that no passkey is stored without notice; storing may still fail. Called on
  /// any event loop; an exception leads to a 500, and nothing is stored.
  ///
  /// request  of the browser, for example for the language of that mail; outlives the task
  std::function<Task<>(Passkey passkey, const Request& request)> before_add = {};
  /// Maximum number of passkeys of one user; more get a 409.
  std::size_t passkeys_max = 32;
  /// Maximum time since the last authentication (here or with Session::log_in) for adding a
  /// passkey. Later requests get a 401, and the script requests an existing passkey; users without
  /// one get a 403. Users without a usable passkey are redirected to the page in `data-login` of
  /// the form, and return from there (see require_recent_login). Otherwise, a person who finds an
  /// open browser or steals its session could keep access permanently. Duration::max(): no limit.
  Duration add_within = std::chrono::minutes(10);
};

/// The routes that `add_passkeys` has added. Cheap to copy.
class PasskeySite {
 public:
  PasskeySite(Passkeys keys, std::shared_ptr<PasskeyStore> store, std::string script)
      : keys_(std::move(keys)), store_(std::move(store)), script_(std::move(script)) {}

  /// Returns the URL of the script, a module: `<script type="module" src="…"></script>`.
  [[nodiscard]] const std::string& script() const noexcept { return script_; }
  [[nodiscard]] const std::shared_ptr<PasskeyStore>& store() const noexcept { return store_; }
  [[nodiscard]] const Passkeys& keys() const noexcept { return keys_; }

 private:
  Passkeys keys_;
  std::shared_ptr<PasskeyStore> store_;
  std::string script_;
};

/// Adds passkeys to an app: POST /passkeys/registration/options and /passkeys/registration, POST
/// /passkeys/login/options and /passkeys/login, and the script. After sign-up or login, the user is
/// logged in (Session::log_in).
///
///     const Sessions visits = add_sessions<Visit>(app, {.store = sql_sessions(database)});
///     const PasskeySite site = add_passkeys(app, visits, {
///         .relying_party = {.relying_party_id = "example.com", .origins = {"https://example.com"},
///                   .name = "Example"},
///         .store = sql_passkeys(database), .accounts = {…}});
///
/// A started ceremony is bound to the browser by a separate cookie, and to the logged-in user.
/// Throws a Failure for invalid options, and if the app already has passkeys.
PasskeySite add_passkeys(App& app, const Sessions& visits, PasskeyRoutes options,
                         std::source_location where = std::source_location::current());

}  // namespace eider
