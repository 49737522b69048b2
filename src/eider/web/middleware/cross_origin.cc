#include "eider/web/middleware/cross_origin.h"

#include <algorithm>
#include <utility>

#include "eider/app/handlers/operation.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/http/source_site.h"
#include "eider/web/middleware/cookieless.h"
#include "eider/web/middleware/writes.h"

namespace eider {

bool may_write(Method method) noexcept {
  return method != Method::get && method != Method::head && method != Method::options &&
         method != Method::trace && method != Method::query;
}

bool is_trusted_origin(const Request& request, const std::vector<std::string>& trusted_origins) {
  const std::string_view origin = request.header("Origin").value_or("");
  return std::ranges::any_of(trusted_origins, [origin](const std::string& trusted) {
    return equals_ignoring_case(trusted, origin);
  });
}

void check_origins(std::string_view taker, const std::vector<std::string>& origins) {
  for (const std::string_view origin : origins) {
    const std::size_t scheme_end = origin.find("://");
    const std::string_view host =
        scheme_end == std::string_view::npos ? "" : origin.substr(scheme_end + 3);
    if (scheme_end == 0 || host.empty() ||
        host.find_first_of("/?#@ \t") != std::string_view::npos) {
      throw Failure(Error::internal(std::string(taker) + ": \"" + std::string(origin) +
                                    "\" is not a valid origin. Write scheme://host or "
                                    "scheme://host:port, without a trailing slash."));
    }
  }
}

void describe_cross_origin(Operation& operation) {
  if (may_write(operation.method)) {
    operation.add_problem(403, "Cross-site request blocked.");
  }
}

Hook cross_origin_protection(std::vector<std::string> trusted_origins) {
  check_origins("cross_origin_protection", trusted_origins);
  return {.on_request =
              [trusted = std::move(trusted_origins)](Request& request, Response& response) {
                if (!may_write(request.method()) || source_site_of(request) != SourceSite::other ||
                    request.find<detail::middleware::Cookieless>() != nullptr ||
                    is_trusted_origin(request, trusted)) {
                  return true;
                }
                render_error(response, Error::forbidden("Cross-site request blocked."));
                return false;
              },
          .on_response = {},
          .name = "cross_origin_protection",
          .describe = describe_cross_origin};
}

}  // namespace eider
