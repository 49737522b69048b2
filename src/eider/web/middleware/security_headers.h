// Security headers for browsers, such as Content-Security-Policy.
// Layering: must not be the only protection from script injection; templates escape text.
#pragma once

#include <string>

#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/middleware.h"

namespace eider {

/// Each text is the value of a header; an empty one omits the header. Headers that the handler or
/// an inner hook has set do not change.
struct SecurityHeaders {
  /// Sources from which a page may load. "{nonce}" becomes 'nonce-…' of the CspNonce parameter of
  /// the handler, and is removed without one.
  std::string csp =
      "default-src 'self'; script-src 'self' {nonce}; style-src 'self' {nonce}; "
      "img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
      "frame-ancestors 'none'";
  /// The policy is only reported, not enforced: browsers send reports to its report-to.
  bool csp_is_only_reported = false;
  /// Referrer that pages send to other sites. With "no-referrer", browsers would send a page's own
  /// forms with `Origin: null`, which cross_origin_protection rejects.
  std::string referrer_policy = "same-origin";
  /// Value of X-Frame-Options, for browsers that do not know frame-ancestors.
  std::string frame_options = "DENY";
  std::string opener_policy = "same-origin";
  /// Sites that may embed responses: "cross-origin" for images that others embed.
  std::string resource_policy = "same-origin";
  std::string permissions_policy = "camera=(), geolocation=(), microphone=(), payment=(), usb=()";
};

/// Adds these headers and `X-Content-Type-Options: nosniff` to every response, also to a 404.
/// Throws a Failure if a value is not valid in a header.
///
///     app.use(security_headers());
///     app.get("/", [](const CspNonce& nonce) { return Html("<script nonce=\"" + nonce.text() + …
///
/// Strict-Transport-Security is not included, because it cannot be revoked: see `hsts`.
///
/// source  Content Security Policy Level 3; Referrer Policy; Fetch, "X-Content-Type-Options"
[[nodiscard]] Hook security_headers(SecurityHeaders headers = {});

/// A parameter of handlers: a random word of 24 characters for this response, which allows the
/// page's own inline scripts and styles (Content-Security-Policy). It is created only if a handler
/// has the parameter.
class CspNonce {
 public:
  CspNonce();
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

template <>
struct Extract<CspNonce> {
  static constexpr bool kOwnsData = true;
  static CspNonce from() { return {}; }
};

}  // namespace eider
