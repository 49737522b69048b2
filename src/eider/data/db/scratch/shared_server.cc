#include "eider/data/db/scratch/shared_server.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <thread>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/loop.h"

namespace eider::detail::scratch {
namespace {

constexpr unsigned kTickUs = 250'000;
constexpr int kIdleTicksMax = 40;
constexpr std::size_t kWhereBytesMax = 1024;

bool lock(int fd, int how) noexcept {
  int done = ::flock(fd, how);
  while (done != 0 && errno == EINTR) {
    done = ::flock(fd, how);
  }
  return done == 0;
}

/// Opens a file of this user only, because other users can write to the directory.
Descriptor open_own(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  struct stat about{};
  const bool is_own = file.is_open() && ::fstat(file.get(), &about) == 0 &&
                      S_ISREG(about.st_mode) && about.st_uid == ::geteuid();
  return is_own ? std::move(file) : Descriptor();
}

std::string text_of(int file) {
  std::array<char, kWhereBytesMax> text{};
  const ssize_t bytes = ::pread(file, text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(bytes < 0 ? 0 : bytes)};
}

/// The process of the server: runs until the users' lock was free for some seconds. `users` and
/// `alive` are files on which this process has its own locks.
[[noreturn]] void serve(TemporaryResource& server, const std::string& path, int report) {
  int none = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  leave_other_process(none, report);
  const Descriptor users = open_own(path);
  const Descriptor alive = open_own(path + ".alive");
  std::array<int, 2> line{-1, -1};
  const bool is_ready = ::pipe2(line.data(), O_CLOEXEC) == 0 && users.is_open() &&
                        alive.is_open() && lock(alive.get(), LOCK_EX | LOCK_NB);
  const auto address = is_ready ? server.make(Parent(line[0]))
                                : Result<std::string, std::string>(fail("cannot lock " + path));
  (void)runtime::write_all(report, (address ? "+" + *address : "-" + address.error()) + '\0');
  ::close(report);
  for (int idle = address ? 0 : kIdleTicksMax; idle < kIdleTicksMax;) {
    ::usleep(kTickUs);
    const bool is_unused = lock(users.get(), LOCK_EX | LOCK_NB);
    idle = is_unused ? idle + 1 : 0;
    if (is_unused && idle == kIdleTicksMax) {
      (void)::ftruncate(users.get(), 0);
    }
    (void)lock(users.get(), LOCK_UN);
  }
  (void)server.remove();
  ::_exit(0);
}

/// Pre: only this process has the users' lock.
Result<std::string, std::string> start(const std::string& path, TemporaryResource& server) {
  std::array<int, 2> report{-1, -1};
  if (::pipe2(report.data(), O_CLOEXEC) != 0) {
    return fail(std::string("cannot create a pipe: ") + std::strerror(errno));
  }
  const Descriptor from(report[0]);
  // Forked twice, so that this process has no child to wait for.
  const pid_t between = ::fork();
  if (between == 0) {
    if (::fork() == 0) {
      serve(server, path, report[1]);
    }
    ::_exit(0);
  }
  ::close(report[1]);
  (void)::waitpid(between, nullptr, 0);
  const std::string told = read_first(from.get());
  return told.starts_with('+')
             ? Result<std::string, std::string>(told.substr(1))
             : fail(told.empty() ? "the server process has ended" : told.substr(1));
}

/// Returns whether the process of the server exists.
bool is_alive(const std::string& path) {
  const Descriptor alive = open_own(path + ".alive");
  return alive.is_open() && !lock(alive.get(), LOCK_SH | LOCK_NB);
}

constexpr std::size_t kDigitsOfHash = 16;

std::string hash_of(std::string_view text) {
  return to_hex(to_view(sha256(text))).substr(0, kDigitsOfHash);
}

std::atomic<unsigned> databases_made = 0;

/// Returns the prefix of all database names that tests on this machine use.
std::string test_prefix() {
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return "eider_test_" + hash_of(host.data()) + "_";
}

class StopsLoop final : public TaskOwner {
 public:
  explicit StopsLoop(Loop& loop) noexcept : loop_(loop) {}
  void on_task_done() noexcept override { loop_.stop(); }

 private:
  Loop& loop_;
};

Result<void, std::string> run(const Step& step) {
  auto loop = Loop::create(Backend::epoll);
  if (!loop) {
    return fail(std::string(loop.error().detail()));
  }
  StopsLoop owner(**loop);
  Task<Result<void, std::string>> task = step();
  (*loop)->post([&] {
    if (task.start()) {
      owner.on_task_done();
    } else {
      task.tell(owner);
    }
  });
  (*loop)->run();
  return task.take();
}

}  // namespace

Result<std::string, std::string> join_shared_server(const std::string& name,
                                                    TemporaryResource& server) {
  std::error_code is_nowhere;
  const std::string directory = std::filesystem::temp_directory_path(is_nowhere).string();
  const std::string path =
      (is_nowhere ? "/tmp" : directory) + "/eider-test-" + name + "-" + std::to_string(::geteuid());
  Descriptor users = open_own(path);
  if (!users.is_open()) {
    return fail("the lock file " + path + " cannot be opened, or belongs to another user");
  }
  for (;;) {
    (void)lock(users.get(), LOCK_EX);
    std::string where = text_of(users.get());
    if (where.empty() || !is_alive(path)) {
      auto started = start(path, server);
      if (!started) {
        return started;
      }
      where = std::move(*started);
      (void)::ftruncate(users.get(), 0);
      (void)::pwrite(users.get(), where.data(), where.size(), 0);
    }
    // Check again: the server may have ended in between, and has then emptied the file.
    (void)lock(users.get(), LOCK_SH);
    if (text_of(users.get()) == where) {
      (void)std::move(users).release();  // held until this process ends
      return where;
    }
  }
}

std::string next_test_name() {
  return test_prefix() + std::to_string(::getpid()) + "_" + std::to_string(databases_made++);
}

std::vector<std::string> unused_of(const std::vector<std::string>& names) {
  const std::string prefix = test_prefix();
  std::vector<std::string> unused;
  for (const std::string& name : names) {
    if (!name.starts_with(prefix)) {
      continue;
    }
    const std::string_view rest = std::string_view(name).substr(prefix.size());
    const std::size_t end = std::min(rest.find('_'), rest.size());
    const auto process = parse_integer<pid_t>(rest.substr(0, end));
    const auto number = parse_integer<unsigned>(rest.substr(std::min(end + 1, rest.size())));
    const bool is_own = process == ::getpid();
    const bool is_gone = process && ::kill(*process, 0) != 0 && errno == ESRCH;
    if (is_gone || (is_own && number && *number + kTestDatabasesKept < databases_made)) {
      unused.push_back(name);
    }
  }
  return unused;
}

std::string template_name(const Migrations& migrations) {
  std::string all;
  for (const Migration& migration : migrations) {
    all += migration.name + " " + migration.checksum + "\n";
  }
  return "eider_template_" + hash_of(all);
}

std::string server_of_environment(const char* variable) {
  const char* const said = std::getenv(variable);
  return said == nullptr ? std::string() : said;
}

Result<void, std::string> on_own_loop(const Step& step) {
  Result<void, std::string> done;
  std::thread([&step, &done] {
    try {
      done = run(step);
    } catch (const std::exception& failure) {
      done = fail(std::string(failure.what()));
    }
  }).join();
  return done;
}

}  // namespace eider::detail::scratch
