// Marks requests whose cookies must not authenticate them.
// Layering: must not be included by applications.
#pragma once

#include <string_view>

namespace eider::detail::middleware {

/// A hook sets it in requests with credentials in a header that no page of another site can send,
/// such as an API key. Sessions ignore the cookie of such a request, and csrf and
/// cross_origin_protection let it pass: both follow from this one mark, so that no request is
/// exempt and still uses its cookies. Middleware that tells clients apart uses `credentials`.
///
/// credentials  as the request has them, valid or not; not empty
struct Cookieless {
  std::string_view credentials;
};

}  // namespace eider::detail::middleware
