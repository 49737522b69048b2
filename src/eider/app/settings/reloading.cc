#include "eider/app/settings/reloading.h"

#include <algorithm>
#include <csignal>
#include <string>
#include <utility>

#include "eider/app/handlers/thrown.h"
#include "eider/app/route_table.h"
#include "eider/app/settings/printable.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/startup_code.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/loop.h"

namespace eider {

using detail::app::Settings;

bool can_reload(const RouteTable& table) noexcept {
  return table.settings != nullptr &&
         (table.settings->can_change() || table.reads_certificates ||
          std::ranges::any_of(
              table.parts, [](const detail::app::Part& part) { return part.reload.is_there(); }));
}

Reloading::Reloading(std::shared_ptr<Settings> settings, std::shared_ptr<LogSink> log,
                     std::function<Task<>()> tell)
    : SignalWatch(Loop::current(), {SIGHUP}),
      settings_(std::move(settings)),
      log_(std::move(log)),
      tell_(std::move(tell)) {}

Task<> Reloading::end() {
  scope_.cancel();
  co_await scope_.join();
}

void Reloading::on_signal(int /*number*/) {
  is_wanted_ = true;
  if (!std::exchange(is_running_, true)) {
    scope_.start(run());
  }
}

// If another signal arrives during a reload, reload again: the file may have changed since it was
// read.
Task<> Reloading::run() {
  // Also if the log or `tell_` throws, so that the next signal starts a reload.
  const struct Ends {
    bool& is_running;
    ~Ends() { is_running = false; }
  } ends{is_running_};
  while (std::exchange(is_wanted_, false)) {
    co_await reload();
  }
}

Task<> Reloading::reload() {
  Result<Settings::Reading, std::string> reading;
  try {
    // Read on another thread, because the event loop must not wait for disks. The thread may
    // outlive this object.
    const std::shared_ptr<Settings> settings = settings_;
    reading = co_await run_blocking([settings] { return settings->read(); });
  } catch (...) {
    reading = fail(std::string(reason_of(thrown_error())));
  }
  if (!reading) {
    say(LogLevel::error, "the reload failed, and the settings are unchanged: " +
                             detail::base::split_code(reading.error(), "startup-failed").text);
    co_return;
  }
  const Settings::Changes changes = settings_->take_changes(*std::move(reading));
  for (const std::string& taken : changes.taken) {
    say(LogLevel::info, taken);
  }
  for (const std::string& waiting : changes.waiting) {
    say(LogLevel::warning, waiting + " has changed and requires a restart");
  }
  if (changes.taken.empty() && changes.waiting.empty()) {
    say(LogLevel::info, "reloaded without changes");
  }
  if (log_ != nullptr) {
    settings_->apply(*log_);  // after the reload was logged with the old level
  }
  co_await tell_();
}

void Reloading::say(LogLevel level, std::string_view line) const {
  if (log_ != nullptr) {
    log_->write(level, "settings: " + detail::app::printable(line));
  }
}

}  // namespace eider
