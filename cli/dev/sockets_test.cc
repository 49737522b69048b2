#include "cli/dev/sockets.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace eider::dev {
namespace {

TEST(DevSockets, what_connects_waits_until_it_is_accepted) {
  const Descriptor listener = listen_at("127.0.0.1", 0);
  ASSERT_TRUE(listener.is_open());
  EXPECT_TRUE(is_accepted_from(listener));
  Descriptor probe = connect_to(listener);
  EXPECT_FALSE(is_accepted_from(listener));
  probe = Descriptor();
  EXPECT_FALSE(is_accepted_from(listener)) << "one that has left again is accepted, too";
  const Descriptor accepted(::accept(listener.get(), nullptr, nullptr));
  EXPECT_TRUE(accepted.is_open());
  EXPECT_TRUE(is_accepted_from(listener));
  EXPECT_FALSE(is_accepted_from(Descriptor()));
}

/// Sends like systemd-notify, as that user; 0: the current one.
void notify(const std::string& name, std::string_view text, uid_t user) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_user = user == 0 || ::setresuid(user, user, user) == 0;
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    name.copy(at.sun_path + 1, sizeof(at.sun_path) - 1);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const Descriptor from(::socket(AF_UNIX, SOCK_DGRAM, 0));
    const bool is_sent = ::sendto(from.get(), text.data(), text.size(), 0,
                                  reinterpret_cast<const sockaddr*>(&at), size) > 0;
    ::_exit(is_user && is_sent ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
}

TEST(DevSockets, only_this_user_says_that_a_program_is_ready) {
  const std::string name = name_for_notices();
  const Descriptor notices = listen_for_notices(name);
  ASSERT_TRUE(notices.is_open());
  EXPECT_NE(name, name_for_notices());
  EXPECT_FALSE(is_told_ready(notices));
  notify(name, "STATUS=loading", 0);
  EXPECT_FALSE(is_told_ready(notices));
  if (::geteuid() == 0) {
    constexpr uid_t kOther = 65534;
    notify(name, "READY=1", kOther);
    EXPECT_FALSE(is_told_ready(notices));
  }
  notify(name, "STATUS=done\nREADY=1", 0);
  EXPECT_TRUE(is_told_ready(notices));
  EXPECT_FALSE(is_told_ready(notices));
}

}  // namespace
}  // namespace eider::dev
