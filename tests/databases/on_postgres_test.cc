// The tests of this folder on PostgreSQL.
#include <csignal>

#include "eider/data/db/postgres/postgres.h"
#include "tests/databases/tested_database.h"
#include "tests/support/postgres_server.h"

namespace eider {
namespace {

class PostgresOpener final : public Opener {
 public:
  ~PostgresOpener() override { PostgresServer::shared().signal_all(SIGCONT); }
  [[nodiscard]] Database open(const OpenWith& with) const override {
    return open_postgres(PostgresServer::shared().where(),
                         {.connections_max = with.connections_max,
                          .connect_time_max = std::chrono::minutes(1),
                          .wait_time_max = with.wait_time_max,
                          .streams_max = with.streams_max,
                          .statements_max = with.statements_max,
                          .limits = with.limits});
  }
  /// Prepared, with room for fewer than a test has, and with their text alone.
  [[nodiscard]] std::vector<Database> open_each_way() const override {
    return {open({.connections_max = 1}), open({.connections_max = 1, .statements_max = 4}),
            open({.connections_max = 1, .statements_max = 0})};
  }
  void restart() const override {
    PostgresServer::shared().kill();
    PostgresServer::shared().start();
  }
  void signal(int signal) const override { PostgresServer::shared().signal_all(signal); }
};

[[maybe_unused]] const bool kOnPostgres =
    test_database(kPostgresDiffers, [] { return std::make_unique<PostgresOpener>(); });

}  // namespace
}  // namespace eider
