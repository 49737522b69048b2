// A PostgreSQL server for a test run: its own directory, Unix socket and port, as an ordinary user.
// Layering: must not be linked into an application.
#pragma once

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
#include <utility>
#include <vector>

#include "eider/testkit/temp_directory.h"
#include "tests/support/reserved_port.h"
#include "tests/support/server_process.h"

namespace eider {

class PostgresServer {
 public:
  /// Creates a cluster and starts it. Throws std::runtime_error if that fails.
  PostgresServer() : user_(server_user("postgres")) {
    make_directory();
    ServerProcess made = spawn({"initdb", "-D", data(), "-U", "tester", "-A", "trust", "-E", "UTF8",
                                "--locale=C", "--no-sync", "--no-instructions"});
    if (made.wait() != 0) {
      throw std::runtime_error("initdb failed: " + said());
    }
    start();
  }
  struct ReplicaOf {
    const PostgresServer& primary;
  };
  /// Creates a streaming replica of another server.
  explicit PostgresServer(ReplicaOf of) : user_(of.primary.user_) {
    const PostgresServer& primary = of.primary;
    make_directory();
    ServerProcess made =
        spawn({"pg_basebackup", "-D", data(), "-R", "-X", "stream", "-c", "fast", "--no-sync", "-h",
               primary.directory(), "-p", std::to_string(primary.port()), "-U", "tester"});
    if (made.wait() != 0) {
      throw std::runtime_error("pg_basebackup failed: " + said());
    }
    start();
  }
  ~PostgresServer() {
    signal_all(SIGCONT);
    process_.end(SIGQUIT);
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// Returns the server that the tests of a program share.
  [[nodiscard]] static PostgresServer& shared() {
    static PostgresServer server;
    return server;
  }

  /// Returns the address of the Unix socket.
  [[nodiscard]] std::string where() const {
    return "host=" + directory() + " port=" + std::to_string(port()) +
           " user=tester dbname=postgres";
  }
  /// Returns the directory of the Unix socket.
  [[nodiscard]] std::string directory() const { return temporary_.path() / "pg"; }
  /// Returns the TCP port.
  [[nodiscard]] int port() const noexcept { return port_.number(); }
  [[nodiscard]] std::string url(const std::string& host = "127.0.0.1") const {
    return "postgres://tester@" + host + ":" + std::to_string(port()) + "/postgres";
  }

  /// Starts the server, and waits until it accepts connections.
  void start() {
    // After kill(), a process of the previous server may keep its shared memory for a moment.
    for (int i = 0; i < 12000; ++i) {
      if (!process_.is_running()) {
        process_ = spawn({"postgres", "-D", data(), "-k", directory(), "-p", std::to_string(port()),
                          "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c",
                          "max_connections=60", "-c", "restart_after_crash=off"});
      }
      if (can_connect()) {
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw std::runtime_error("the server does not start: " + said());
  }
  /// Restarts the server with TLS in addition.
  ///
  /// authority  issuer of client certificates; empty: none are requested
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
  /// Replaces the lines of pg_hba.conf, which apply from the next start on.
  void set_rules(const std::string& lines) const { write("pg_hba.conf", lines); }
  /// Returns its output so far.
  [[nodiscard]] std::string said() const {
    std::ifstream file(log());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Sends a signal to the server and all its processes: SIGSTOP, SIGCONT.
  void signal_all(int signal) const {
    for (const pid_t process : children()) {
      (void)::kill(process, signal);
    }
    process_.signal(signal);
  }
  /// Sends a signal to the process that accepts connections and cancel requests; existing
  /// connections continue.
  void signal_first(int signal) const { process_.signal(signal); }
  /// Ends it immediately, like a crash.
  void kill() {
    process_.freeze();
    signal_all(SIGKILL);
    (void)process_.wait();
  }
  /// Ends it like an administrator: the server closes its connections.
  void stop() { process_.end(SIGINT); }

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

  /// The server requires that only the owner can read its key.
  void write(const std::string& name, const std::string& content) const {
    const std::string path = data() + "/" + name;
    std::ofstream(path) << content;
    std::filesystem::permissions(path, std::filesystem::perms(0600));
    if (user_ != nullptr) {
      (void)::chown(path.c_str(), user_->pw_uid, user_->pw_gid);
    }
  }

  /// Returns whether the server's file reports readiness in its last line. A killed server leaves
  /// its file behind, so the process is compared, too.
  [[nodiscard]] bool can_connect() const {
    std::ifstream file(data() + "/postmaster.pid");
    pid_t process = -1;
    file >> process;
    std::string last;
    for (std::string line; std::getline(file, line);) {
      last = line;
    }
    return process == process_.id() && last.starts_with("ready");
  }

  [[nodiscard]] std::vector<pid_t> children() const {
    const std::string id = std::to_string(process_.id());
    std::ifstream file("/proc/" + id + "/task/" + id + "/children");
    return {std::istream_iterator<pid_t>(file), {}};
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

  [[nodiscard]] ServerProcess spawn(std::vector<std::string> command) const {
    command[0] = find_program(command[0]);
    return ServerProcess({std::move(command), log(), user_, SIGQUIT});
  }

  TempDirectory temporary_;
  std::shared_ptr<const passwd> user_;
  const ReservedPort port_;
  ServerProcess process_;
};

}  // namespace eider
