// Runs the tests of this folder on PostgreSQL.
#include <csignal>

#include "eider/data/db/postgres/postgres.h"
#include "tests/databases/tested_database.h"
#include "tests/support/postgres_server.h"
#include "tests/support/recording_relay.h"

namespace eider {
namespace {

class PostgresOpener final : public Opener {
 public:
  ~PostgresOpener() override { server().signal_all(SIGCONT); }
  [[nodiscard]] Database open(const OpenWith& with) const override {
    return open_postgres(server().where(), options(with));
  }
  [[nodiscard]] Database open_by_tcp(const OpenWith& with) const override {
    return open_postgres(server().url(), options(with));
  }
  /// Prepared statements with a cache for all, with one smaller than a test needs, and unprepared.
  [[nodiscard]] std::vector<Database> open_each_way() const override {
    return {open({.connections_max = 1}), open({.connections_max = 1, .statements_max = 4}),
            open({.connections_max = 1, .statements_max = 0})};
  }
  [[nodiscard]] Database open_failing(const OpenWith& with,
                                      std::shared_ptr<StatementFault> fault) const override {
    relays_.push_back(std::make_unique<RecordingRelay>(static_cast<std::uint16_t>(server().port()),
                                                       std::move(fault)));
    return open_postgres(
        "postgres://tester@127.0.0.1:" + std::to_string(relays_.back()->port()) + "/postgres",
        options(with));
  }
  void kill() const override { server().kill(); }
  void stop() const override { server().stop(); }
  void start() const override { server().start(); }
  void signal(int signal) const override { server().signal_all(signal); }

 private:
  [[nodiscard]] static PostgresServer& server() { return PostgresServer::shared(); }
  [[nodiscard]] static PostgresOptions options(const OpenWith& with) {
    return {.connections_max = with.connections_max,
            .connect_time_max = with.connect_time_max,
            .wait_time_max = with.wait_time_max,
            .streams_max = with.streams_max,
            .statements_max = with.statements_max,
            .limits = with.limits};
  }

  mutable std::vector<std::unique_ptr<RecordingRelay>> relays_;
};

[[maybe_unused]] const bool kOnPostgres =
    test_database(kPostgresDiffers, [] { return std::make_unique<PostgresOpener>(); });

}  // namespace
}  // namespace eider
