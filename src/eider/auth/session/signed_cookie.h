// A whole session in a signed cookie.
// Layering: must not know time or requests, and does not encrypt; the browser can read the session.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/auth/session/session_store.h"
#include "eider/core/base/signed_token.h"

namespace eider::detail::session {

/// "1.<id>.<record>.<signature>", the latter two in base64. The cookie's name is signed too, so
/// that the value of one cookie is not accepted in another.
class SignedCookie {
 public:
  /// Throws a Failure without a key, and for a key of less than 32 bytes.
  ///
  /// keys  the first one signs, all are accepted
  SignedCookie(std::string_view cookie_name, std::vector<std::string> keys);

  struct Opened {
    std::string id;
    SessionRecord record;
  };
  /// Returns nothing without a valid signature, and for another version.
  [[nodiscard]] std::optional<Opened> open(std::string_view value) const;
  [[nodiscard]] std::string seal(std::string_view id, const SessionRecord& record) const;

 private:
  base::TokenSigner signer_;
};

/// Returns the id in such a value, without a check of the signature; empty if there is none.
[[nodiscard]] std::string_view id_in_signed_cookie(std::string_view value) noexcept;

}  // namespace eider::detail::session
