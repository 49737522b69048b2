#include "eider/web/middleware/maintenance.h"

#include <algorithm>
#include <utility>

#include "eider/app/handlers/operation.h"
#include "eider/app/handlers/respond.h"

namespace eider {

Hook maintenance(MaintenanceSwitch its_switch, Maintenance options) {
  return {.on_request =
              [its_switch = std::move(its_switch), options = std::move(options)](
                  Request& request, Response& response) {
                if (!its_switch.is_on() ||
                    std::ranges::find(options.except, request.path()) != options.except.end()) {
                  return true;
                }
                render_error(
                    response,
                    Error::unavailable(options.text)
                        .with_header("Retry-After", std::to_string(options.retry_after.count())));
                return false;
              },
          .name = "maintenance",
          .describe =
              [](Operation& operation) {
                operation.add_problem(503, "The service is down for maintenance.")
                    .add_header("Retry-After");
              }};
}

}  // namespace eider
