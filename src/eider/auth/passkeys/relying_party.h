// The checks of both WebAuthn ceremonies, step by step, at a given time.
// Layering: must not wait or read a clock; the caller does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/auth/passkeys/attestation.h"
#include "eider/auth/passkeys/authenticator_data.h"
#include "eider/auth/passkeys/passkey.h"
#include "eider/auth/passkeys/passkeys.h"
#include "eider/core/base/result.h"
#include "eider/core/base/signed_token.h"
#include "eider/core/json/limits.h"
#include "eider/io/tls/sealed_text.h"

namespace eider::detail::passkeys {

enum class CeremonyKind : std::uint8_t { registration, login };

/// The state of a started ceremony, sealed and stored in the browser.
///
/// challenge  32 random bytes in base64url
/// ends       seconds since 1970
/// browser    digest of the secret that the browser must send again
/// user       user of the registration or the login; an empty key: any user with a passkey
/// handle     of the user, in base64url; only for registrations
/// allowed    digests of the credential ids that a login may use; an empty list accepts none, no
///            list accepts all
struct Ticket {
  CeremonyKind kind = CeremonyKind::login;
  std::string challenge = {};
  std::int64_t ends = 0;
  std::string browser = {};
  PasskeyUser user = {};
  std::string handle = {};
  std::optional<std::vector<std::string>> allowed = {};
};

/// Seals a ticket as JSON (see SealedText).
class TicketSeal {
 public:
  /// space  separates the tickets of one service from those of others with the same keys
  /// keys   at least 32 bytes each; the first one seals, all are accepted. Empty: a random key
  ///
  /// Throws a Failure for a shorter key.
  TicketSeal(std::string_view space, std::vector<std::string> keys);

  [[nodiscard]] std::string seal(const Ticket& ticket) const;
  /// errors  bad_ticket: not sealed by this service, for another ceremony, or for another browser;
  ///         expired
  [[nodiscard]] Result<Ticket, PasskeyError> open(std::string_view text, CeremonyKind kind,
                                                  std::string_view browser, std::int64_t now) const;

 private:
  tls::SealedText seal_;
};

/// Returns the digest of a browser secret or a credential id, as stored in tickets.
[[nodiscard]] std::string digest_of(std::string_view text);

/// type         "webauthn.create" or "webauthn.get"
/// challenge    in base64url
/// top_origins  origins of pages that may embed the page in a frame; empty: none
struct ExpectedClientData {
  std::string_view type;
  std::string_view challenge;
  std::span<const std::string> origins;
  std::span<const std::string> top_origins;
};

/// Checks the client data, in the bytes that the browser sent. Unknown members are ignored, because
/// new browsers add some.
///
/// errors  malformed: not a JSON object, a member of another type, a duplicate member,
///         more than 16 KiB; wrong_type, wrong_challenge, wrong_origin, cross_origin
/// source  WebAuthn Level 3, sections 5.8.1, 7.1 (steps 5 to 11) and 7.2 (steps 8 to 14)
[[nodiscard]] Result<void, PasskeyError> check_client_data(std::string_view text,
                                                           const ExpectedClientData& expected);

inline constexpr std::size_t kResponseBytesMax = std::size_t{64} << 10U;
/// Limits of JSON from browsers.
constexpr json::Limits json_limits(std::size_t bytes_max) noexcept {
  return {.bytes_max = bytes_max, .depth_max = 16, .elements_max = 512, .errors_max = 1};
}

/// A browser's response: bytes are decoded, but nothing is checked.
///
/// id           in base64url
/// data         the attestation object, or the authenticator data
/// user_handle  in base64url
struct CredentialResponse {
  std::string ticket;
  std::string id;
  std::string client_data;
  std::string data;
  std::string signature = {};
  std::optional<std::string> user_handle = {};
  std::string transports = {};
};

/// Reads {"credential": …, "ticket": …}, the first one as returned by PublicKeyCredential's
/// toJSON().
///
/// errors  malformed: more than 64 KiB, members that are missing or of another type, `id` and
///         `rawId` that differ, invalid base64url (it has no padding)
[[nodiscard]] Result<CredentialResponse, PasskeyError> parse_credential_response(
    std::string_view json, CeremonyKind kind);

/// A login that waits for its passkey.
struct OpenLogin {
  CredentialResponse response;
  Ticket ticket;
};

class RelyingParty {
 public:
  /// Throws a Failure for invalid options.
  explicit RelyingParty(PasskeyOptions options);

  [[nodiscard]] std::string begin_registration(const PasskeyUser& user, std::string_view browser,
                                               const std::vector<Passkey>& known,
                                               std::int64_t now) const;
  [[nodiscard]] std::string begin_login(const std::string& user_key, std::string_view browser,
                                        const std::vector<Passkey>& known, std::int64_t now) const;
  [[nodiscard]] Result<PasskeyRegistration, PasskeyError> finish_registration(
      std::string_view json, std::string_view browser, std::int64_t now) const;
  /// Does the checks that do not need the passkey.
  [[nodiscard]] Result<OpenLogin, PasskeyError> open_login(std::string_view json,
                                                           std::string_view browser,
                                                           std::int64_t now) const;
  [[nodiscard]] Result<PasskeyLogin, PasskeyError> finish_login(const OpenLogin& login,
                                                                Passkey passkey, std::int64_t now);

  [[nodiscard]] const PasskeyOptions& options() const noexcept { return options_; }

 private:
  [[nodiscard]] Ticket new_ticket(CeremonyKind kind, std::string_view browser,
                                  std::int64_t now) const;
  [[nodiscard]] Result<void, PasskeyError> check_client(const CredentialResponse& response,
                                                        const Ticket& ticket) const;
  [[nodiscard]] Result<void, PasskeyError> check_data(const AuthenticatorData& data) const;
  [[nodiscard]] bool is_allowed(CoseAlgorithm algorithm) const;
  /// Does steps 12 to 25 of section 7.1.
  [[nodiscard]] Result<Passkey, PasskeyError> check_registration(const CredentialResponse& response,
                                                                 std::int64_t now) const;

  const PasskeyOptions options_;
  const std::string party_hash_;
  const AttestationRoots roots_;
  const std::int64_t lifetime_s_;
  const TicketSeal seal_;
  /// Challenges of successful logins, until their tickets expire.
  base::UsedTokens logged_in_;
};

}  // namespace eider::detail::passkeys
