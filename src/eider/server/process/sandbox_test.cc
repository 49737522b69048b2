// Access from within the sandbox: each case is a separate process, which enters it.
#include "eider/server/process/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/core/base/reached.h"
#include "eider/testkit/temp_directory.h"

namespace eider::detail::server {
namespace {

constexpr int kOtherwise = 0x10000;
#ifdef __has_feature  // g++ does not have it
constexpr bool kIsThreadSanitized = __has_feature(thread_sanitizer);
#else
constexpr bool kIsThreadSanitized = false;
#endif

/// Returns the exit status of a process that does this.
int exit_of(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);
    ::_exit(work());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kOtherwise + WTERMSIG(status);
}

/// Returns the error of a call, or 0.
int error_of(long result) {
  return result >= 0 ? 0 : errno;
}

int error_of_open(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  const int error = error_of(fd);
  ::close(fd);
  return error;
}

bool has_landlock() {
  constexpr unsigned kVersion = 1;
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kVersion) > 0;
}

/// qemu's user emulation does not support seccomp.
bool has_seccomp() {
  std::uint32_t action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

class Sandbox : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_seccomp()) {
      GTEST_SKIP() << "this kernel or emulator has no seccomp filter";
    }
  }
  /// Returns the number of the error within the sandbox.
  int within(const std::function<int()>& work) {
    return exit_of([&] { return enter_sandbox(options) ? work() : 255; });
  }
  std::string write(const std::string& name) {
    std::filesystem::create_directories((directory.path() / name).parent_path());
    std::ofstream(directory.path() / name) << "text";
    return (directory.path() / name).string();
  }

  const TempDirectory directory;
  ServerOptions options = [] {
    ServerOptions made;
    made.sandbox.mode = SandboxMode::on;
    return made;
  }();
};

TEST_F(Sandbox, reaches_what_is_named_and_nothing_else) {
  if (!has_landlock()) {
    GTEST_SKIP() << "this kernel has no landlock";
  }
  const std::string read = write("reads/a");
  const std::string written = write("writes/a");
  const std::string other = write("other/a");
  const std::string beside = write("reads_too/a");
  options.sandbox.reads = {(directory.path() / "reads").string()};
  options.sandbox.writes = {(directory.path() / "writes").string()};
  struct Case {
    std::string path;
    int flags;
    int error;
  };
  const std::string outside = "/proc/" + std::to_string(::getpid()) + "/";
  const std::vector<Case> cases{
      {read, O_RDONLY, 0},
      {read, O_WRONLY, EACCES},
      {read, O_RDONLY | O_TRUNC, EACCES},
      {directory.path() / "reads" / "new", O_WRONLY | O_CREAT, EACCES},
      {written, O_RDWR | O_TRUNC, 0},
      {directory.path() / "writes" / "new", O_WRONLY | O_CREAT, 0},
      {other, O_RDONLY, EACCES},
      {beside, O_RDONLY, EACCES},
      {directory.path() / "reads" / ".." / "other" / "a", O_RDONLY, EACCES},
      {directory.path(), O_RDONLY | O_DIRECTORY, EACCES},
      {"/etc/shadow", O_RDONLY, EACCES},
      {"/root", O_RDONLY | O_DIRECTORY, EACCES},
      {"/dev/null", O_WRONLY, 0},
      {"/dev/urandom", O_RDONLY, 0},
      {"/proc/self/status", O_RDONLY, 0},
      {outside + "environ", O_RDONLY, EACCES},
      {outside + "maps", O_RDONLY, EACCES},
      {outside + "mem", O_RDONLY, EACCES},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(within([&] { return error_of_open(each.path, each.flags); }), each.error)
        << each.path << " " << each.flags;
  }
  EXPECT_EQ(
      within([&] {
        return error_of(::rename(written.c_str(), (directory.path() / "reads" / "b").c_str()));
      }),
      EACCES);
  EXPECT_EQ(within([&] { return error_of(::unlink(read.c_str())); }), EACCES);
}

TEST_F(Sandbox, reaches_what_was_told_by_what_opens_it) {
  if (!has_landlock()) {
    GTEST_SKIP() << "this kernel has no landlock";
  }
  const std::string authorities = write("tls/ca.pem");
  const std::string log = write("log/shop.log");
  const std::string alone = write("home/.pgpass");
  const std::string beside = write("home/letters");
  base::allow_in_sandbox(authorities);
  base::will_write(log);
  base::will_read_alone(alone);
  base::will_write((directory.path() / "never" / "there").string());
  base::will_write("");
  EXPECT_EQ(within([&] { return error_of_open(authorities, O_RDONLY); }), 0);
  EXPECT_EQ(within([&] { return error_of_open(authorities, O_WRONLY); }), EACCES);
  // Log rotation: the file is renamed, and a new one is created.
  EXPECT_EQ(within([&] {
              const int moved = error_of(::rename(log.c_str(), (log + ".1").c_str()));
              return moved != 0 ? moved : error_of_open(log, O_WRONLY | O_CREAT);
            }),
            0);
  EXPECT_EQ(within([&] { return error_of_open(alone, O_RDONLY); }), 0);
  EXPECT_EQ(within([&] { return error_of_open(beside, O_RDONLY); }), EACCES);
}

