// The rights of a process after it has dropped them: each case is a separate process.
#include "eider/server/process/rights.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>

#include "eider/server/process/pid_file.h"
#include "eider/testkit/temp_directory.h"

namespace eider::detail::server {
namespace {

constexpr uid_t kUser = 54321;
constexpr gid_t kGroup = 54322;

ProcessRights of_nobody() {
  ProcessRights rights;
  rights.user = std::to_string(kUser);
  rights.group = std::to_string(kGroup);
  return rights;
}

/// Returns the exit status of a process that does this.
int ended_with(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);
    ::_exit(work());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int become_nobody() {
  const auto user = find_serving_user(of_nobody());
  return user && *user && become(**user) ? 0 : 1;
}

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class Rights : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "only root can become another user";
    }
  }
};

TEST_F(Rights, are_gone_for_good) {
  EXPECT_EQ(ended_with(become_nobody), 0);
  EXPECT_EQ(ended_with([] {
              const gid_t more[] = {0, 4, 27};
              (void)::setgroups(3, more);
              if (become_nobody() != 0) {
                return 100;
              }
              return ::setuid(0) == 0 || ::setgid(0) == 0 || ::setgroups(3, more) == 0 ||
                             ::getgroups(0, nullptr) != 1 || ::open("/etc/shadow", O_RDONLY) >= 0
                         ? 1
                         : 0;
            }),
            0);
  EXPECT_EQ(ended_with([] {
              return become_nobody() == 0 ? ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) : 100;
            }),
            1);
}

TEST_F(Rights, are_gone_in_threads_that_ran_before) {
  EXPECT_EQ(ended_with([] {
              std::atomic<int> step = 0;
              int error = 0;
              std::thread before([&] {
                while (step != 1) {
                  std::this_thread::yield();
                }
                error = ::open("/etc/shadow", O_RDONLY) >= 0 || ::geteuid() != kUser ? 1 : 0;
              });
              const int became = become_nobody();
              step = 1;
              before.join();
              return became != 0 ? 100 : error;
            }),
            0);
}

TEST_F(Rights, that_are_kept_across_a_change_of_user_are_seen_and_dropped) {
  // With this bit, the kernel keeps all capabilities when the user changes.
  EXPECT_EQ(ended_with([] {
              constexpr unsigned long kNoFixup = 1UL << 2U;
              if (::prctl(PR_SET_SECUREBITS, kNoFixup, 0, 0, 0) != 0) {
                return 0;
              }
              const int became = become_nobody();
              return became == 0 && ::open("/etc/shadow", O_RDONLY) >= 0 ? 1 : became;
            }),
            0);
  // Settings of a single thread cannot be changed from here, so this is rejected.
  EXPECT_EQ(ended_with([] {
              constexpr unsigned long kNoFixup = 1UL << 2U;
              std::atomic<int> step = 0;
              std::thread before([&] {
                step = ::prctl(PR_SET_SECUREBITS, kNoFixup, 0, 0, 0) == 0 ? 1 : 2;
                while (step != 3) {
                  std::this_thread::yield();
                }
              });
              while (step == 0) {
                std::this_thread::yield();
              }
              const bool is_set = step == 1;
              const int became = become_nobody();
              step = 3;
              before.join();
              return is_set && became == 0 ? 1 : 0;
            }),
            0);
}

TEST_F(Rights, of_who_is_that_user_already_stay) {
  EXPECT_EQ(ended_with([] {
              if (become_nobody() != 0) {
                return 100;
              }
              const auto again = find_serving_user(of_nobody());
              ProcessRights other = of_nobody();
              other.user = "54323";
              return again && !*again && !find_serving_user(other) ? 0 : 1;
            }),
            0);
  // The same user with an additional group counts as another one.
  EXPECT_EQ(ended_with([] {
              const gid_t more[] = {kGroup, 4};
              const bool is_changed = ::setgroups(2, more) == 0 &&
                                      ::setresgid(kGroup, kGroup, kGroup) == 0 &&
                                      ::setresuid(kUser, kUser, kUser) == 0;
              return !is_changed || find_serving_user(of_nobody()) ? 1 : 0;
            }),
            0);
}

