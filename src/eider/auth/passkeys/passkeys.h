// Registration and login with passkeys (WebAuthn, relying party).
// Layering: must not know stores or routes; passkey_store.h and passkey_routes.h do.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/auth/passkeys/passkey.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

enum class PasskeyAlgorithm : std::uint8_t { es256, eddsa, rs256 };

/// Whether the authenticator verifies the user (a PIN, a finger, a face), in addition to presence.
enum class UserVerification : std::uint8_t { required, preferred, discouraged };

struct PasskeyOptions {
  /// The domain: "example.com", for its pages and those of hosts below. It cannot be changed later:
  /// passkeys belong to it.
  std::string relying_party_id;
  /// Origins of the pages that may use them: "https://example.com", "http://localhost:8080". Also
  /// of Android apps: "android:apk-key-hash:…".
  std::vector<std::string> origins;
  /// Name of the service, shown to users. Empty: `relying_party_id`.
  std::string name;
  /// Origins of pages that may embed your pages in a frame and use passkeys there. Empty: none.
  std::vector<std::string> top_origins = {};
  /// Use `required` if the passkey is the only factor; the others suffice in addition to a
  /// password.
  UserVerification user_verification = UserVerification::required;
  /// The authenticator stores the user, so that users need not enter a name.
  bool requires_discoverable = true;
  /// Supported algorithms; authenticators prefer the first one.
  std::vector<PasskeyAlgorithm> algorithms = {PasskeyAlgorithm::eddsa, PasskeyAlgorithm::es256,
                                              PasskeyAlgorithm::rs256};
  /// Certificates in PEM. If set, authenticators must prove their model with a certificate issued
  /// by one of these; revocation is not checked. Empty: no attestation is requested.
  std::string attestation_roots = {};
  /// Time limit of a ceremony, in whole seconds.
  Duration lifetime = std::chrono::minutes(5);
  /// Keys that seal started ceremonies; at least 32 secret bytes each. The first one seals, all are
  /// accepted. Empty: a random key, so that started ceremonies are valid only in this process.
  std::vector<std::string> keys = {};
  /// Maximum number of logins within `lifetime`, each of which is remembered. Above it, logins get
  /// a 503, as do more than 256 of one user.
  std::size_t logins_max = 100'000;
  /// Rejects a login whose counter did not increase, because the authenticator may have been
  /// copied. false: accepts it, with PasskeyLogin::counter_not_increased.
  bool requires_counter_increase = true;
};

/// The result of a registration.
struct PasskeyRegistration {
  PasskeyUser user;
  Passkey passkey;
};

/// passkey            with new counter, is_backed_up and used: store it
/// is_verified        the authenticator has verified the user for this login
/// counter_not_increased  the authenticator may have been copied
struct PasskeyLogin {
  Passkey passkey;
  bool is_verified = false;
  bool counter_not_increased = false;
};

namespace detail::passkeys {
class RelyingParty;
}

/// Starts and finishes registrations and logins. Cheap to copy; usable from any event loop.
///
///     const Passkeys keys({.relying_party_id = "example.com",
///                          .origins = {"https://example.com"}, .name = "Example"});
///
/// The begin functions return JSON for the browser: {"publicKey": …, "ticket": …}. Pass `publicKey`
/// to PublicKeyCredential.parseCreationOptionsFromJSON or parseRequestOptionsFromJSON. The finish
/// functions accept {"credential": …, "ticket": …}: the result of the credential's toJSON(), and
/// the unchanged ticket.
///
/// Nothing is stored between the two. A sealed ticket describes the started ceremony, expires, is
/// valid for one login, and only for one browser: `browser` is a secret of this browser, such as a
/// cookie, the same text in both calls.
///
/// Pre: on an event loop, whose clock is used.
/// source  WebAuthn Level 3, sections 7.1 and 7.2; docs/design/passkeys.md has each step
class Passkeys {
 public:
  /// Throws a Failure for invalid options.
  explicit Passkeys(PasskeyOptions options);

  /// Throws std::invalid_argument for a user without key or name.
  ///
  /// known  existing passkeys of the user, which are not created again; the first 64 are used
  [[nodiscard]] std::string begin_registration(const PasskeyUser& user, std::string_view browser,
                                               const std::vector<Passkey>& known = {}) const;
  /// The passkey has no name, and is not stored yet. Store it only if its id does not exist:
  /// otherwise a passkey of another user could be taken over, and one response would count twice.
  [[nodiscard]] Result<PasskeyRegistration, PasskeyError> finish_registration(
      std::string_view json, std::string_view browser) const;

  /// Starts a login without a user name: the browser offers the passkeys that the authenticator
  /// stores.
  [[nodiscard]] std::string begin_login(std::string_view browser) const;
  /// Starts a login of this user with one of these passkeys: to confirm the identity again, or
  /// after a password. An empty list accepts none; the first 64 are used. Throws
  /// std::invalid_argument for an empty key.
  [[nodiscard]] std::string begin_login_of(const std::string& user_key, std::string_view browser,
                                           const std::vector<Passkey>& known) const;

  /// Returns the passkey with that id, of any user; nothing if it does not exist.
  using Find = std::function<Task<std::optional<Passkey>>(std::string id)>;
  /// The login is valid after the changes of the passkey are stored, if it still exists.
  [[nodiscard]] Task<Result<PasskeyLogin, PasskeyError>> finish_login(std::string json,
                                                                      std::string browser,
                                                                      Find find) const;

  [[nodiscard]] const PasskeyOptions& options() const noexcept;

 private:
  std::shared_ptr<detail::passkeys::RelyingParty> party_;
};

}  // namespace eider
