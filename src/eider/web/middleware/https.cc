#include "eider/web/middleware/https.h"

#include <string>
#include <utility>

#include "eider/app/handlers/respond.h"
#include "eider/protocols/http/target.h"

namespace eider {

namespace {

constexpr int kPermanentRedirect = 308;
constexpr std::uint16_t kHttpsPort = 443;

std::string location_of(const Request& request, std::uint16_t port) {
  std::string location("https://");
  location.append(host_of(request.head().authority));  // without the port for HTTP
  if (port != kHttpsPort) {
    location.append(":").append(std::to_string(port));
  }
  // Not the target, because an absolute one contains the host again, and "*" is not a path. Not the
  // rewritten path either: "/de/notes" must stay in German.
  const RequestHead& head = request.head();
  const std::string_view path = asked_path(head.target);
  location.append(path.empty() ? "/" : path);
  if (head.target.contains('?')) {
    location.append("?").append(head.query);
  }
  return location;
}

}  // namespace

Hook redirect_to_https(std::uint16_t port) {
  return {.on_request =
              [port](Request& request, Response& response) {
                if (request.tls()) {
                  return true;
                }
                if (host_of(request.head().authority).empty()) {
                  render_error(response, Error::bad_request("The request has no Host header."));
                } else {
                  response.set_status(kPermanentRedirect);
                  response.add_header("Location", location_of(request, port));
                }
                return false;
              },
          .on_response = {},
          .name = "redirect_to_https"};
}

Hook hsts(std::chrono::seconds max_age, HstsScope scope) {
  std::string value = "max-age=" + std::to_string(max_age.count());
  value.append(scope == HstsScope::all_subdomains ? "; includeSubDomains" : "");
  return {.on_request = {},
          .on_response =
              [value = std::move(value)](const Request& request, Response& response) {
                if (request.tls()) {
                  response.add_header("Strict-Transport-Security", value);
                }
              },
          .name = "hsts"};
}

}  // namespace eider
