// Tokens in forms, by which a form of this service is told from one of another site's page (CSRF).
// Must not be used in place of asking who writes: a token names nobody.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/middleware.h"

namespace eider {

struct CsrfOptions {
  /// Signs tokens: 32 bytes or more that all processes of the service share, and nobody else knows.
  /// Empty: made at start, for one process, whose tokens end with it.
  std::string key = {};
  /// Others whose pages may write, as for cross_origin_protection: "https://admin.example".
  std::vector<std::string> trusted_origins = {};
  /// What a token belongs to, such as the session's id; a token of another is refused. Without one,
  /// who can set a cookie for this host, and has got a token of his own, can use that.
  std::function<std::string(const Request&)> session = {};
  /// A name with __Host- cannot be set by other names of the same domain, and needs TLS: without it
  /// (and `is_secure`) a service in the clear works, as in development. Empty: `__Host-csrf`, and
  /// `csrf` without `is_secure`.
  std::string cookie = {};
  bool is_secure = true;
  /// Of the form.
  std::string field = "csrf_token";
  /// Of scripts.
  std::string header = "X-CSRF-Token";
};

/// Refuses with 403 what may change something (all but GET, HEAD, OPTIONS, QUERY and TRACE) and
///
/// - has been caused by another site's page, by the word of the browser, as
///   cross_origin_protection, or
/// - brings content that any page can send unasked (a form's, plain text, or of no type) without
///   the token that this service has put into its page: in the field `csrf_token` of a form, else
///   in X-CSRF-Token. Content that a handler reads as it comes has it in X-CSRF-Token alone. A form
///   with files, text and no type need none where the browser says that they are an own page's, or
///   where nothing comes along that browsers add by themselves (has_ambient_credentials): a cookie,
///   a password, a client's certificate.
///
///     app.use(csrf({.key = own.csrf_key}));
///     app.get("/new", [](const CsrfToken& token) { return Html("<form …>" + token.field()); });
///
/// Form<T> passes the field over, where T has no member of that name.
///
/// The token is there twice, in the form and in a cookie that no other site's page can read, and
/// signed, so that a cookie that somebody has planted is none.
///
/// source  OWASP, Cross-Site Request Forgery Prevention, "signed double-submit cookie"
[[nodiscard]] Hook csrf(CsrfOptions options = {});

namespace detail::middleware {
class Csrf;
}

/// For handlers that answer with a form. The cookie is set with that answer, where it is not there.
class CsrfToken {
 public:
  CsrfToken(std::string text, std::string field_name) noexcept
      : text_(std::move(text)), field_name_(std::move(field_name)) {}

  /// For scripts, which send it as X-CSRF-Token.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// Of the hidden field.
  [[nodiscard]] const std::string& field_name() const noexcept { return field_name_; }
  /// `<input type="hidden" name="csrf_token" value="…">`
  [[nodiscard]] std::string field() const;

 private:
  std::string text_;
  std::string field_name_;
};

/// By which a token is made where a handler takes one.
struct CsrfMaker {
  const detail::middleware::Csrf* csrf;
};

template <>
struct Extract<CsrfToken> {
  static constexpr bool kOwns = true;
  /// Takes a CsrfMaker, which `csrf` puts: without that middleware the app does not start.
  static CsrfToken from(Slot<CsrfMaker> maker, const Request& request);
};

extern template Guard detail::app::make_maker<CsrfToken>();

}  // namespace eider