TEST_F(Sandbox, refuses_calls_of_no_service_also_in_threads_that_ran_before) {
  const std::vector<std::pair<const char*, std::function<long()>>> calls{
      {"ptrace", [] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }},
      {"mount", [] { return ::mount("none", "/tmp", "tmpfs", 0, nullptr); }},
      {"unshare", [] { return ::unshare(CLONE_NEWUSER); }},
      {"clone", [] { return ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0); }},
      {"bpf", [] { return ::syscall(SYS_bpf, 0, nullptr, 0); }},
      {"keyctl", [] { return ::syscall(SYS_keyctl, 0, -3, 0); }},
      {"ioctl TIOCSTI", [] { return ::ioctl(STDIN_FILENO, TIOCSTI, "x"); }},
      {"ioctl TIOCLINUX", [] { return ::ioctl(STDIN_FILENO, TIOCLINUX, "x"); }},
      {"execve", [] { return ::execl("/bin/true", "true", nullptr); }},
  };
  for (const auto& [name, call] : calls) {
    EXPECT_EQ(within([&, refused = call] { return error_of(refused()); }), EPERM) << name;
    EXPECT_EQ(exit_of([&, refused = call] {
                std::atomic<bool> is_held = false;
                std::atomic<int> error = 0;
                std::thread before([&] {
                  while (!is_held) {
                    std::this_thread::yield();
                  }
                  error = error_of(refused());
                });
                const bool held = enter_sandbox(options).has_value();
                is_held = true;
                before.join();
                return held ? error.load() : 255;
              }),
              EPERM)
        << name;
  }
}

TEST_F(Sandbox, drops_the_capabilities_that_reach_the_kernel) {
  const auto has_any = [] {
    for (const int each : {CAP_SYS_ADMIN, CAP_PERFMON, CAP_SYS_PTRACE, CAP_SYS_MODULE}) {
      __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
      std::array<__user_cap_data_struct, 2> sets{};
      ::syscall(SYS_capget, &header, sets.data());
      const auto& set = sets[static_cast<std::size_t>(CAP_TO_INDEX(each))];
      if (((set.effective | set.permitted | set.inheritable) & CAP_TO_MASK(each)) != 0) {
        return 1;
      }
      if (::geteuid() == 0 && ::prctl(PR_CAPBSET_READ, each, 0, 0, 0) != 0) {
        return 2;
      }
    }
    return 0;
  };
  EXPECT_EQ(within(has_any), 0);
}

TEST_F(Sandbox, refuses_io_uring_if_the_backend_is_epoll) {
  const auto set_up = [] { return error_of(::syscall(SYS_io_uring_setup, 0, nullptr)); };
  options.backend = Backend::epoll;
  EXPECT_EQ(within(set_up), EPERM);
  const int outside = exit_of(set_up);
  options.backend = Backend::io_uring;
  EXPECT_EQ(within(set_up), outside);
  options.backend = Backend::automatic;
  EXPECT_EQ(within(set_up), outside);
}

TEST_F(Sandbox, still_lets_other_ioctls_pass) {
  EXPECT_EQ(within([] {
              int count = 0;
              const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
              return error_of(::ioctl(fd, FIOCLEX)) + error_of(::ioctl(fd, FIONBIO, &count));
            }),
            0);
}

TEST_F(Sandbox, lets_threads_and_processes_begin) {
  EXPECT_EQ(within([] {
              int sum = 0;
              std::thread([&] { sum = 7; }).join();
              const pid_t child = ::fork();
              if (child == 0) {
                ::_exit(0);
              }
              int status = 1;
              return ::waitpid(child, &status, 0) == child && status == 0 ? sum : 1;
            }),
            7);
}

TEST_F(Sandbox, starts_programs_of_its_own_directory_where_one_may_follow) {
  options.upgrades_on_signal = true;
  const int error = within([] { return error_of(::execl("/bin/true", "true", nullptr)); });
  EXPECT_EQ(error, has_landlock() ? EACCES : 0);
  // This test program, which ends immediately.
  EXPECT_EQ(within([] {
              ::unsetenv("GTEST_OUTPUT");                     // a file without write permission
              ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // the leak check would use ptrace
              return error_of(::execl("/proc/self/exe", "test", "--gtest_list_tests",
                                      "--gtest_filter=nothing", nullptr));
            }),
            0);
}

