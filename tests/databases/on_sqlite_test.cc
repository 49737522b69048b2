// Runs the tests of this folder on SQLite.
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/data/db/sqlite/sqlite_connection.h"
#include "eider/data/db/threaded_pool.h"
#include "eider/testkit/temp_directory.h"
#include "tests/databases/tested_database.h"

namespace eider {
namespace {

using RunsOn = SqliteOptions::RunsOn;

class SqliteOpener final : public Opener {
 public:
  [[nodiscard]] Database open(const OpenWith& with) const override {
    SqliteOptions options{.streams_max = static_cast<unsigned>(with.streams_max),
                          .limits = with.limits};
    options.limits.stream_wait_max = with.wait_time_max;
    return open_sqlite(path("test.db"), options);
  }
  [[nodiscard]] std::vector<Database> open_each_way() const override {
    return {open_sqlite(path("threads.db")),
            open_sqlite(path("loop.db"), {.runs_on = RunsOn::loop}), open_sqlite(":memory:"),
            open_sqlite(path("back.db"), {.sandbox = true}),
            open_sqlite(":memory:", {.runs_on = RunsOn::loop})};
  }
  [[nodiscard]] Database open_failing(const OpenWith& with,
                                      std::shared_ptr<StatementFault> fault) const override {
    auto connection = std::make_unique<db::SqliteConnection>(
        path("test.db"), db::SqliteConnection::Role::writes, SqliteOptions());
    return Database(std::make_shared<db::ThreadedPool>(
        std::make_unique<FailingConnection>(std::move(connection), std::move(fault)),
        db::ThreadedPool::Connections(), with.limits));
  }

 private:
  [[nodiscard]] std::string path(const char* name) const { return temporary_.path() / name; }

  const TempDirectory temporary_;
};

[[maybe_unused]] const bool kOnSqlite =
    test_database(kSqliteDiffers, [] { return std::make_unique<SqliteOpener>(); });

}  // namespace
}  // namespace eider
