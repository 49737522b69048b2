// A PostgreSQL server of the run: its own directory, Unix socket and port, as an ordinary user.
// Must not be linked into an application.
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
  /// Makes a cluster and starts it. Throws std::runtime_error when that is not possible.
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
  /// Follows another one by a stream.
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

  /// The one that the tests of a program share.
  [[nodiscard]] static PostgresServer& shared() {
    static PostgresServer server;
    return server;
  }

  /// By the Unix socket.
  [[nodiscard]] std::string where() const {
    return "host=" + directory() + " port=" + std::to_string(port()) +
           " user=tester dbname=postgres";
  }
  /// Of the Unix socket.
  [[nodiscard]] std::string directory() const { return temporary_.path() / "pg"; }
  /// By TCP.
  [[nodiscard]] int port() const noexcept { return port_.number(); }
  [[nodiscard]] std::string url(const std::string& host = "127.0.0.1") const {
    return "postgres://tester@" + host + ":" + std::to_string(port()) + "/postgres";
  }

  /// Waits until it can be connected to.
  void start() {
    // After kill(), a process of the old one may keep its shared memory for a moment.
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
    for (const pid_t process : children()) {
      (void)::kill(process, signal);
    }
    process_.signal(signal);
  }
  /// The one that takes new connections and requests to cancel; what is connected goes on.
  void signal_first(int signal) const { process_.signal(signal); }
  /// At once, as a crash.
  void kill() {
    process_.freeze();
    signal_all(SIGKILL);
    (void)process_.wait();
  }
  /// As an administrator does: connections are told, and ended.
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

  /// As the server wants its key: nobody else may read it.
  void write(const std::string& name, const std::string& content) const {
    const std::string path = data() + "/" + name;
    std::ofstream(path) << content;
    std::filesystem::permissions(path, std::filesystem::perms(0600));
    if (user_ != nullptr) {
      (void)::chown(path.c_str(), user_->pw_uid, user_->pw_gid);
    }
  }

  /// Ready once its file says so, which it writes last. A killed one leaves its file behind.
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
