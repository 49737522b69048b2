// Reloads the settings at SIGHUP, and applies those that can change while the application serves.
// Layering: must not be included by applications.
#pragma once

#include <functional>
#include <memory>

#include "eider/app/settings/settings.h"
#include "eider/core/base/log.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/signals.h"
#include "eider/io/runtime/task.h"

namespace eider {

class RouteTable;

/// Returns whether SIGHUP reloads anything. If not, it has its default effect: it ends the process.
[[nodiscard]] bool can_reload(const RouteTable& table) noexcept;

/// Belongs to one loop. Files are read on another thread.
class Reloading final : private SignalWatch {
 public:
  /// settings  are used only by this object during its lifetime
  /// tell      called after a reload: the application's on_reload
  Reloading(std::shared_ptr<detail::app::Settings> settings, std::shared_ptr<LogSink> log,
            std::function<Task<>()> tell);

  /// Stops watching the signal; call it before destruction.
  [[nodiscard]] Task<> end();

 private:
  void on_signal(int number) override;
  [[nodiscard]] Task<> run();
  [[nodiscard]] Task<> reload();
  void say(LogLevel level, std::string_view line) const;

  std::shared_ptr<detail::app::Settings> settings_;
  std::shared_ptr<LogSink> log_;
  std::function<Task<>()> tell_;
  /// A signal has arrived since the reload started.
  bool is_wanted_ = false;
  bool is_running_ = false;
  Scope scope_;
};

}  // namespace eider
