#include "cli/db/server_scratch.h"

#include <fmt/format.h>

#include <random>

#include "cli/db/connect.h"
#include "eider/data/db/migrations/migrate.h"

namespace eider {

using namespace detail::scratch;
namespace {

/// A separate database on an existing server.
class DatabaseOfServer final : public TemporaryResource {
 public:
  DatabaseOfServer(std::string server, DatabaseOf database_of)
      : server_(std::move(server)), database_of_(database_of) {
    std::random_device random;
    name_ = fmt::format("eider_check_{:08x}{:08x}", random(), random());
  }

  Result<std::string, std::string> make(const Parent& other) override {
    const auto made = on_database(server_, Access::writes, [&](const Database& database) -> Task<> {
      co_await database.exec("select 1");  // connects
      if (!other.is_gone()) {
        is_begun_ = true;
        const bool is_mariadb = database.dialect() == db::Dialect::mariadb;
        const db::RuntimeSql sql{"create database " + name_ +
                                 (is_mariadb ? " character set utf8mb4" : "")};
        co_await database.exec(sql);
      }
    });
    return made ? Result<std::string, std::string>(database_of_(server_, name_))
                : fail("cannot create a scratch database on the server of --server: " +
                       made.error());
  }

  Result<void, std::string> remove() override {
    if (!is_begun_) {
      return {};
    }
    const auto dropped =
        on_database(server_, Access::writes, [&](const Database& database) -> Task<> {
          db::RuntimeSql sql{"drop database if exists " + name_};
          if (database.dialect() == db::Dialect::postgres) {
            const auto version =
                co_await database.one<int>("select current_setting('server_version_num')::int");
            // Servers before version 13 do not support FORCE.
            sql.text += version.value_or(0) >= 130000 ? " with (force)" : "";
          }
          co_await database.exec(sql);
        });
    return dropped ? Result<void, std::string>()
                   : fail("the database " + name_ +
                          " could not be dropped on the server of --server: " + dropped.error());
  }

 private:
  std::string server_;
  DatabaseOf database_of_;
  std::string name_{};
  bool is_begun_ = false;
};

}  // namespace

Result<CleanupProcess, std::string> make_server_database(const std::string& server,
                                                         DatabaseOf database_of) {
  DatabaseOfServer kept(server, database_of);
  return CleanupProcess::start(kept);
}

Result<void, std::string> ServerScratch::open(const Migrations& migrations) {
  auto database = open_door(where_, Access::writes);
  if (!database) {
    return fail(std::move(database.error()));
  }
  database_ = std::move(*database);
  Result<std::size_t, std::string> done = 0;
  bench::run_on(*loop_, [&]() -> Task<> { done = co_await migrate(*database_, migrations); });
  return done ? Result<void, std::string>() : fail(std::move(done.error()));
}

Result<LockedStatement, std::string> ServerScratch::describe(const std::string& sql) {
  LockedStatement locked{};
  try {
    bench::run_on(*loop_, [&]() -> Task<> {
      const db::Impatient impatient(database_->pool());
      locked = co_await described(sql);
    });
  } catch (const db::Failure& failure) {
    return fail(std::string(failure.what()));
  }
  return locked;
}

}  // namespace eider
