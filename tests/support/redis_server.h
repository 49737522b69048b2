// A Redis server of the run: its own directory, Unix socket and ports.
// Must not be linked into an application.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "eider/runtime/address.h"
#include "eider/testkit/temp_directory.h"

namespace eider {

enum class RedisKind : std::uint8_t { server, sentinel };

class RedisServer {
 public:
  /// Starts it; each line is one of redis.conf besides the usual ones. What it has acknowledged it
  /// keeps in a file. Throws std::runtime_error when that is not possible.
  explicit RedisServer(std::vector<std::string> lines = {}, RedisKind kind = RedisKind::server)
      : lines_(std::move(lines)), kind_(kind) {
    port_ = free_port();
    tls_port_ = free_port();
    start();
  }
  ~RedisServer() {
    if (process_ > 0) {
      signal(SIGCONT);
      kill();
    }
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  /// The one that the tests of a program share.
  [[nodiscard]] static RedisServer& shared() {
    static RedisServer server;
    return server;
  }

  [[nodiscard]] std::string directory() const { return temporary_.path(); }
  [[nodiscard]] std::string socket() const { return directory() + "/s"; }
  [[nodiscard]] int port() const noexcept { return port_; }
  [[nodiscard]] std::string url(const std::string& login = "") const {
    return "redis://" + login + "127.0.0.1:" + std::to_string(port_);
  }
  [[nodiscard]] std::string unix_url() const { return "unix:" + socket(); }
  [[nodiscard]] std::string tls_url(const std::string& login = "") const {
    return "rediss://" + login + "localhost:" + std::to_string(tls_port_);
  }

  /// That nothing listens at, for now.
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

  /// Waits until it can be connected to.
  void start() {
    write_configuration();
    process_ = spawn();
    for (int i = 0; i < 2000; ++i) {
      if (can_connect()) {
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    throw std::runtime_error("the Redis server does not start: see " + directory() + "/log");
  }
  void signal(int signal) const { ::kill(process_, signal); }
  /// At once, as a crash.
  void kill() { end(SIGKILL); }
  /// As an administrator does: it answers what it has read, and closes.
  void stop() { end(SIGTERM); }
  void restart() {
    kill();
    start();
  }

 private:
  void end(int with) {
    ::kill(process_, with);
    (void)::waitpid(process_, nullptr, 0);
    process_ = -1;
  }

  void write_configuration() const {
    std::ofstream file(directory() + "/redis.conf");
    file << "bind 127.0.0.1\nport " << port_ << "\nunixsocket " << socket() << "\ndir "
         << directory() << "\nlogfile " << directory() << "/log\n";
    if (kind_ == RedisKind::server) {
      file << "save \"\"\nappendonly yes\nappendfsync no\nenable-debug-command yes\n";
    }
    for (const std::string& line : lines_) {
      file << line << '\n';
    }
    if (!lines_.empty() && lines_.front().starts_with("tls-")) {
      file << "tls-port " << tls_port_ << '\n';
    }
  }

  [[nodiscard]] bool can_connect() const {
    const auto address = Address::parse("unix:" + socket(), 0);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool is_there = ::connect(fd, address->data(), address->size()) == 0 && answers(fd);
    ::close(fd);
    return is_there;
  }
  /// Not before it has read its file.
  [[nodiscard]] static bool answers(int fd) {
    (void)::send(fd, "PING\r\n", 6, MSG_NOSIGNAL);
    char answer[64] = {};
    const auto bytes = ::recv(fd, answer, sizeof answer - 1, 0);
    const std::string said(answer, bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return said.starts_with("+PONG") || said.starts_with("-NOAUTH");
  }

  [[nodiscard]] pid_t spawn() const {
    // EIDER_TEST_VALKEY=/usr/bin/valkey-server is in the environment: it is that Valkey.
    const char* const valkey = std::getenv("EIDER_TEST_VALKEY");
    std::string program = valkey == nullptr ? "redis-server" : valkey;
    std::string configuration = directory() + "/redis.conf";
    std::string as_sentinel = "--sentinel";
    char* arguments[] = {program.data(), configuration.data(),
                         kind_ == RedisKind::sentinel ? as_sentinel.data() : nullptr, nullptr};
    const pid_t parent = ::getpid();
    const bool is_of_main_thread = ::gettid() == parent;
    const pid_t child = ::fork();
    if (child != 0) {
      return child;
    }
    if (is_of_main_thread) {  // the signal comes with the end of the thread that forked
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    const int none = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(none, STDOUT_FILENO);
    ::dup2(none, STDERR_FILENO);
    if (::getppid() == parent) {
      ::execvp(arguments[0], arguments);
    }
    ::_exit(127);
  }

  TempDirectory temporary_;
  std::vector<std::string> lines_;
  RedisKind kind_;
  int port_ = 0;
  int tls_port_ = 0;
  pid_t process_ = -1;
};

}  // namespace eider
