// The process of a server for a test run, which ends with the test.
// Layering: must not be linked into an application.
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace eider {

/// Returns the user for servers that are started by root; null for other users. A copy, because
/// getpwnam returns the same object for all names.
inline std::shared_ptr<const passwd> server_user(const char* name) {
  const passwd* const found = ::geteuid() == 0 ? ::getpwnam(name) : nullptr;
  return found == nullptr ? nullptr : std::make_shared<const passwd>(*found);
}

struct ServerCommand {
  std::vector<std::string> words;
  /// File to which its output is appended.
  std::string log;
  /// The server runs as this user. Default: as the user of the test.
  std::shared_ptr<const passwd> user = nullptr;
  /// Signal that it gets when the test process has ended.
  int last_signal = SIGKILL;
};

/// Without a process, all functions do nothing: for kill(2), -1 would mean every process.
class ServerProcess {
 public:
  ServerProcess() = default;
  /// If the program cannot be executed, the process exits with 127.
  explicit ServerProcess(ServerCommand command) : id_(spawn(std::move(command))) {}
  ServerProcess(ServerProcess&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  ServerProcess& operator=(ServerProcess&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess() {
    signal(SIGCONT);
    end(SIGKILL);
  }

  /// -1: no process.
  [[nodiscard]] pid_t id() const noexcept { return id_; }
  void signal(int signal) const {
    if (id_ > 0) {
      (void)::kill(id_, signal);
    }
  }
  /// Returns whether it has not ended by itself.
  [[nodiscard]] bool is_running() {
    if (id_ > 0 && ::waitpid(id_, nullptr, WNOHANG) == id_) {
      id_ = -1;
    }
    return id_ > 0;
  }
  /// Stops it, and waits until it is stopped, so that it starts no more processes.
  void freeze() {
    int status = 0;
    signal(SIGSTOP);
    if (id_ > 0 && ::waitpid(id_, &status, WUNTRACED) == id_ && !WIFSTOPPED(status)) {
      id_ = -1;
    }
  }
  /// Waits for its end, and returns the status of waitpid.
  int wait() {
    int status = 0;
    if (id_ > 0) {
      (void)::waitpid(std::exchange(id_, -1), &status, 0);
    }
    return status;
  }
  void end(int with) {
    signal(with);
    (void)wait();
  }

 private:
  [[nodiscard]] static pid_t spawn(ServerCommand command) {
    std::vector<char*> arguments;
    for (std::string& word : command.words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    const std::shared_ptr<const passwd> user = command.user;
    const pid_t parent = ::getpid();
    const bool is_of_main_thread = ::gettid() == parent;
    const pid_t child = ::fork();
    if (child != 0) {
      return child;
    }
    if (user != nullptr && (::setgroups(0, nullptr) != 0 || ::setgid(user->pw_gid) != 0 ||
                            ::setuid(user->pw_uid) != 0)) {
      ::_exit(126);
    }
    if (is_of_main_thread) {  // the signal is sent at the end of the thread that forked
      ::prctl(PR_SET_PDEATHSIG, command.last_signal);  // after setuid, which resets it
    }
    const int out = ::open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    if (::getppid() == parent && ::chdir("/") == 0) {
      ::execvp(arguments[0], arguments.data());
    }
    ::_exit(127);
  }

  pid_t id_ = -1;
};

}  // namespace eider
