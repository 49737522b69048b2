#include "eider/web/middleware/cors.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/protocols/http/method.h"
#include "eider/web/middleware/writes.h"

namespace eider {

namespace {

class CorsFields {
 public:
  explicit CorsFields(const Cors& options)
      : options_(options),
        is_for_all_(std::ranges::find(options.origins, "*") != options.origins.end()),
        methods_(joined(options.methods, ", ")),
        headers_(joined(options.headers, ", ")),
        exposed_(joined(options.exposed, ", ")),
        max_age_(std::to_string(options.max_age.count())) {
    if (is_for_all_ && options.allows_credentials) {
      throw Failure(Error::internal("cors: allows_credentials needs an explicit list of origins"));
    }
    if (std::ranges::find(options.origins, "null") != options.origins.end()) {
      throw Failure(Error::internal(
          "cors: the origin \"null\" must not be allowed, because any page can send it"));
    }
    if (!is_for_all_) {
      check_origins("cors", options.origins);
    }
  }

  /// Returns whether the request was a preflight, which is then complete.
  bool respond_to_preflight(const Request& request, Response& response) const {
    if (request.method() != Method::options || !is_let_in(request) ||
        !request.header("Access-Control-Request-Method")) {
      return false;
    }
    response.set_status(204);
    response.add_header("Access-Control-Allow-Methods", methods_);
    if (!headers_.empty()) {
      response.add_header("Access-Control-Allow-Headers", headers_);
    }
    response.add_header("Access-Control-Max-Age", max_age_);
    return true;
  }

  void add_to(const Request& request, Response& response) const {
    if (!is_for_all_) {
      response.add_header("Vary", "Origin");
    }
    if (!is_let_in(request)) {
      return;
    }
    response.replace_header("Access-Control-Allow-Origin",
                            is_for_all_ ? "*" : *request.header("Origin"));
    if (options_.allows_credentials) {
      response.replace_header("Access-Control-Allow-Credentials", "true");
    }
    if (!exposed_.empty()) {
      response.replace_header("Access-Control-Expose-Headers", exposed_);
    }
  }

 private:
  [[nodiscard]] bool is_let_in(const Request& request) const {
    return request.header("Origin") &&
           (is_for_all_ || is_trusted_origin(request, options_.origins));
  }

  Cors options_;
  bool is_for_all_;
  std::string methods_;
  std::string headers_;
  std::string exposed_;
  std::string max_age_;
};

}  // namespace

Hook cors(Cors options) {
  const auto fields = std::make_shared<const CorsFields>(options);
  return {.on_request =
              [fields](Request& request, Response& response) {
                return !fields->respond_to_preflight(request, response);
              },
          .on_response = [fields](const Request& request,
                                  Response& response) { fields->add_to(request, response); },
          .name = "cors"};
}

}  // namespace eider
