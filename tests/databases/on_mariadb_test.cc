// The tests of this folder on MariaDB, or on MySQL (see mariadb_server.h).
#include <csignal>

#include "eider/data/db/mariadb/mariadb.h"
#include "tests/databases/tested_database.h"
#include "tests/support/mariadb_server.h"

namespace eider {
namespace {

class MariadbOpener final : public Opener {
 public:
  ~MariadbOpener() override { MariadbServer::shared().signal(SIGCONT); }
  [[nodiscard]] Database open(const OpenWith& with) const override {
    return open_mariadb(MariadbServer::shared().where(),
                        {.connections_max = with.connections_max,
                         .connect_time_max = std::chrono::minutes(1),
                         .wait_time_max = with.wait_time_max,
                         .streams_max = with.streams_max,
                         .statements_max = with.statements_max,
                         .limits = with.limits});
  }
  /// Prepared, with room for fewer than a test has, and with none kept.
  [[nodiscard]] std::vector<Database> open_each_way() const override {
    return {open({.connections_max = 1}), open({.connections_max = 1, .statements_max = 2}),
            open({.connections_max = 1, .statements_max = 0})};
  }
  [[nodiscard]] bool is_mysql() const override { return MariadbServer::shared().is_mysql(); }
  void restart() const override {
    MariadbServer::shared().kill();
    MariadbServer::shared().start();
  }
  void signal(int signal) const override { MariadbServer::shared().signal(signal); }
};

[[maybe_unused]] const bool kOnMariadb =
    test_database(kMariadbDiffers, [] { return std::make_unique<MariadbOpener>(); });

}  // namespace
}  // namespace eider
