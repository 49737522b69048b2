#include "eider/server/process/succession.h"

#include <unistd.h>

#include <csignal>
#include <utility>

#include "eider/core/base/log.h"
#include "eider/io/runtime/loop.h"

namespace eider::detail::server {

namespace {

/// How many senders get a report. Each is an `eider upgrade`; more indicate an error in a script.
constexpr std::size_t kWaitingMax = 64;

/// Returns the reason why an upgrade is impossible in general; empty if it is possible.
std::string_view why_never() noexcept {
  return ::getpid() == 1 ? "PID 1 of a container cannot be upgraded: start the program under an "
                           "init (docker run --init)"
                         : "";
}

}  // namespace

Succession::Succession(Loop& loop, SuccessionOwner& owner, const SystemdNotify& systemd,
                       Duration within, LogSink* log)
    : SignalWatch(loop, {SIGUSR2}),
      owner_(owner),
      systemd_(systemd),
      within_(within),
      log_(log),
      successor_(loop, *this) {}

void Succession::give_up() noexcept {
  if (successor_.is_there()) {
    report(0, "this process is stopping");
  }
  successor_.kill(SIGTERM);
  successor_.leave();
}

void Succession::on_signal(int) {
  if (attached() != 0 && waiting_.size() < kWaitingMax) {
    waiting_.push_back(attached());
  }
  if (successor_.is_there()) {
    // This sender also gets the outcome of the running upgrade.
    if (log_ != nullptr) {
      log_->write(LogLevel::warning, "Upgrade requested while a new process is already starting.");
    }
    return;
  }
  std::string_view why_not = why_never();
  if (why_not.empty()) {
    why_not = owner_.why_not_now();
  }
  if (!why_not.empty()) {
    stay(why_not);
    return;
  }
  if (auto started = successor_.start(owner_.sockets(), {}, within_); !started) {
    stay(started.error().detail());
  }
}

void Succession::on_accepting(pid_t process, const std::vector<std::string>& places) {
  // Before `go`: systemd must know the new main process before that sends messages, and before this
  // process ends. Otherwise it would take the end of this process for the end of the service.
  systemd_.tell_and_wait("MAINPID=" + std::to_string(process));
  if (!successor_.say(HandoverWord::go)) {
    systemd_.tell_and_wait("MAINPID=" + std::to_string(::getpid()));
    successor_.kill(SIGTERM);  // it has given up, or would serve in addition to this one
    return;                    // `on_ended` follows
  }
  successor_.leave();
  if (log_ != nullptr) {
    log_->write(LogLevel::info, "Process " + std::to_string(process) +
                                    " took over; this process finishes its current requests.");
  }
  report(process, {});
  owner_.on_succeeded(places);
}

void Succession::on_ended(std::string_view why) {
  stay(why);
}

void Succession::report(pid_t successor, std::string_view why) noexcept {
  for (const UpgradeTicket ticket : std::exchange(waiting_, {})) {
    report_upgrade(ticket, successor, why);
  }
}

void Succession::stay(std::string_view why) {
  report(0, why);
  if (log_ != nullptr) {
    log_->write(LogLevel::error, std::string("No new process takes over: ")
                                     .append(why)
                                     .append(". This process keeps serving."));
  }
}

}  // namespace eider::detail::server
