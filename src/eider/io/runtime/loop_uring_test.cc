#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "eider/io/runtime/loop.h"

namespace eider {
namespace {

constexpr int kIsDifferent = 1;
constexpr int kIsWithoutLibrary = 2;

/// Makes `io_uring_setup` fail with `error` from now on, as a container's filter or an old kernel
/// does.
bool refuse_rings(int error) {
  const auto response = SECCOMP_RET_ERRNO | static_cast<unsigned>(error);
  sock_filter lines[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, response),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = 4, .filter = lines};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

int look_at_backends(int error, std::string_view reason) {
  if (!refuse_rings(error)) {
    return kIsWithoutLibrary;
  }
  const auto uring = Loop::create(Backend::io_uring);
  if (uring) {
    return kIsDifferent;
  }
  const std::string detail = uring.error().detail();
  if (contains(detail, "does not include liburing")) {
    return kIsWithoutLibrary;
  }
  const auto automatic = Loop::create(Backend::automatic);
  const bool has_fallen_back = automatic && (*automatic)->name() == "epoll";
  return has_fallen_back && contains(detail, reason) && contains(detail, "use the epoll backend")
             ? 0
             : kIsDifferent;
}

struct Refusal {
  int error;
  const char* reason;
};

class RefusedUring : public ::testing::TestWithParam<Refusal> {};
INSTANTIATE_TEST_SUITE_P(Table, RefusedUring,
                         ::testing::Values(Refusal{EPERM, "forbids io_uring"},
                                           Refusal{ENOSYS, "has no io_uring"},
                                           Refusal{EINVAL, "use Linux 6.1"},
                                           Refusal{ENOMEM, "RLIMIT_MEMLOCK"},
                                           Refusal{EMFILE, "Too many open files"}));

// In a child process, because a filter cannot be removed.
TEST_P(RefusedUring, is_explained_and_automatic_takes_epoll) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::_exit(look_at_backends(GetParam().error, GetParam().reason));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kIsWithoutLibrary) {
    GTEST_SKIP() << "no filter, or no liburing";
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace eider
