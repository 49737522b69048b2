// A MariaDB server for a test run: its own directory, Unix socket and port, as an ordinary user.
// Layering: must not be linked into an application.
#pragma once

#include <unistd.h>
#include <csignal>
#include <cstdlib>

#include <chrono>
#include <cstdint>
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

class MariadbServer {
 public:
  /// Creates a data directory and starts a server. Throws std::runtime_error if that fails.
  MariadbServer() : user_(server_user("mysql")) {
    std::filesystem::create_directory(directory());
    if (::geteuid() == 0) {
      if (user_ == nullptr) {
        throw std::runtime_error("there is no user 'mysql': install the package mariadb-server");
      }
      std::filesystem::permissions(temporary_.path(), std::filesystem::perms(0711));
      (void)::chown(directory().c_str(), user_->pw_uid, user_->pw_gid);
    }
    write("init.sql",
          "create user if not exists tester@'%';\n"
          "grant all on *.* to tester@'%';\n"
          "create user if not exists tester@localhost;\n"
          "grant all on *.* to tester@localhost;\n"
          "create user if not exists secret@'%' identified by 'p@ss/w:rd';\n"
          "create user if not exists secret@localhost identified by 'p@ss/w:rd';\n"
          "grant all on test.* to secret@'%', secret@localhost;\n"
          "create database if not exists test character set utf8mb4;\n" +
              (is_mysql() ? sequences() : std::string()));
    ServerProcess made = spawn(
        is_mysql() ? std::vector<std::string>{mysqld_, "--no-defaults", "--initialize-insecure",
                                              "--datadir=" + data(), scratch()}
                   : std::vector<std::string>{
                         "/usr/bin/mariadb-install-db", "--no-defaults", "--datadir=" + data(),
                         scratch(), "--auth-root-authentication-method=normal", "--skip-test-db",
                         "--innodb-log-file-size=8M", "--innodb-use-native-aio=0"});
    if (made.wait() != 0) {
      throw std::runtime_error("the server's data could not be made: see " + log());
    }
    start();
  }
  MariadbServer(const MariadbServer&) = delete;
  MariadbServer& operator=(const MariadbServer&) = delete;

  /// Returns the server that the tests of a program share.
  [[nodiscard]] static MariadbServer& shared() {
    static MariadbServer server;
    return server;
  }

  /// Returns whether EIDER_TEST_MYSQLD=/usr/sbin/mysqld is in the environment: then the server is
  /// that MySQL.
  [[nodiscard]] bool is_mysql() const noexcept { return !mysqld_.empty(); }
  /// Returns the address of the Unix socket.
  [[nodiscard]] std::string where(const std::string& login = "tester") const {
    return "mysql://" + login + "@localhost/test?socket=" + socket();
  }
  /// Returns the TCP port.
  [[nodiscard]] int port() const noexcept { return port_.number(); }
  [[nodiscard]] std::string url(const std::string& host = "127.0.0.1",
                                const std::string& login = "tester") const {
    return "mysql://" + login + "@" + host + ":" + std::to_string(port()) + "/test";
  }

  /// Starts the server, and waits until it accepts connections.
  void start() {
    std::vector<std::string> command = {is_mysql() ? mysqld_ : "/usr/sbin/mariadbd",
                                        "--no-defaults",
                                        "--datadir=" + data(),
                                        scratch(),
                                        "--socket=" + socket(),
                                        "--port=" + std::to_string(port()),
                                        "--bind-address=127.0.0.1",
                                        "--pid-file=" + directory() + "/pid",
                                        "--init-file=" + directory() + "/init.sql",
                                        "--innodb-buffer-pool-size=32M",
                                        "--loose-innodb-log-file-size=8M",
                                        "--innodb-flush-log-at-trx-commit=2",
                                        "--innodb-use-native-aio=0",
                                        "--max-connections=60",
                                        "--thread-stack=512K",
                                        "--skip-name-resolve",
                                        "--skip-log-bin",
                                        "--loose-mysqlx=OFF",
                                        "--loose-cte-max-recursion-depth=1000000"};
    command.insert(command.end(), more_.begin(), more_.end());
    const std::uintmax_t log_begin = std::filesystem::file_size(log());
    process_ = spawn(std::move(command));
    for (int i = 0; i < 12000 && process_.is_running(); ++i) {
      if (is_ready(log_begin)) {
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw std::runtime_error("the server does not start: see " + log());
  }
  /// Restarts the server with TLS in addition.
  void serve_tls(const std::string& certificate, const std::string& key) {
    stop();
    write("server.crt", certificate);
    write("server.key", key);
    more_ = {"--ssl-cert=" + directory() + "/server.crt",
             "--ssl-key=" + directory() + "/server.key"};
    start();
  }
  void signal(int signal) const { process_.signal(signal); }
  /// Ends it immediately, like a crash.
  void kill() { end(SIGKILL); }
  /// Ends it like an administrator: the server closes its connections.
  void stop() { end(SIGTERM); }

 private:
  [[nodiscard]] std::string directory() const { return temporary_.path() / "db"; }
  [[nodiscard]] std::string data() const { return directory() + "/data"; }
  /// Returns its option for temporary tables. A server that starts deletes those of all servers in
  /// its directory, so each needs its own.
  [[nodiscard]] std::string scratch() const { return "--tmpdir=" + directory(); }
  [[nodiscard]] std::string log() const { return directory() + "/log"; }
  [[nodiscard]] std::string socket() const { return directory() + "/s"; }

  [[nodiscard]] static std::string named_mysqld() {
    const char* const path = std::getenv("EIDER_TEST_MYSQLD");
    return path == nullptr ? "" : path;
  }
  /// Returns SQL for tables with the numbers from 1, like those of MariaDB's sequence engine.
  [[nodiscard]] static std::string sequences() {
    std::string sql;
    for (const char* last : {"2", "9", "100", "150", "400", "500", "1000", "3100", "5000", "10000",
                             "100000", "1000000"}) {
      const std::string name = std::string("test.seq_1_to_") + last;
      sql += "create or replace definer = tester@localhost view " + name +
             " as with recursive numbers(seq) as (select 1 " +
             "union all select seq + 1 from numbers where seq < " + last +
             ") select seq from numbers;\n";
    }
    return sql;
  }

  void end(int signal) {
    process_.signal(SIGCONT);
    process_.end(signal);
  }

  void write(const std::string& name, const std::string& content) const {
    const std::string path = directory() + "/" + name;
    std::ofstream(path) << content;
    std::filesystem::permissions(path, std::filesystem::perms(0600));
    if (user_ != nullptr) {
      (void)::chown(path.c_str(), user_->pw_uid, user_->pw_gid);
    }
  }

  /// Returns whether it logged that it is ready: only then it handles signals. It accepts
  /// connections earlier.
  [[nodiscard]] bool is_ready(std::uintmax_t log_begin) const {
    std::ifstream file(log());
    file.seekg(static_cast<std::streamoff>(log_begin));
    const std::string said((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    return said.contains("ready for connections");
  }

  [[nodiscard]] ServerProcess spawn(std::vector<std::string> command) const {
    return ServerProcess({std::move(command), log(), user_});
  }

  const std::string mysqld_ = named_mysqld();
  TempDirectory temporary_;
  std::shared_ptr<const passwd> user_;
  std::vector<std::string> more_;
  const ReservedPort port_;
  ServerProcess process_;
};

}  // namespace eider
