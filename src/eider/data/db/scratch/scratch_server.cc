#include "eider/data/db/scratch/scratch_server.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>

#include "eider/core/base/text.h"

namespace eider::detail::scratch {
namespace {

namespace fs = std::filesystem;

constexpr int kLookMs = 3;
constexpr int kLooksMax = 60'000 / kLookMs;
constexpr std::size_t kSocketPathMax = 107;  // sun_path

/// Returns the exit status of the process; -1 if it still runs.
int status_of(pid_t process) noexcept {
  int status = 0;
  return ::waitpid(process, &status, WNOHANG) == process ? status : -1;
}

}  // namespace

Result<void, std::string> ScratchServer::remove() {
  if (server_ > 0) {
    ::kill(server_, kind_.end_signal);
    for (int i = 0; i < kLooksMax && status_of(server_) == -1; ++i) {
      ::usleep(kLookMs * 1000);
    }
  }
  std::error_code fault;
  if (!directory_.empty()) {
    fs::remove_all(directory_, fault);
  }
  return fault ? fail(directory_ + " stays: " + fault.message()) : Result<void, std::string>();
}

Result<void, std::string> ScratchServer::make_directory() {
  if (::geteuid() == 0) {
    user_ = ::getpwnam(kind_.user);
    user_ = user_ != nullptr ? user_ : ::getpwnam("nobody");
    if (user_ == nullptr) {
      return fail(std::string("a scratch database cannot run as root, and there is no user ") +
                  kind_.user);
    }
  }
  constexpr std::string_view kName = "/eider_check_XXXXXX";
  std::error_code is_nowhere;
  std::string name = fs::temp_directory_path(is_nowhere).string();
  const bool is_long = name.size() + kName.size() + kind_.socket.size() > kSocketPathMax;
  name = (is_long || is_nowhere ? "/tmp" : name) + std::string(kName);
  if (::mkdtemp(name.data()) == nullptr) {
    return fail("no directory for a scratch database: " + name);
  }
  directory_ = name;
  // Before another user could create a link there.
  log_ = ::open((directory_ + "/log").c_str(),
                O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (log_ < 0) {
    return fail("no directory for a scratch database: " + name);
  }
  if (user_ != nullptr && ::chown(name.c_str(), user_->pw_uid, user_->pw_gid) != 0) {
    return fail(name + " cannot be given to the user " + user_->pw_name);
  }
  return {};
}

Result<void, std::string> ScratchServer::run_whole(const std::vector<std::string>& command,
                                                   const Parent& other) {
  const pid_t process = run(command);
  int status = -1;
  for (int i = 0; i < kLooksMax && status == -1 && !other.waits(kLookMs); ++i) {
    status = status_of(process);
  }
  if (status == -1) {
    ::kill(-process, SIGKILL);
    (void)::waitpid(process, nullptr, 0);
  }
  return status == 0 ? Result<void, std::string>() : fail(failed(command[0]));
}

Result<void, std::string> ScratchServer::start(const std::vector<std::string>& command,
                                               const Parent& other) {
  server_ = run(command);
  for (int i = 0; i < kLooksMax && !other.waits(kLookMs); ++i) {
    if (is_ready()) {
      return {};
    }
    if (status_of(server_) != -1) {
      server_ = -1;
      break;
    }
  }
  return fail(failed(command[0]));
}

/// Returns an error with the last lines of the log.
std::string ScratchServer::failed(const std::string& program) const {
  std::array<char, 600> log{};
  const auto kept = static_cast<off_t>(log.size());
  const off_t begin = std::max<off_t>(::lseek(log_, 0, SEEK_END) - kept, 0);
  const ssize_t bytes = ::pread(log_, log.data(), log.size(), begin);
  const std::string_view told(log.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  return std::string(program)
      .append(" failed in ")
      .append(directory_)
      .append(": ")
      .append(trim(told));
}

pid_t ScratchServer::run(std::vector<std::string> command) const {
  std::vector<char*> arguments;
  for (std::string& argument : command) {
    arguments.push_back(argument.data());
  }
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) {
    return child;
  }
  (void)::setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    (void)::signal(signal, SIG_DFL);
  }
  (void)::dup2(log_, STDOUT_FILENO);
  (void)::dup2(log_, STDERR_FILENO);
  if (user_ != nullptr && (::setgroups(0, nullptr) != 0 || ::setgid(user_->pw_gid) != 0 ||
                           ::setuid(user_->pw_uid) != 0)) {
    ::_exit(126);
  }
  (void)::prctl(PR_SET_PDEATHSIG, kind_.end_signal);  // after setuid, which resets it
  if (::chdir("/") == 0) {
    ::execv(arguments[0], arguments.data());
  }
  ::_exit(127);
}

}  // namespace eider::detail::scratch
