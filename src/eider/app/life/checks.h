// Health checks of an application, run on each event loop.
// Layering: must not respond to requests; see middleware/health.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider::detail::app {

struct Check {
  std::string_view name;
  std::function<Task<>()> run;  // throws if the check fails
  std::string why = {};         // error of the last run; empty: it succeeded
};

/// The health checks of one event loop. Concurrent callers share one run.
class LoopChecks {
 public:
  /// log  may be null; must outlive this object
  LoopChecks(std::vector<Check> checks, LogSink* log) : checks_(std::move(checks)), log_(log) {}

  /// Runs all checks concurrently, each with a time limit, unless the last run is not older than
  /// `kept_for`.
  [[nodiscard]] Task<> make(Duration within, Duration kept_for);
  [[nodiscard]] const std::vector<Check>& checks() const noexcept { return checks_; }

  /// Marks the server as leaving, so that load balancers send requests to other servers.
  void leave() noexcept { is_leaving_ = true; }
  [[nodiscard]] bool is_leaving() const noexcept { return is_leaving_; }

 private:
  [[nodiscard]] Task<> make_all(Duration within);
  [[nodiscard]] Task<> make(Check& check, Duration within);
  void note(Check& check, std::string why);

  std::vector<Check> checks_;
  LogSink* log_;
  bool is_leaving_ = false;
  bool is_making_ = false;
  bool is_known_ = false;
  Instant made_{};
  AsyncEvent done_;
  // Runs the checks: the caller that started them may be destroyed before they end. Declared last,
  // because the checks use the members above.
  Scope scope_;
};

/// The health checks of one application. Several servers can serve it, each on its own event loops.
class Checks {
 public:
  // On each event loop, before its first request and after its last one.
  void begin(std::vector<Check> checks, LogSink* log) const {
    on_loops_.here().now = std::make_unique<LoopChecks>(std::move(checks), log);
  }
  void end() const noexcept { on_loops_.here().now.reset(); }

  /// Pre: called between `begin` and `end`.
  [[nodiscard]] LoopChecks& here() const { return *on_loops_.here().now; }

 private:
  struct PerLoop {
    std::unique_ptr<LoopChecks> now;
  };
  LoopLocal<PerLoop> on_loops_{[] { return std::make_unique<PerLoop>(); }};
};

}  // namespace eider::detail::app
