// Notifications to systemd: a socket of the test replaces that of systemd.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/scope.h"
#include "eider/server/process/systemd_notify.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"
#include "eider/testkit/temp_directory.h"

namespace eider::detail::server {
namespace {

using namespace std::chrono_literals;

/// Sets an environment variable for its lifetime.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

/// The socket of systemd.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path)
      : path_(path), socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.copy(at.sun_path, sizeof(at.sun_path) - 1);
    if (path.front() == '@') {
      at.sun_path[0] = '\0';
    }
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&at), length), 0);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Returns all received messages.
  [[nodiscard]] std::vector<std::string> heard() const {
    std::vector<std::string> all;
    std::array<char, 256> buffer{};
    ssize_t length = 0;
    while ((length = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT)) >= 0) {
      all.emplace_back(buffer.data(), static_cast<std::size_t>(length));
    }
    return all;
  }

 private:
  std::string path_;
  Descriptor socket_;
};

using Heard = std::vector<std::string>;

TEST(Systemd, hears_at_a_path_and_at_an_abstract_name) {
  const TempDirectory directory;
  for (const std::string& where :
       {(directory.path() / "notify").string(), "@eider-test-" + std::to_string(::getpid())}) {
    const NotifySocket systemd(where);
    const Variable path("NOTIFY_SOCKET", where);
    const auto notify = SystemdNotify::from_environment();
    notify.tell_and_wait("READY=1");
    notify.tell("STOPPING=1");
    EXPECT_EQ(systemd.heard(), (Heard{"READY=1", "STOPPING=1"})) << where;
  }
}

TEST(Systemd, is_told_nothing_where_nobody_listens) {
  SystemdNotify().tell_and_wait("READY=1");
  for (const char* where : {"/nowhere/notify", "", "notify", "vsock:2:1"}) {
    const Variable path("NOTIFY_SOCKET", where);
    SystemdNotify::from_environment().tell_and_wait("READY=1");
  }
  const Variable path("NOTIFY_SOCKET", "/" + std::string(300, 'x'));
  SystemdNotify::from_environment().tell_and_wait("READY=1");
}

TEST(Systemd, holds_up_no_loop_when_it_takes_nothing) {
  const TempDirectory directory;
  const NotifySocket systemd((directory.path() / "notify").string());
  const Variable path("NOTIFY_SOCKET", systemd.path());
  const auto notify = SystemdNotify::from_environment();
  for (int i = 0; i < 10'000; ++i) {
    notify.tell("WATCHDOG=1");  // the queue becomes full long before the end
  }
  const std::size_t heard = systemd.heard().size();
  EXPECT_GT(heard, 0U);
  EXPECT_LT(heard, 10'000U);
}

TEST(Systemd, watches_whom_it_names) {
  const Variable path("NOTIFY_SOCKET", "/run/notify");
  EXPECT_EQ(SystemdNotify::from_environment().watchdog_time(), Duration::zero());
  for (const auto& [text, time] : std::vector<std::pair<std::string, Duration>>{
           {"2000000", 2s}, {"-1", 0s}, {"soon", 0s}, {"9223372036854775807", 365 * 24h}}) {
    const Variable watchdog("WATCHDOG_USEC", text);
    EXPECT_EQ(SystemdNotify::from_environment().watchdog_time(), time) << text;
  }
  const Variable watchdog("WATCHDOG_USEC", "2000000");
  const Variable ours("WATCHDOG_PID", std::to_string(::getpid()));
  EXPECT_EQ(SystemdNotify::from_environment().watchdog_time(), 2s);
  const Variable of_another("WATCHDOG_PID", std::to_string(::getpid() + 1));
  EXPECT_EQ(SystemdNotify::from_environment().watchdog_time(), Duration::zero());
}

class Watchdog : public ::testing::Test {
 protected:
  const TempDirectory directory_;
  const NotifySocket systemd_{(directory_.path() / "notify").string()};
  const Variable path_{"NOTIFY_SOCKET", systemd_.path()};
  const Variable time_{"WATCHDOG_USEC", "2000000"};
  const SystemdNotify notify_ = SystemdNotify::from_environment();
  LoopWatchdog watchdog_{notify_, 2};
  SimKernel kernel_;
  SimLoop loop_{kernel_};
  Scope first_;
  Scope second_;
};

TEST_F(Watchdog, hears_within_half_of_its_time_that_all_loops_turn) {
  loop_.call([&] { first_.start(watchdog_.watch(0)); });
  kernel_.advance(300ms);
  EXPECT_EQ(systemd_.heard(), Heard());
  loop_.call([&] { second_.start(watchdog_.watch(1)); });
  EXPECT_EQ(systemd_.heard(), Heard{"WATCHDOG=1"});
  for (int i = 0; i < 10; ++i) {
    kernel_.advance(1s);
    EXPECT_GE(systemd_.heard().size(), 1U);
  }
  loop_.call([&] {
    first_.cancel();
    second_.cancel();
  });
}

TEST_F(Watchdog, hears_nothing_more_once_one_of_them_is_stuck) {
  loop_.call([&] {
    first_.start(watchdog_.watch(0));
    second_.start(watchdog_.watch(1));
  });
  EXPECT_EQ(systemd_.heard(), Heard{"WATCHDOG=1"});
  loop_.call([&] { second_.cancel(); });
  kernel_.advance(1min);
  EXPECT_EQ(systemd_.heard(), Heard());
  loop_.call([&] { first_.cancel(); });
}

}  // namespace
}  // namespace eider::detail::server
