// A Redis server for a test run: its own directory, Unix socket and ports.
// Layering: must not be linked into an application.
#pragma once

#include <sys/socket.h>
#include <unistd.h>
#include <csignal>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eider/io/runtime/address.h"
#include "eider/testkit/temp_directory.h"
#include "tests/support/reserved_port.h"
#include "tests/support/server_process.h"

namespace eider {

enum class RedisKind : std::uint8_t { server, sentinel };

class RedisServer {
 public:
  /// Starts it; `lines` are added to the usual redis.conf. It stores acknowledged writes in a file.
  /// Throws std::runtime_error if that fails.
  explicit RedisServer(std::vector<std::string> lines = {}, RedisKind kind = RedisKind::server)
      : lines_(std::move(lines)), kind_(kind) {
    start();
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  /// Returns the server that the tests of a program share.
  [[nodiscard]] static RedisServer& shared() {
    static RedisServer server;
    return server;
  }

  [[nodiscard]] std::string directory() const { return temporary_.path(); }
  [[nodiscard]] std::string socket() const { return directory() + "/s"; }
  [[nodiscard]] int port() const noexcept { return port_.number(); }
  [[nodiscard]] std::string url(const std::string& login = "") const {
    return "redis://" + login + "127.0.0.1:" + std::to_string(port());
  }
  [[nodiscard]] std::string unix_url() const { return "unix:" + socket(); }
  [[nodiscard]] std::string tls_url(const std::string& login = "") const {
    return "rediss://" + login + "localhost:" + std::to_string(tls_port_.number());
  }

  /// Starts the server, and waits until it accepts connections.
  void start() {
    write_configuration();
    process_ = spawn();
    for (int i = 0; i < 2000 && process_.is_running(); ++i) {
      if (can_connect()) {
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    throw std::runtime_error("the Redis server does not start: see " + directory() + "/log");
  }
  void signal(int signal) const { process_.signal(signal); }
  /// Ends it immediately, like a crash.
  void kill() { process_.end(SIGKILL); }
  /// Ends it like an administrator: it responds to the commands it has read, and closes.
  void stop() { process_.end(SIGTERM); }
  void restart() {
    kill();
    start();
  }

 private:
  void write_configuration() const {
    std::ofstream file(directory() + "/redis.conf");
    file << "bind 127.0.0.1\nport " << port() << "\nunixsocket " << socket() << "\ndir "
         << directory() << "\nlogfile " << directory() << "/log\n";
    if (kind_ == RedisKind::server) {
      file << "save \"\"\nappendonly yes\nappendfsync no\nenable-debug-command yes\n"
           << "cluster-port " << cluster_port_.number() << '\n';
    }
    for (const std::string& line : lines_) {
      file << line << '\n';
    }
    if (!lines_.empty() && lines_.front().starts_with("tls-")) {
      file << "tls-port " << tls_port_.number() << '\n';
    }
  }

  [[nodiscard]] bool can_connect() const {
    const auto address = SocketAddress::parse("unix:" + socket(), 0);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool is_there = ::connect(fd, address->data(), address->size()) == 0 && responses(fd);
    ::close(fd);
    return is_there;
  }
  /// Returns whether it responds, which it does only after it has read its file.
  [[nodiscard]] static bool responses(int fd) {
    (void)::send(fd, "PING\r\n", 6, MSG_NOSIGNAL);
    char response[64] = {};
    const auto bytes = ::recv(fd, response, sizeof response - 1, 0);
    const std::string said(response, bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return said.starts_with("+PONG") || said.starts_with("-NOAUTH");
  }

  [[nodiscard]] ServerProcess spawn() const {
    // If EIDER_TEST_VALKEY=/usr/bin/valkey-server is in the environment, the server is that Valkey.
    const char* const valkey = std::getenv("EIDER_TEST_VALKEY");
    std::vector<std::string> words = {valkey == nullptr ? "redis-server" : valkey,
                                      directory() + "/redis.conf"};
    if (kind_ == RedisKind::sentinel) {
      words.emplace_back("--sentinel");
    }
    return ServerProcess({std::move(words), directory() + "/log"});
  }

  TempDirectory temporary_;
  std::vector<std::string> lines_;
  RedisKind kind_;
  const ReservedPort port_;
  const ReservedPort tls_port_;
  /// Port for the other nodes of a cluster.
  const ReservedPort cluster_port_;
  ServerProcess process_;
};

}  // namespace eider
