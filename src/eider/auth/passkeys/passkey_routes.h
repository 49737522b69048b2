// The routes by which people register with a passkey and log in, and the script that asks them.
// Must not know accounts: the application says who may have one, and makes it.
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

/// Who somebody is, in the application's words.
struct PasskeyAccounts {
  /// Of somebody who is logged in, by the key of his session, and adds a passkey. Null: nobody may.
  std::function<Task<Result<PasskeyUser>>(std::string user_key)> user = {};
  /// Of a stranger who wants an account of that name: the one that it would be, or why not. Nothing
  /// is made yet. Null: nobody may.
  std::function<Task<Result<PasskeyUser>>(std::string name)> newcomer = {};
  /// Makes the account of a stranger with his first passkey, both or neither: in one transaction
  /// (insert_passkey), since his browser may leave and a store may fail between the two. Refuses
  /// where the account is there by now: since `newcomer` anybody may have taken the name.
  std::function<Task<Result<void>>(PasskeyUser user, Passkey passkey)> create = {};
};

struct PasskeyRoutes {
  PasskeyOptions party;
  /// memory_passkeys(), sql_passkeys(database), or a store of your own.
  std::shared_ptr<PasskeyStore> store;
  PasskeyAccounts accounts;
  /// Below which the routes and the script lie.
  std::string prefix = "/passkeys";
  /// Is told why a passkey was refused, which clients are not: for a log, or an alarm where a
  /// counter went back. Called on any loop; what it throws is a 500.
  std::function<void(const PasskeyError& error)> refused = {};
  /// Is told of each passkey that somebody who is logged in adds: mail him, since a thief of his
  /// session may be at it, and a passkey outlives a new password. It is told ahead of the store, so
  /// that a browser that leaves in between keeps none that nobody was told of; now and then of one
  /// that is not kept. Called on any loop; what it throws is a 500, and nothing is kept.
  ///
  /// request  of his browser, such as for the language of that mail; outlives the task
  std::function<Task<>(Passkey passkey, const Request& request)> adding = {};
  /// Of one user; more are a 409.
  std::size_t passkeys_max = 32;
  /// How long ago a user may have shown who he is who adds one, here or by whatever has called
  /// Session::begin_for; later it is a 401, and the script asks for a passkey that he has; of who
  /// has none a 403. Who has none, or none at hand, is sent to the page that `data-login` of the
  /// form says, and comes back from there (see needs_fresh_login). Else who finds his browser open,
  /// or steals its session for a while, stays for good. Duration::max(): however long ago.
  Duration add_within = std::chrono::minutes(10);
};

/// What `passkeys` has added. Cheap to copy.
class PasskeySite {
 public:
  PasskeySite(Passkeys keys, std::shared_ptr<PasskeyStore> store, std::string script)
      : keys_(std::move(keys)), store_(std::move(store)), script_(std::move(script)) {}

  /// The address of the script, a module: `<script type="module" src="…"></script>`.
  [[nodiscard]] const std::string& script() const noexcept { return script_; }
  [[nodiscard]] const std::shared_ptr<PasskeyStore>& store() const noexcept { return store_; }
  [[nodiscard]] const Passkeys& keys() const noexcept { return keys_; }

 private:
  Passkeys keys_;
  std::shared_ptr<PasskeyStore> store_;
  std::string script_;
};

/// Adds them: POST /passkeys/registration/options and /passkeys/registration, POST
/// /passkeys/login/options and /passkeys/login, and the script. Who has registered as a newcomer,
/// and who has logged in, has a session that is his (Session::begin_for).
///
///     const Sessions visits = sessions<Visit>(app, {.store = sql_sessions(database)});
///     const PasskeySite site = passkeys(app, visits, {
///         .party = {.relying_party_id = "example.com", .origins = {"https://example.com"},
///                   .name = "Example"},
///         .store = sql_passkeys(database), .accounts = {…}});
///
/// What was begun belongs to a browser by a cookie of its own, and to whoever was logged in there.
/// Throws a Failure for options that cannot be, and where the app has passkeys already.
PasskeySite passkeys(App& app, const Sessions& visits, PasskeyRoutes options,
                     std::source_location where = std::source_location::current());

}  // namespace eider
