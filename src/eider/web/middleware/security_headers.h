// Fields that tell browsers what pages of this service may do.
// Must not be all there is against injected scripts: text is escaped where a page is made.
#pragma once

#include <string>

#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/middleware.h"

namespace eider {

/// Each text is the field's value; an empty one leaves the field out. A field that the handler or
/// an inner hook has set itself stays as it is.
struct SecurityHeaders {
  /// Where a page may take things from. "{nonce}" becomes 'nonce-…' of the CspNonce that the
  /// handler has taken, and nothing where it has taken none.
  std::string csp =
      "default-src 'self'; script-src 'self' {nonce}; style-src 'self' {nonce}; "
      "img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
      "frame-ancestors 'none'";
  /// The policy is only watched: browsers report to where its report-to says.
  bool csp_is_only_reported = false;
  /// What a page tells others of where a person came from. "no-referrer" would make browsers send a
  /// page's own forms with `Origin: null`, which cross_origin_protection refuses.
  std::string referrer_policy = "same-origin";
  /// For browsers that do not know frame-ancestors.
  std::string frame_options = "DENY";
  std::string opener_policy = "same-origin";
  /// Which sites may show what is answered here: "cross-origin" for images that others embed.
  std::string resource_policy = "same-origin";
  std::string permissions_policy = "camera=(), geolocation=(), microphone=(), payment=(), usb=()";
};

/// Adds them and `X-Content-Type-Options: nosniff` to every answer, also to a 404. Throws a Failure
/// where one of them cannot stand in a field.
///
///     app.use(security_headers());
///     app.get("/", [](const CspNonce& nonce) { return Html("<script nonce=\"" + nonce.text() + …
///
/// Not Strict-Transport-Security, which cannot be taken back: see hsts.
///
/// source  Content Security Policy Level 3; Referrer Policy; Fetch, "X-Content-Type-Options"
[[nodiscard]] Hook security_headers(SecurityHeaders headers = {});

/// A parameter of handlers: a word of 24 characters that nobody can guess, made for this answer,
/// by which the page's own inline scripts and styles are told from injected ones. Nothing is made
/// where no handler takes it.
class CspNonce {
 public:
  CspNonce();
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

template <>
struct Extract<CspNonce> {
  static constexpr bool kOwns = true;
  static CspNonce from() { return {}; }
};

}  // namespace eider
