// SIGHUP: the settings are read anew, and what may change is taken, while the application serves.
// Must not be included by applications.
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

/// Whether SIGHUP reads anything anew. Where it does not, it does to the process what it does to
/// any other: its terminal has gone.
[[nodiscard]] bool can_reload(const RouteTable& table) noexcept;

/// Lives on one loop, whose thread reads no file for it.
class Reloading final : private SignalWatch {
 public:
  /// settings  are nobody else's while this lives
  /// tell      called when all is taken, with what the application hears
  Reloading(std::shared_ptr<detail::app::Settings> settings, std::shared_ptr<LogSink> log,
            std::function<Task<>()> tell);

  /// Hears no more; to be called ahead of the end.
  [[nodiscard]] Task<> end();

 private:
  void on_signal(int number) override;
  [[nodiscard]] Task<> run();
  [[nodiscard]] Task<> reload();
  void say(LogLevel level, std::string_view line) const;

  std::shared_ptr<detail::app::Settings> settings_;
  std::shared_ptr<LogSink> log_;
  std::function<Task<>()> tell_;
  /// A signal has come since the reading began.
  bool is_wanted_ = false;
  bool is_running_ = false;
  Scope scope_;
};

}  // namespace eider
