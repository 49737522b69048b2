// A maintenance mode that responds with 503.
// Layering: must not close connections; see Server::stop.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "eider/app/handlers/middleware.h"

namespace eider {

/// A switch that is initially off. Copies refer to the same switch; thread-safe.
class MaintenanceSwitch {
 public:
  void turn_on() const noexcept { is_on_->store(true, std::memory_order_relaxed); }
  void turn_off() const noexcept { is_on_->store(false, std::memory_order_relaxed); }
  [[nodiscard]] bool is_on() const noexcept { return is_on_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> is_on_ = std::make_shared<std::atomic<bool>>(false);
};

struct Maintenance {
  /// Whole paths that are still served: health checks, and the route that turns the switch off.
  std::vector<std::string> except = {"/livez", "/readyz", "/startupz", "/health"};
  std::chrono::seconds retry_after = std::chrono::minutes(5);
  std::string text = "The service is down for maintenance.";
};

/// Responds with 503 and Retry-After while the switch is on, before guards run and the body is
/// read. Running requests continue.
///
///     const MaintenanceSwitch work;
///     app.use(maintenance(work));
///     admin.post("/maintenance", [work] { work.turn_on(); });
[[nodiscard]] Hook maintenance(MaintenanceSwitch its_switch, Maintenance options = {});

}  // namespace eider
