// Passkeys: people register with their authenticator and log in with it (WebAuthn, relying party).
// Must not know where passkeys are kept, nor routes: passkey_store.h and passkey_routes.h do.
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

/// Whether the authenticator asks who is there (a PIN, a finger, a face), beside that somebody is.
enum class UserVerification : std::uint8_t { required, preferred, discouraged };

struct PasskeyOptions {
  /// The domain: "example.com", for its pages and those of hosts below. It cannot be changed later:
  /// passkeys belong to it.
  std::string relying_party_id;
  /// Whose pages may use them, each as a browser writes it: "https://example.com",
  /// "http://localhost:8080".
  std::vector<std::string> origins;
  /// What people are shown.
  std::string name;
  /// Of pages that may have ours in a frame, where passkeys are used there. Empty: none may.
  std::vector<std::string> top_origins = {};
  /// A passkey that is all one shows has to say who is there: `required`. Where it is asked for
  /// beside a password the others will do.
  UserVerification user_verification = UserVerification::required;
  /// The authenticator remembers whose passkey it is, so that nobody is asked for a name.
  bool needs_discoverable = true;
  /// The first is what an authenticator that can do several takes.
  std::vector<PasskeyAlgorithm> algorithms = {PasskeyAlgorithm::eddsa, PasskeyAlgorithm::es256,
                                              PasskeyAlgorithm::rs256};
  /// Certificates in PEM. Where there are some, authenticators have to say by one below these which
  /// model they are; that a certificate was withdrawn is not looked up. Empty: nobody is asked.
  std::string attestation_roots = {};
  /// From begin to finish, in whole seconds.
  Duration lifetime = std::chrono::minutes(5);
  /// Seal what was begun; 32 bytes or more, of nobody else. The first seals, all are taken. Empty:
  /// a random one, so that what was begun ends with this process, and is unknown to others.
  std::vector<std::string> keys = {};
  /// Logins within `lifetime`, each of which is remembered; more are a 503, as are more than 256 of
  /// one user.
  std::size_t answers_max = 100'000;
  /// A counter that has not gone on is no login: there may be a copy of the authenticator. false:
  /// it is one, with PasskeyLogin::counter_went_back.
  bool refuses_counter_back = true;
};

/// Who has registered what.
struct PasskeyRegistration {
  PasskeyUser user;
  Passkey passkey;
};

/// passkey            as it is to be kept from now on: counter, is_backed_up and used are new
/// is_verified        the authenticator has verified its user this time
/// counter_went_back  a copy of the authenticator may be at work
struct PasskeyLogin {
  Passkey passkey;
  bool is_verified = false;
  bool counter_went_back = false;
};

namespace detail::passkeys {
class RelyingParty;
}

/// Begins and finishes both. Cheap to copy; from any loop.
///
///     const Passkeys keys({.relying_party_id = "example.com",
///                          .origins = {"https://example.com"}, .name = "Example"});
///
/// What begins is a JSON text for the browser: {"publicKey": …, "ticket": …}. `publicKey` is what
/// PublicKeyCredential.parseCreationOptionsFromJSON or parseRequestOptionsFromJSON takes. What
/// finishes takes {"credential": …, "ticket": …}: what the credential's toJSON() gives, and the
/// ticket as it came.
///
/// Nothing is kept between the two. A ticket says what was begun, is sealed, ends by itself, is
/// good for one login, and for one browser alone: `browser` is what nobody but that one brings
/// along, such as a cookie's value, the same text at both ends.
///
/// Pre: on a loop, whose clock counts.
/// source  WebAuthn Level 3, sections 7.1 and 7.2; docs/design/passkeys.md has each step
class Passkeys {
 public:
  /// Throws a Failure for options that cannot be.
  explicit Passkeys(PasskeyOptions options);

  /// Throws std::invalid_argument for a user without key or name.
  ///
  /// known  those that he has, which are not made twice
  [[nodiscard]] std::string begin_registration(const PasskeyUser& user, std::string_view browser,
                                               const std::vector<Passkey>& known = {}) const;
  /// The passkey has no name, and is not kept yet. Keep it where nobody has one with its id by
  /// now: else somebody else's could be taken over, and one answer would count twice.
  [[nodiscard]] Result<PasskeyRegistration, PasskeyError> finish_registration(
      std::string_view json, std::string_view browser) const;

  /// Of whoever has a passkey that his authenticator remembers: the browser lets him choose.
  [[nodiscard]] std::string begin_login(std::string_view browser) const;
  /// Of this user alone, by one of these: to be asked once more, or behind a password. Of an empty
  /// list none is taken. Throws std::invalid_argument for an empty key.
  [[nodiscard]] std::string begin_login_of(const std::string& user_key, std::string_view browser,
                                           const std::vector<Passkey>& known) const;

  /// The passkey of that id, whoever's; nothing where there is none.
  using Find = std::function<Task<std::optional<Passkey>>(std::string id)>;
  /// It is that user's, once what has changed of his passkey is kept, where it is still there.
  [[nodiscard]] Task<Result<PasskeyLogin, PasskeyError>> finish_login(std::string json,
                                                                      std::string browser,
                                                                      Find find) const;

  [[nodiscard]] const PasskeyOptions& options() const noexcept;

 private:
  std::shared_ptr<detail::passkeys::RelyingParty> party_;
};

}  // namespace eider
