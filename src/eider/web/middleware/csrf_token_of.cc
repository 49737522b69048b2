#include "eider/web/middleware/csrf_token_of.h"

#include "eider/app/handlers/params.h"

namespace eider::detail::middleware {

const CsrfToken* csrf_token_of(Request& request) {
  auto* const maker = request.find<CsrfMaker>();
  if (maker != nullptr && request.find<CsrfToken>() == nullptr) {
    request.set(Extract<CsrfToken>::from(Extension<CsrfMaker>(*maker), request));
  }
  return request.find<CsrfToken>();
}

}  // namespace eider::detail::middleware
