// A PostgreSQL server of the run: its own directory, Unix socket and port, as an ordinary user.
// Must not be linked into an application.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "eider/testkit/temp_directory.h"

namespace eider {

class PostgresServer {
 public:
  /// Makes a cluster and starts it. Throws std::runtime_error when that is not possible.
  PostgresServer() : user_(::geteuid() == 0 ? ::getpwnam("postgres") : nullptr) {
    make_directory();
    const pid_t made = spawn({"initdb", "-D", data(), "-U", "tester", "-A", "trust", "-E", "UTF8",
                              "--locale=C", "--no-sync", "--no-instructions"});
    int status = 0;
    if (::waitpid(made, &status, 0) != made || status != 0) {
      throw std::runtime_error("initdb failed: see " + log());
    }
    port_ = free_port();
    start();
  }
  struct ReplicaOf {
    const PostgresServer& primary;
  };
  /// Follows another one by a stream.
  explicit PostgresServer(ReplicaOf of) : user_(of.primary.user_) {
    const PostgresServer& primary = of.primary;
    make_directory();
    const pid_t made =
        spawn({"pg_basebackup", "-D", data(), "-R", "-X", "stream", "-c", "fast", "--no-sync", "-h",
               primary.directory(), "-p", std::to_string(primary.port_), "-U", "tester"});
    int status = 0;
    if (::waitpid(made, &status, 0) != made || status != 0) {
      throw std::runtime_error("pg_basebackup failed: see " + log());
    }
    port_ = free_port();
    start();
  }
  ~PostgresServer() {
    if (process_ > 0) {
      signal_all(SIGCONT);
      ::kill(process_, SIGQUIT);
      (void)::waitpid(process_, nullptr, 0);
    }
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// The one that the tests of a program share.
  [[nodiscard]] static PostgresServer& shared() {
    static PostgresServer server;
    return server;
  }

  /// By the Unix socket.
  [[nodiscard]] std::string where() const {
    return "host=" + directory() + " port=" + std::to_string(port_) +
           " user=tester dbname=postgres";
  }
  /// Of the Unix socket.
  [[nodiscard]] std::string directory() const { return temporary_.path() / "pg"; }
  /// By TCP.
  [[nodiscard]] int port() const noexcept { return port_; }
  [[nodiscard]] std::string url(const std::string& host = "127.0.0.1") const {
    return "postgres://tester@" + host + ":" + std::to_string(port_) + "/postgres";
  }

  /// Waits until it can be connected to.
  void start() {
    process_ = spawn({"postgres", "-D", data(), "-k", directory(), "-p", std::to_string(port_),
                      "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c",
                      "max_connections=40", "-c", "restart_after_crash=off"});
    for (int i = 0; i < 1000; ++i) {
      if (can_connect()) {
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw std::runtime_error("the server does not start: see " + log());
  }
  /// From here on it takes TLS, too: starts it anew.
  ///
  /// authority  of the certificates that clients may have; empty: none is asked for
  void serve_tls(const std::string& certificate, const std::string& key,
                 const std::string& authority = "") {
    stop();
    write("server.crt", certificate);
    write("server.key", key);
    write("clients.crt", authority);
    std::ofstream(data() + "/postgresql.conf", std::ios::app)
        << "ssl = on\nssl_ca_file = '" << (authority.empty() ? "" : "clients.crt") << "'\n";
    start();
  }
  /// Who may connect, from the next start on: the lines of pg_hba.conf, in place of all others.
  void set_rules(const std::string& lines) const { write("pg_hba.conf", lines); }
  /// All that it has said so far.
  [[nodiscard]] std::string said() const {
    std::ifstream file(log());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// The server with all that it has started: SIGSTOP, SIGCONT.
  void signal_all(int signal) const {
    for (const pid_t process : processes()) {
      ::kill(process, signal);
    }
  }
  /// The one that takes new connections and requests to cancel; what is connected goes on.
  void signal_first(int signal) const { ::kill(process_, signal); }
  /// At once, as a crash.
  void kill() {
    ::kill(process_, SIGSTOP);  // so that it starts nothing meanwhile
    signal_all(SIGKILL);
    (void)::waitpid(process_, nullptr, 0);
    process_ = -1;
  }
  /// As an administrator does: connections are told, and ended.
  void stop() {
    ::kill(process_, SIGINT);
    (void)::waitpid(process_, nullptr, 0);
    process_ = -1;
  }

 private:
  void make_directory() const {
    if (::geteuid() == 0) {
      if (user_ == nullptr) {
        throw std::runtime_error("there is no user 'postgres': install the package postgresql");
      }
      std::filesystem::permissions(temporary_.path(), std::filesystem::perms(0711));
      std::filesystem::create_directory(directory());
      (void)::chown(directory().c_str(), user_->pw_uid, user_->pw_gid);
    } else {
      std::filesystem::create_directory(directory());
    }
  }

  [[nodiscard]] std::string data() const { return directory() + "/data"; }
  [[nodiscard]] std::string log() const { return directory() + "/log"; }

  /// As the server wants its key: nobody else may read it.
  void write(const std::string& name, const std::string& content) const {
    const std::string path = data() + "/" + name;
    std::ofstream(path) << content;
    std::filesystem::permissions(path, std::filesystem::perms(0600));
    if (user_ != nullptr) {
      (void)::chown(path.c_str(), user_->pw_uid, user_->pw_gid);
    }
  }

  [[nodiscard]] static int free_port() {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    (void)::bind(fd, reinterpret_cast<const sockaddr*>(&address), bytes);
    (void)::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &bytes);
    ::close(fd);
    return ntohs(address.sin_port);
  }

  /// Ready once its file says so, which it writes last.
  [[nodiscard]] bool can_connect() const {
    std::ifstream file(data() + "/postmaster.pid");
    std::string line;
    std::string last;
    while (std::getline(file, line)) {
      last = line;
    }
    return last.starts_with("ready");
  }

  [[nodiscard]] std::vector<pid_t> processes() const {
    const std::string own = std::to_string(process_);
    std::ifstream children("/proc/" + own + "/task/" + own + "/children");
    std::vector<pid_t> found{process_};
    for (pid_t child = 0; children >> child;) {
      found.push_back(child);
    }
    return found;
  }

  [[nodiscard]] static std::string find_program(const std::string& name) {
    for (int version = 30; version >= 13; --version) {
      const std::string path = "/usr/lib/postgresql/" + std::to_string(version) + "/bin/" + name;
      if (::access(path.c_str(), X_OK) == 0) {
        return path;
      }
    }
    return name;
  }

  [[nodiscard]] pid_t spawn(std::vector<std::string> command) const {
    command[0] = find_program(command[0]);
    std::vector<char*> arguments;
    for (std::string& argument : command) {
      arguments.push_back(argument.data());
    }
    arguments.push_back(nullptr);
    const std::string log_path = log();
    const pid_t parent = ::getpid();
    const bool is_of_main_thread = ::gettid() == parent;
    const pid_t child = ::fork();
    if (child != 0) {
      return child;
    }
    if (user_ != nullptr && (::setgroups(0, nullptr) != 0 || ::setgid(user_->pw_gid) != 0 ||
                             ::setuid(user_->pw_uid) != 0)) {
      ::_exit(126);
    }
    if (is_of_main_thread) {  // the signal comes with the end of the thread that forked
      ::prctl(PR_SET_PDEATHSIG, SIGQUIT);  // behind setuid, which forgets it
    }
    const int out = ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    if (::getppid() == parent && ::chdir("/") == 0) {
      ::execvp(arguments[0], arguments.data());
    }
    ::_exit(127);
  }

  TempDirectory temporary_;
  const passwd* user_;
  int port_ = 0;
  pid_t process_ = -1;
};

}  // namespace eider
