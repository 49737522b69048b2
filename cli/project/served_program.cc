#include "cli/project/served_program.h"

#include <fmt/format.h>
#include <poll.h>

#include <csignal>
#include <ctime>
#include <filesystem>

#include "cli/commands.h"
#include "cli/dev/sockets.h"
#include "eider/io/runtime/signals_blocked.h"

namespace eider {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kReadyWithin(60);
constexpr std::chrono::seconds kEndWithin(30);
constexpr std::chrono::milliseconds kLookEvery(10);
constexpr std::chrono::milliseconds kReadEvery(100);
/// Maximum size of the kept output: enough for a cause, but not more than a screen.
constexpr std::size_t kSaidBytesMax = 4000;

}  // namespace

StepEnd ServedProgram::start(ServedCall call) {
  name_ = std::filesystem::path(call.words.front()).lexically_proximate(call.directory).string();
  const Descriptor listener = dev::listen_at("127.0.0.1", 0);
  const std::string notify = dev::name_for_notices();
  const Descriptor notices = dev::listen_for_notices(notify);
  if (!listener.is_open() || !notices.is_open()) {
    return {kCommandFailed, "cannot create a socket on 127.0.0.1"};
  }
  url_ = fmt::format("http://127.0.0.1:{}/", dev::port_of(listener));
  call.environment.insert(
      call.environment.end(),
      {{"EIDER_LISTEN", "systemd"}, {"EIDER_DRAIN_SECONDS", "5"}, {"NOTIFY_SOCKET", "@" + notify}});
  auto started = ChildProcess::start({.words = std::move(call.words),
                                      .directory = std::move(call.directory),
                                      .environment = std::move(call.environment),
                                      .output = ProgramCall::Output::kept_with_errors,
                                      .listens_on = listener.get()});
  if (!started) {
    return {kCommandFailed, started.error()};
  }
  child_ = std::move(*started);
  {
    const SignalsBlocked blocked;  // the main thread waits for them
    reader_ = std::jthread([this](const std::stop_token& stop) { read_all(stop); });
  }
  // The listener is closed after this: once the program has ended, connections must be refused.
  return wait_until_ready(notices);
}

StepEnd ServedProgram::wait_until_ready(const Descriptor& notices) {
  const auto deadline = Clock::now() + kReadyWithin;
  while (!dev::is_told_ready(notices)) {
    if (const auto how = child_.reap()) {
      return ended(*how, "before it was ready");
    }
    if (Clock::now() > deadline) {
      return {kCommandFailed, fmt::format("{} was not ready within {} s. App::run and App::serve "
                                          "report that to NOTIFY_SOCKET{}",
                                          name_, kReadyWithin.count(), last_said())};
    }
    if (is_stopped_within(kLookEvery)) {
      return {kCommandStopped};
    }
  }
  return {};
}

StepEnd ServedProgram::stop() {
  child_.signal(SIGTERM);
  const auto deadline = Clock::now() + kEndWithin;
  while (true) {
    if (const auto how = child_.reap()) {
      return how->is_good() ? StepEnd{} : ended(*how, "after SIGTERM");
    }
    if (Clock::now() > deadline) {
      return {kCommandFailed, fmt::format("{} did not end within {} s after SIGTERM{}", name_,
                                          kEndWithin.count(), last_said())};
    }
    if (is_stopped_within(kLookEvery)) {
      return {kCommandStopped};
    }
  }
}

StepEnd ServedProgram::ended(const Ending& how, std::string_view when) {
  return {kCommandFailed,
          fmt::format("{} exited with status {} {}{}", name_, how.code, when, last_said())};
}

std::chrono::nanoseconds ServedProgram::processor_time() const noexcept {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(child_.pid(), &clock) != 0 || clock_gettime(clock, &time) != 0) {
    return {};
  }
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void ServedProgram::read_all(const std::stop_token& stop) {
  while (child_.output_fd() >= 0) {
    pollfd waited{child_.output_fd(), POLLIN, 0};
    const bool is_over = stop.stop_requested();
    (void)::poll(&waited, 1, is_over ? 0 : static_cast<int>(kReadEvery.count()));
    said_ += child_.read_output();
    keep_end(said_, kSaidBytesMax);
    if (is_over) {
      return;
    }
  }
}

std::string ServedProgram::last_said() {
  reader_.request_stop();
  if (reader_.joinable()) {
    reader_.join();
  }
  return said_.empty() ? "" : ":\n" + said_;
}

}  // namespace eider
