// The state of a started ceremony, sealed and stored in the browser.
// Layering: must not be stored on the server, so that many started ceremonies need no memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/auth/passkeys/passkey.h"
#include "eider/core/base/result.h"
#include "eider/io/tls/sealed_text.h"

namespace eider::detail::passkeys {

enum class CeremonyKind : std::uint8_t { registration, login };

/// challenge  32 random bytes in base64url
/// ends       seconds since 1970
/// browser    digest of what the browser has to bring along again
/// user       for whom a passkey is made, or who is to log in; an empty key: whoever has one
/// handle     of the user, in base64url; of a registration
/// allowed    digests of the credentials' ids that a login may use, which may be none at all;
///            nothing: whatever passkey there is
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
  /// space  what keeps those of one service apart from another's with the same keys
  /// keys   32 bytes or more each; the first seals, all are taken. Empty: a random one.
  ///
  /// Throws a Failure for a key that is shorter.
  TicketSeal(std::string_view space, std::vector<std::string> keys);

  [[nodiscard]] std::string seal(const Ticket& ticket) const;
  /// errors  bad_ticket: sealed by nobody here, of another kind, or begun by another browser;
  ///         expired
  [[nodiscard]] Result<Ticket, PasskeyError> open(std::string_view text, CeremonyKind kind,
                                                  std::string_view browser, std::int64_t now) const;

 private:
  tls::SealedText seal_;
};

/// The digest of what identifies a browser or a credential, as tickets have it.
[[nodiscard]] std::string digest_of(std::string_view text);

}  // namespace eider::detail::passkeys
