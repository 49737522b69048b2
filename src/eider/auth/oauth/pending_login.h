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

/// What goes through the browser and the provider. All three are derived of one secret number, so
/// that the cookie holds none of them: not even who reads it has the verifier.
struct LoginSecrets {
  std::string state;
  std::string nonce;
  std::string verifier;  // RFC 7636, section 4.1: 43 characters
};

/// What the cookie keeps.
///
/// until         seconds since 1970
/// next          a path of this service
/// redirect_uri  as the provider was told it, which is told it again with the code
/// user          digest_of whose session it was; empty: nobody's
struct PendingLogin {
  std::string number;
  std::int64_t until = 0;
  std::string next;
  std::string redirect_uri;
  std::string user;
};

/// purpose    what tells this login from another of the same program: its provider, client and
///            callback. A cookie of one is none of another's (RFC 9700, section 4.4, mix-up)
/// cookie     what the cookies' names begin with
struct PendingOptions {
  std::string purpose;
  std::string key;
  std::string cookie;
  bool is_secure = true;
  std::int64_t seconds = 600;
};

class PendingLogins {
 public:
  /// Throws a Failure for a key of less than 32 bytes, and a cookie that cannot be called so.
  explicit PendingLogins(PendingOptions options);

  struct Begun {
    LoginSecrets secrets;
    /// Values of Set-Cookie: this login's, and the ends of such as are too many.
    std::vector<std::string> cookies;
  };
  /// login  its number and end are chosen here
  [[nodiscard]] Begun begin(const Request& request, PendingLogin login, std::int64_t now) const;
  /// Of a user's key, which the cookie shows to nobody; empty for an empty one.
  [[nodiscard]] std::string digest_of(std::string_view user) const;

  struct Found {
    PendingLogin login;
    LoginSecrets secrets;
  };
  /// The login of that state which this browser has begun, if its time is not over.
  [[nodiscard]] std::optional<Found> find(const Request& request, std::string_view state,
                                          std::int64_t now) const;
  /// What ends the cookie of that state, where the request has one.
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
