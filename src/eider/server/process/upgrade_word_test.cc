// Reports of upgrades between processes of the same user and of different users.
#include "eider/server/process/upgrade_word.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>

namespace eider::detail::server {
namespace {

constexpr uid_t kOtherUser = 65534;

/// Runs `what` in a child process. Returns whether it returned true.
class InChild {
 public:
  InChild(uid_t user, const std::function<bool(int)>& what) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    channel_ = Descriptor(ends[0]);
    const Descriptor of_child(ends[1]);
    child_ = ::fork();
    if (child_ == 0) {
      channel_.close();
      ::_exit((user == ::geteuid() || ::setuid(user) == 0) && what(of_child.get()) ? 0 : 1);
    }
  }
  [[nodiscard]] int channel() const noexcept { return channel_.get(); }
  [[nodiscard]] bool ends_well() const {
    int status = -1;
    EXPECT_EQ(::waitpid(child_, &status, 0), child_);
    return status == 0;
  }

 private:
  Descriptor channel_;
  pid_t child_ = -1;
};

/// Whether a process of `user` gets a report of this process.
bool gets_report(uid_t user) {
  const InChild waiting(user, [](int channel) {
    auto request = UpgradeRequest::make(::getppid());
    const UpgradeTicket ticket = request->ticket();
    char go = 0;
    return ::send(channel, &ticket, sizeof(ticket), 0) == sizeof(ticket) &&
           ::recv(channel, &go, 1, 0) == 1 && request->outcome().has_value();
  });
  UpgradeTicket ticket = 0;
  EXPECT_EQ(::recv(waiting.channel(), &ticket, sizeof(ticket), 0), ssize_t{sizeof(ticket)});
  report_upgrade(ticket, 12, "secret");
  EXPECT_EQ(::send(waiting.channel(), "g", 1, MSG_NOSIGNAL), 1);
  return waiting.ends_well();
}

/// A process of `user` sends a report.
void report_as(uid_t user, UpgradeTicket ticket) {
  const InChild other(user, [ticket](int) {
    report_upgrade(ticket, 66, "a lie");
    return true;
  });
  EXPECT_TRUE(other.ends_well());
}

TEST(UpgradeRequest, gets_the_report_of_the_service) {
  auto request = UpgradeRequest::make(::getpid());
  ASSERT_TRUE(request) << request.error();
  EXPECT_FALSE(request->outcome());
  report_upgrade(request->ticket(), 12, {});
  report_upgrade(request->ticket(), 0, "the process exited with status 3");
  pollfd waited{request->fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&waited, 1, 0), 1);
  const auto served = request->outcome();
  ASSERT_TRUE(served);
  EXPECT_EQ(served->successor, 12);
  EXPECT_EQ(served->why, "");
  const auto failed = request->outcome();
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->successor, 0);
  EXPECT_EQ(failed->why, "the process exited with status 3");
  EXPECT_FALSE(request->outcome());
}

TEST(UpgradeRequest, gets_a_report_that_is_sent_after_the_service_was_accepted) {
  auto request = UpgradeRequest::make(::getpid());
  ASSERT_TRUE(request);
  sockaddr_un at{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string name = "eider/upgrade/" + std::to_string(request->ticket());
  name.copy(at.sun_path + 1, name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const Descriptor service(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(service.get(), reinterpret_cast<const sockaddr*>(&at), size), 0);
  EXPECT_FALSE(request->outcome());
  EXPECT_FALSE(request->outcome());
  ASSERT_EQ(::send(service.get(), "12 ", 3, MSG_NOSIGNAL), 3);
  pollfd waited{request->fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&waited, 1, 0), 1);
  const auto outcome = request->outcome();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->successor, 12);
}

TEST(UpgradeRequest, cannot_be_blocked_by_another_request) {
  auto first = UpgradeRequest::make(::getpid());
  auto second = UpgradeRequest::make(::getpid());
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->ticket(), second->ticket());
  report_upgrade(second->ticket(), 12, {});
  EXPECT_FALSE(first->outcome());
  EXPECT_TRUE(second->outcome());
}

TEST(UpgradeRequest, ignores_reports_of_other_processes) {
  auto request = UpgradeRequest::make(::getpid());
  ASSERT_TRUE(request);
  report_as(::geteuid(), request->ticket());
  EXPECT_FALSE(request->outcome());
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can start a process of another user";
  }
  report_as(kOtherUser, request->ticket());
  report_upgrade(request->ticket(), 12, {});
  const auto outcome = request->outcome();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->successor, 12);
}

TEST(UpgradeReport, is_sent_only_to_the_same_user_and_root) {
  EXPECT_TRUE(gets_report(::geteuid()));
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can start a process of another user";
  }
  EXPECT_FALSE(gets_report(kOtherUser));
  // The service runs as that user; only root can request.
  const InChild service(kOtherUser, [](int) { return gets_report(::geteuid()); });
  EXPECT_TRUE(service.ends_well());
}

TEST(UpgradeReport, is_dropped_when_no_process_waits) {
  UpgradeTicket ticket = 0;
  report_upgrade(ticket, 12, {});
  {
    auto request = UpgradeRequest::make(::getpid());
    ASSERT_TRUE(request);
    ticket = request->ticket();
  }
  report_upgrade(ticket, 12, {});
}

}  // namespace
}  // namespace eider::detail::server
