// What a browser says about the page for which a credential was used.
// Must not believe it: the signature over it is checked elsewhere.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "eider/auth/passkeys/passkey.h"
#include "eider/core/base/result.h"

namespace eider::detail::passkeys {

/// type         "webauthn.create" or "webauthn.get"
/// challenge    in base64url
/// top_origins  of pages in whose frames it may be used; empty: in none
struct ExpectedClientData {
  std::string_view type;
  std::string_view challenge;
  std::span<const std::string> origins;
  std::span<const std::string> top_origins;
};

/// Holds the text, which was taken as it came, against what is expected. Members that are not known
/// are passed over, as new ones come with new browsers.
///
/// errors  malformed: no JSON object, a member of another type or twice, more than 16 KiB;
///         wrong_type, wrong_challenge, wrong_origin, cross_origin
/// source  WebAuthn Level 3, sections 5.8.1, 7.1 (steps 5 to 11) and 7.2 (steps 8 to 14)
[[nodiscard]] Result<void, PasskeyError> check_client_data(std::string_view text,
                                                           const ExpectedClientData& expected);

}  // namespace eider::detail::passkeys
