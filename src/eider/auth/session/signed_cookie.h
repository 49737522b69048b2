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
  /// Throws a Failure for no key, or one of less than 32 bytes.
  ///
  /// keys  the first signs, all are taken
  SignedCookie(std::string_view cookie_name, std::vector<std::string> keys);

  struct Opened {
    std::string id;
    SessionRecord record;
  };
  /// Nothing for what none of the keys has signed, and for what is of another version.
  [[nodiscard]] std::optional<Opened> open(std::string_view value) const;
  [[nodiscard]] std::string seal(std::string_view id, const SessionRecord& record) const;

 private:
  base::TokenSigner signer_;
};

/// The id in such a value, signed or not; empty where there is none.
[[nodiscard]] std::string_view id_in_signed_cookie(std::string_view value) noexcept;

}  // namespace eider::detail::session
