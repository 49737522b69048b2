// Runs the tests of this folder on MariaDB, or on MySQL (see mariadb_server.h).
#include <csignal>

#include "eider/data/db/mariadb/mariadb.h"
#include "tests/databases/tested_database.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/recording_relay.h"

namespace eider {
namespace {

class MariadbOpener final : public Opener {
 public:
  ~MariadbOpener() override { server().signal(SIGCONT); }
  [[nodiscard]] Database open(const OpenWith& with) const override {
    return open_mariadb(server().where(), options(with));
  }
  [[nodiscard]] Database open_by_tcp(const OpenWith& with) const override {
    return open_mariadb(server().url(), options(with));
  }
  /// Prepared statements with a cache for all, with one smaller than a test needs, and uncached.
  [[nodiscard]] std::vector<Database> open_each_way() const override {
    return {open({.connections_max = 1}), open({.connections_max = 1, .statements_max = 2}),
            open({.connections_max = 1, .statements_max = 0})};
  }
  [[nodiscard]] Database open_failing(const OpenWith& with,
                                      std::shared_ptr<StatementFault> fault) const override {
    relays_.push_back(std::make_unique<RecordingRelay>(static_cast<std::uint16_t>(server().port()),
                                                       std::move(fault)));
    return open_mariadb(
        "mysql://tester@127.0.0.1:" + std::to_string(relays_.back()->port()) + "/test",
        options(with));
  }
  [[nodiscard]] bool is_mysql() const override { return server().is_mysql(); }
  void kill() const override { server().kill(); }
  void stop() const override { server().stop(); }
  void start() const override { server().start(); }
  void signal(int signal) const override { server().signal(signal); }

 private:
  [[nodiscard]] static MariadbServer& server() { return MariadbServer::shared(); }
  [[nodiscard]] static MariadbOptions options(const OpenWith& with) {
    return {.connections_max = with.connections_max,
            .connect_time_max = with.connect_time_max,
            .wait_time_max = with.wait_time_max,
            .streams_max = with.streams_max,
            .statements_max = with.statements_max,
            .limits = with.limits};
  }

  mutable std::vector<std::unique_ptr<RecordingRelay>> relays_;
};

[[maybe_unused]] const bool kOnMariadb =
    test_database(kMariadbDiffers, [] { return std::make_unique<MariadbOpener>(); });

}  // namespace
}  // namespace eider
