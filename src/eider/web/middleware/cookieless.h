// Marks requests whose cookies must not authenticate them.
// Layering: must not be included by applications.
#pragma once

#include <string_view>

namespace eider::detail::middleware {

/// Set by hooks in requests with credentials in a header that no page of another site can send,
/// such as an API key. Sessions ignore the cookie of such a request, and csrf and
/// cross_origin_protection accept it. Both use this one mark, so that no request is exempt from the
/// checks and still uses its cookies. Middleware that distinguishes clients uses `credentials`.
///
/// credentials  as sent by the client, valid or not; not empty
struct Cookieless {
  std::string_view credentials;
};

}  // namespace eider::detail::middleware