TEST_F(Sandbox, is_entered_once_by_those_that_follow_each_other) {
  const auto filters = [] {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("Seccomp_filters:")) {
        return std::stoi(line.substr(line.find(':') + 1));
      }
    }
    return 200;
  };
  const int before = filters();
  EXPECT_EQ(within([&] {
              for (int i = 0; i < 40; ++i) {  // the kernel allows sixteen
                if (!enter_sandbox(options)) {
                  return 254;
                }
              }
              return filters() - before;
            }),
            1);
  // The variable alone is not trusted.
  ::setenv("EIDER_SANDBOXED", "1", 1);
  EXPECT_EQ(within([] { return error_of(::unshare(CLONE_NEWUSER)); }), EPERM);
  ::unsetenv("EIDER_SANDBOXED");
}

TEST_F(Sandbox, names_a_path_that_is_not_there) {
  if (!has_landlock()) {
    GTEST_SKIP() << "this kernel has no landlock";
  }
  options.sandbox.writes = {"/nowhere/at/all"};
  EXPECT_EQ(exit_of([&] {
              const auto entered = enter_sandbox(options);
              return !entered &&
                             entered.error().detail().find("/nowhere/at/all") != std::string::npos
                         ? 0
                         : 1;
            }),
            0);
}

TEST_F(Sandbox, that_is_required_holds_all_threads_or_none) {
  options.sandbox.mode = SandboxMode::required;
  EXPECT_EQ(exit_of([&] {
              std::atomic<bool> is_over = false;
              std::thread before([&] {
                while (!is_over) {
                  std::this_thread::yield();
                }
              });
              const auto entered = enter_sandbox(options);
              is_over = true;
              before.join();
              return entered ? 1 : 0;
            }),
            0);
  // ThreadSanitizer starts its own thread in each process, before the sandbox.
  EXPECT_EQ(exit_of([&] { return enter_sandbox(options) ? 0 : 1; }),
            has_landlock() && !kIsThreadSanitized ? 0 : 1);
}

/// A log like that of open_log: its thread starts with the first line.
class ThreadedLog final : public LogSink {
 public:
  ~ThreadedLog() override { ThreadedLog::end_thread(); }
  void write(LogLevel /*level*/, std::string_view /*line*/) noexcept override {
    end_thread();
    is_over_ = false;
    thread_ = std::thread([this] { is_over_.wait(false); });
  }
  void end_thread() noexcept override {
    is_over_ = true;
    is_over_.notify_all();
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  [[nodiscard]] bool has_thread() const noexcept { return thread_.joinable(); }

 private:
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

// The thread ends and restarts within the sandbox.
TEST_F(Sandbox, that_is_required_takes_a_log_that_has_a_line_already) {
  if (!has_landlock() || kIsThreadSanitized) {
    GTEST_SKIP() << "no sandbox is whole: this kernel has no landlock, or there is another thread";
  }
  options.sandbox.mode = SandboxMode::required;
  EXPECT_EQ(exit_of([&] {
              ThreadedLog log;
              options.log = &log;
              log.write(LogLevel::warning, "a certificate will expire soon");
              return enter_sandbox(options) && !log.has_thread() ? 0 : 1;
            }),
            0);
}

TEST_F(Sandbox, leaves_no_thread_behind_by_what_it_says_itself) {
  EXPECT_EQ(exit_of([&] {
              ThreadedLog log;
              options.log = &log;
              std::atomic<bool> is_over = false;
              std::thread before([&] { is_over.wait(false); });
              const bool is_entered = enter_sandbox(options).has_value();
              is_over = true;
              is_over.notify_all();
              before.join();
              return is_entered && !log.has_thread() ? 0 : 1;
            }),
            0);
}

TEST_F(Sandbox, that_is_off_changes_nothing) {
  options.sandbox.mode = SandboxMode::off;
  EXPECT_EQ(within([] { return error_of_open("/etc/passwd", O_RDONLY); }), 0);
  EXPECT_EQ(within([] { return error_of(::execl("/bin/true", "true", nullptr)); }), 0);
}

TEST(SandboxPlace, is_the_directory_of_a_file_unless_that_is_everybodys) {
  const TempDirectory directory;
  const std::string file = (directory.path() / "a" / "b").string();
  std::filesystem::create_directory(directory.path() / "a");
  EXPECT_EQ(sandbox_place_of(file), (directory.path() / "a").string());
  EXPECT_EQ(sandbox_place_of((directory.path() / "a").string()), (directory.path() / "a").string());
  EXPECT_EQ(sandbox_place_of("/etc/passwd"), "/etc/passwd");
  EXPECT_EQ(sandbox_place_of("/shop.db"), "/shop.db");
  EXPECT_EQ(sandbox_place_of("/no-such-volume/shop.db"), "/no-such-volume") << "a new container";
  EXPECT_EQ(sandbox_place_of("/nothing"), "/nothing");
}

}  // namespace
}  // namespace eider::detail::server
