// Logins that were started but not completed, each bound to its browser with a cookie.
// Layering: must not request a provider, and must not trust unsigned cookies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/signed_token.h"
#include "eider/protocols/http/cookie.h"
#include "eider/protocols/http/request.h"

namespace eider::detail::oauth {

/// Values that pass through the browser and the provider. All three are derived from one secret
/// number, so the cookie contains none of them: a reader of the cookie cannot compute the verifier.
struct LoginSecrets {
  std::string state;
  std::string nonce;
  std::string verifier;  // RFC 7636, section 4.1: 43 characters
};

/// Contents of the cookie.
///
/// until         seconds since 1970
/// next          a path of this service
/// redirect_uri  as sent to the provider; it is sent again with the code
/// user          digest_of the user whose session started the login; empty without one
struct PendingLogin {
  std::string number;
  std::int64_t until = 0;
  std::string next;
  std::string redirect_uri;
  std::string user;
};

/// purpose    distinguishes this login from others of the same program: its provider, client and
///            callback. A cookie of one is invalid for the others (RFC 9700, section 4.4, mix-up)
/// cookie     prefix of the cookie names
struct PendingOptions {
  std::string purpose;
  std::string key;
  std::string cookie;
  bool is_secure = true;
  std::int64_t seconds = 600;
};

class PendingLogins {
 public:
  /// Throws a Failure for a key of less than 32 bytes, and for an invalid cookie name.
  explicit PendingLogins(PendingOptions options);

  struct Begun {
    LoginSecrets secrets;
    /// Values of Set-Cookie: one for this login, and those that remove excess or expired logins.
    std::vector<std::string> cookies;
  };
  /// login  `number` and `until` are set here
  [[nodiscard]] Begun begin(const Request& request, PendingLogin login, std::int64_t now) const;
  /// Returns a digest of the user key, which hides the key in the cookie; empty for an empty key.
  [[nodiscard]] std::string digest_of(std::string_view user) const;

  struct Found {
    PendingLogin login;
    LoginSecrets secrets;
  };
  /// Returns the login with that state, if this browser started it and it has not expired.
  [[nodiscard]] std::optional<Found> find(const Request& request, std::string_view state,
                                          std::int64_t now) const;
  /// Returns the header value that removes the cookie of that state, if the request has one.
  [[nodiscard]] std::optional<std::string> end(const Request& request,
                                               std::string_view state) const;

 private:
  [[nodiscard]] LoginSecrets secrets_of(std::string_view number) const;
  [[nodiscard]] std::string name_of(std::string_view state) const;
  [[nodiscard]] std::string set_cookie(std::string name, std::string value,
                                       std::int64_t seconds) const;
  [[nodiscard]] std::string seal(std::string_view name, const PendingLogin& login) const;
  [[nodiscard]] std::optional<PendingLogin> open(std::string_view name,
                                                 std::string_view value) const;

  PendingOptions options_;
  base::TokenSigner signer_;
};

}  // namespace eider::detail::oauth