TEST_F(Rights, make_sockets_of_the_group_while_they_are_bound) {
  const TempDirectory directory;
  const std::string path = (directory.path() / "s").string();
  const auto user = find_serving_user(of_nobody());
  {
    const FilesOfGroup as_group(*user);
    std::ofstream(path) << "";
  }
  std::ofstream(path + "2") << "";
  struct stat found{};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_gid, kGroup);
  ASSERT_EQ(::stat((path + "2").c_str(), &found), 0);
  EXPECT_NE(found.st_gid, kGroup);
}

TEST(ProcessLimits, are_set_and_told_where_they_cannot_be) {
  ProcessRights rights;
  rights.umask = 027;
  rights.open_files_max = 100;
  rights.memory_bytes_max = 1UL << 30U;
  EXPECT_EQ(ended_with([&] {
              rlimit files{};
              rlimit memory{};
              const bool is_set = apply_limits(rights).has_value() &&
                                  ::getrlimit(RLIMIT_NOFILE, &files) == 0 &&
                                  ::getrlimit(RLIMIT_DATA, &memory) == 0;
              return is_set && files.rlim_max == 100 && memory.rlim_cur == 1UL << 30U &&
                             ::umask(0) == 027
                         ? 0
                         : 1;
            }),
            0);
  rights.open_files_max = 1UL << 40U;
  EXPECT_EQ(ended_with([&] {
              const auto applied = apply_limits(rights);
              return !applied && applied.error().detail().find("LimitNOFILE=") != std::string::npos
                         ? 0
                         : 1;
            }),
            0);
}

TEST(PidFile, is_ones_own_and_no_link_is_followed) {
  const TempDirectory directory;
  const auto victim = directory.path() / "victim";
  const auto path = directory.path() / "pid";
  std::ofstream(victim) << "as it was";
  std::filesystem::create_symlink(victim, path);
  std::filesystem::create_symlink(victim, path.string() + "." + std::to_string(::getpid()));
  PidFile file;
  ASSERT_TRUE(file.write(path));
  EXPECT_EQ(contents(path), std::to_string(::getpid()) + "\n");
  EXPECT_EQ(contents(victim), "as it was");
  EXPECT_FALSE(std::filesystem::is_symlink(path));
  file.remove();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(PidFile().write("/nowhere/pid"));
  EXPECT_TRUE(PidFile().write(""));
}

TEST(PidFile, of_another_process_is_not_removed) {
  const TempDirectory directory;
  const auto path = directory.path() / "pid";
  PidFile file;
  ASSERT_TRUE(file.write(path));
  std::filesystem::remove(path);
  std::ofstream(path) << "1\n";
  file.remove();
  EXPECT_EQ(contents(path), "1\n");
}

TEST_F(Rights, that_are_gone_still_fill_the_pid_file_that_was_made_before) {
  const TempDirectory directory;
  std::filesystem::permissions(directory.path(), std::filesystem::perms{0755});
  const auto path = directory.path() / "pid";
  std::ofstream(path) << "1234567\n";
  EXPECT_EQ(ended_with([&] {
              const auto user = find_serving_user(of_nobody());
              PidFile file;
              file.prepare(path, *user);
              if (!contents(path).empty() || become_nobody() != 0 || !file.write(path)) {
                return 1;
              }
              PidFile next;  // of the next process
              return next.write(path) && contents(path) == std::to_string(::getpid()) + "\n" ? 0
                                                                                             : 2;
            }),
            0);
  // Files of other users, with two names, or behind a link are not changed.
  const auto other = directory.path() / "other";
  std::ofstream(other) << "1\n";
  std::filesystem::create_hard_link(path, directory.path() / "second");
  std::filesystem::create_symlink(path, directory.path() / "link");
  EXPECT_EQ(ended_with([&] {
              return become_nobody() != 0                         ? 100
                     : PidFile().write(other)                     ? 1
                     : PidFile().write(path)                      ? 2
                     : PidFile().write(directory.path() / "link") ? 3
                                                                  : 0;
            }),
            0);
  EXPECT_EQ(contents(other), "1\n");
}

}  // namespace
}  // namespace eider::detail::server
