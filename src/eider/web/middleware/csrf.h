// CSRF tokens in forms.
// Layering: must not replace authentication; a token does not identify a user.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/middleware.h"

namespace eider {

struct CsrfOptions {
  /// Key that signs tokens: at least 32 secret bytes, shared by all processes of the service.
  /// Default: generated at startup; the tokens become invalid when the process ends.
  std::string key = {};
  /// Other origins whose pages may write, as for cross_origin_protection: "https://admin.example".
  std::vector<std::string> trusted_origins = {};
  /// Value that a token belongs to, such as the session id. Tokens of another value are rejected.
  /// Without this function, an attacker who can set a cookie for this host can use their own token.
  std::function<std::string(const Request&)> session = {};
  /// Name of the cookie. A name with __Host- cannot be set by other hosts of the same domain, and
  /// requires TLS: development without TLS needs `is_secure = false`. Empty: `__Host-csrf`, and
  /// `csrf` without `is_secure`.
  std::string cookie = {};
  bool is_secure = true;
  /// Name of the form field with the token.
  std::string field = "csrf_token";
  /// Name of the header with the token, for scripts.
  std::string header = "X-CSRF-Token";
};

/// Rejects requests with 403 that may change something (all methods except GET, HEAD, OPTIONS,
/// QUERY and TRACE) if one of these is true:
///
/// - A page of another site sent the request, as in cross_origin_protection.
/// - The body is of a type that any page can send without permission (a form, plain text, no type),
///   and the CSRF token is missing. The token is in the form field `csrf_token` or in the header
///   X-CSRF-Token; a streamed body needs the header. A form with files, plain text and no type need
///   no token if the browser reports that an own page sent the request. They also need no token if
///   the request has no credentials that browsers add automatically (has_ambient_credentials): a
///   cookie, a password, a client certificate.
///
/// Requests with an API key (eider/apikeys.h) pass: pages of other sites cannot send one, and their
/// cookies do not count.
///
///     app.use(csrf({.key = own.csrf_key}));
///     app.get("/new", [](const CsrfToken& token) { return Html("<form …>" + token.field()); });
///
/// Form<T> ignores the field if T has no member with that name.
///
/// The token is sent twice, in the form and in a cookie that pages of other sites cannot read. The
/// cookie is signed, so that a planted cookie is invalid.
///
/// Throws a Failure for a key below 32 bytes, for an invalid origin, and for a cookie name that is
/// not valid with this `is_secure`.
///
/// source  OWASP, Cross-Site Request Forgery Prevention, "signed double-submit cookie"
[[nodiscard]] Hook csrf(CsrfOptions options = {});

namespace detail::middleware {
class Csrf;
}

/// The CSRF token, for handlers that respond with a form. The response sets the cookie if it is
/// missing.
class CsrfToken {
 public:
  CsrfToken(std::string text, std::string field_name) noexcept
      : text_(std::move(text)), field_name_(std::move(field_name)) {}

  /// Returns the token for scripts, which send it as X-CSRF-Token.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// Returns the name of the hidden field.
  [[nodiscard]] const std::string& field_name() const noexcept { return field_name_; }
  /// Returns `<input type="hidden" name="csrf_token" value="…">`.
  [[nodiscard]] std::string field() const;

 private:
  std::string text_;
  std::string field_name_;
};

/// Creates a token if a handler has a CsrfToken parameter.
struct CsrfMaker {
  const detail::middleware::Csrf* csrf;
};

template <>
struct Extract<CsrfToken> {
  static constexpr bool kOwnsData = true;
  /// Needs the CsrfMaker that `csrf` provides; without that middleware the app does not start.
  static CsrfToken from(Extension<CsrfMaker> maker, const Request& request);
};

extern template Guard detail::app::make_maker<CsrfToken>();

namespace detail::middleware {
/// Returns the token of the request for a page that the library renders; creates it if necessary.
/// Null if the app does not use csrf.
[[nodiscard]] const CsrfToken* csrf_token_of(Request& request);
}  // namespace detail::middleware

}  // namespace eider
