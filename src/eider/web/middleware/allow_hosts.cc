#include "eider/web/middleware/allow_hosts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "eider/app/handlers/respond.h"
#include "eider/app/sites.h"

namespace eider {

Hook allow_hosts(std::vector<std::string> hosts) {
  return Hook{
      .on_request =
          [hosts = std::move(hosts)](Request& request, Response& response) {
            const std::string_view asked = request.head().authority;
            const auto is_ours = [asked](std::string_view host) { return stands_for(host, asked); };
            if (asked.empty()) {
              render_error(response, Error::bad_request("The request has no Host header."));
              return false;
            }
            if (std::ranges::any_of(hosts, is_ours)) {
              return true;
            }
            render_error(response, Error(421, "This server does not serve the requested host."));
            return false;
          },
      .on_response = {},
      .name = "allow_hosts"};
}

}  // namespace eider
