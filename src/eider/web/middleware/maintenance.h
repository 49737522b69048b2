// A switch that answers for a service while it is being worked on.
// Must not close connections: see Server::stop.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "eider/app/handlers/middleware.h"

namespace eider {

/// Off at first. Copies are the same switch, which any thread may turn.
class MaintenanceSwitch {
 public:
  void turn_on() const noexcept { is_on_->store(true, std::memory_order_relaxed); }
  void turn_off() const noexcept { is_on_->store(false, std::memory_order_relaxed); }
  [[nodiscard]] bool is_on() const noexcept { return is_on_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> is_on_ = std::make_shared<std::atomic<bool>>(false);
};

struct Maintenance {
  /// Answered all the same, by whole paths: what asks whether the process lives, and what turns the
  /// switch off again.
  std::vector<std::string> except = {"/livez", "/readyz", "/startupz", "/health"};
  std::chrono::seconds retry_after = std::chrono::minutes(5);
  std::string text = "The service is being worked on.";
};

/// While the switch is on, requests are a 503 with Retry-After, ahead of guards and content. What
/// has begun goes on.
///
///     const MaintenanceSwitch work;
///     app.use(maintenance(work));
///     admin.post("/maintenance", [work] { work.turn_on(); });
[[nodiscard]] Hook maintenance(MaintenanceSwitch its_switch, Maintenance options = {});

}  // namespace eider
