#include "eider/server/process/systemd_notify.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/sleep.h"
#include "eider/server/process/sent_descriptors.h"

namespace eider::detail::server {

namespace {

constexpr int kWaitSeconds = 5;
constexpr long long kWatchdogMax = 365LL * 24 * 60 * 60 * 1'000'000;  // a year
/// Loops do not run in step. If each notifies at a quarter of the time, the last one does so within
/// half of it, as sd_watchdog_enabled(3) requires.
constexpr int kTurnsPerTime = 4;

/// Returns 0 if the variable is not set or is not a number.
long long number_in(const char* name) noexcept {
  const char* text = std::getenv(name);
  long long number = 0;
  if (text != nullptr) {
    std::from_chars(text, text + std::strlen(text), number);
  }
  return number;
}

}  // namespace

SystemdNotify SystemdNotify::from_environment() {
  SystemdNotify made;
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (*path != '/' && *path != '@')) {
    return made;
  }
  made.path_ = path;
  const long long process = number_in("WATCHDOG_PID");
  if (process == 0 || process == ::getpid()) {  // without it, the variable applies to any process
    made.watchdog_time_ =
        std::chrono::microseconds(std::clamp(number_in("WATCHDOG_USEC"), 0LL, kWatchdogMax));
  }
  return made;
}

void SystemdNotify::tell(std::string_view lines) const noexcept {
  (void)send(lines, {}, MSG_DONTWAIT);
}

void SystemdNotify::tell_and_wait(std::string_view lines) const noexcept {
  (void)send(lines, {}, 0);
}

bool SystemdNotify::give_and_wait(std::string_view lines,
                                  std::span<const int> descriptors) const noexcept {
  return send(lines, descriptors, 0);
}

bool SystemdNotify::send(std::string_view lines, std::span<const int> descriptors,
                         int flags) const noexcept {
  sockaddr_un to{};
  if (path_.empty() || path_.size() >= sizeof(to.sun_path)) {
    return false;
  }
  to.sun_family = AF_UNIX;
  std::ranges::copy(path_, to.sun_path);
  if (to.sun_path[0] == '@') {
    to.sun_path[0] = '\0';
  }
  const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const timeval patience{.tv_sec = kWaitSeconds, .tv_usec = 0};
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  iovec piece{.iov_base = const_cast<char*>(lines.data()), .iov_len = lines.size()};
  msghdr message{};
  message.msg_name = &to;
  message.msg_namelen = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_.size());
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  SentDescriptors sent;
  if (!descriptors.empty()) {
    sent.attach(message, descriptors);
  }
  return ::sendmsg(socket.get(), &message, flags | MSG_NOSIGNAL) >= 0;
}

LoopWatchdog::LoopWatchdog(const SystemdNotify& notify, std::size_t loops)
    : LoopWatchdog(notify.watchdog_time(), [&notify] { notify.tell("WATCHDOG=1"); }, loops) {}

LoopWatchdog::LoopWatchdog(Duration within, std::function<void()> tell, std::size_t loops)
    : tell_(std::move(tell)),
      pause_(within / kTurnsPerTime),
      has_turned_(loops, false),
      left_(loops) {}

Task<> LoopWatchdog::watch(std::size_t index) {
  while (true) {
    on_turned(index);
    co_await sleep_for(pause_);
  }
}

void LoopWatchdog::on_turned(std::size_t index) {
  const std::scoped_lock lock(mutex_);
  if (has_turned_[index]) {
    return;
  }
  has_turned_[index] = true;
  if (--left_ == 0) {
    has_turned_.assign(has_turned_.size(), false);
    left_ = has_turned_.size();
    tell_();
  }
}

}  // namespace eider::detail::server
