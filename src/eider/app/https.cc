#include "eider/app/https.h"

#include <string>
#include <utility>

#include "eider/app/respond.h"

namespace eider {

namespace {

constexpr int kPermanentRedirect = 308;
constexpr std::uint16_t kHttpsPort = 443;

/// Without its port, which is that of the place in the clear. A colon inside brackets is IPv6's.
std::string_view host_of(std::string_view authority) noexcept {
  if (!authority.starts_with('[')) {
    return authority.substr(0, authority.rfind(':'));
  }
  const std::size_t end = authority.find(']');
  return end == std::string_view::npos ? std::string_view() : authority.substr(0, end + 1);
}

std::string location_of(const Request& request, std::uint16_t port) {
  std::string location("https://");
  location.append(host_of(request.head().authority));
  if (port != kHttpsPort) {
    location.append(":").append(std::to_string(port));
  }
  return location.append(request.target());
}

}  // namespace

Hook redirect_to_https(std::uint16_t port) {
  return {.before =
              [port](Request& request, Response& response) {
                if (request.secured_by()) {
                  return true;
                }
                if (host_of(request.head().authority).empty()) {
                  render_error(response, Error::bad_request("The request names no host."));
                } else {
                  response.set_status(kPermanentRedirect);
                  response.add_header("Location", location_of(request, port));
                }
                return false;
              },
          .after = {}};
}

Hook hsts(std::chrono::seconds max_age, HstsScope scope) {
  std::string value = "max-age=" + std::to_string(max_age.count());
  value.append(scope == HstsScope::all_subdomains ? "; includeSubDomains" : "");
  return {.before = {},
          .after = [value = std::move(value)](const Request& request, Response& response) {
            if (request.secured_by()) {
              response.add_header("Strict-Transport-Security", value);
            }
          }};
}

}  // namespace eider
