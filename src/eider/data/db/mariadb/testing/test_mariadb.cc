#include "eider/data/db/mariadb/testing/test_mariadb.h"

#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include "eider/data/db/failure.h"
#include "eider/data/db/migrations/migrate.h"
#include "eider/data/db/scratch/mariadb_cluster.h"
#include "eider/data/db/scratch/shared_server.h"

namespace eider {
namespace {

using Done = Result<void, std::string>;

/// For statements that create and delete databases, which may be slow on a busy machine.
Database open_to_administer(const std::string& where) {
  constexpr Duration kTimeMax = std::chrono::minutes(2);
  return open_mariadb(where, {.connections_max = 1,
                              .connect_time_max = kTimeMax,
                              .wait_time_max = std::chrono::seconds(20),
                              .limits = {.statement_time_max = kTimeMax}});
}

Result<std::string, std::string> find_server(const TestMariadbOptions& options) {
  std::string server = options.server.empty()
                           ? detail::scratch::server_of_environment("EIDER_TEST_MARIADB")
                           : options.server;
  if (!server.empty()) {
    return server;
  }
  auto programs = detail::scratch::find_mariadb_programs();
  if (!programs) {
    return fail(programs.error() + ", or by EIDER_TEST_MARIADB=mysql://…");
  }
  static std::string joined;  // protected by the lock of `make_test_mariadb`
  if (joined.empty()) {
    detail::scratch::MariadbCluster cluster(std::move(*programs));
    auto where = detail::scratch::join_shared_server("mariadb", cluster);
    if (!where) {
      return where;
    }
    joined = std::move(*where);
  }
  return joined;
}

Task<Done> create(std::string server, std::string name) {
  const Database base = open_to_administer(server);
  const db::RuntimeSql find{"select schema_name from information_schema.schemata"};
  const std::vector<std::string> names = co_await base.all<std::string>(find);
  for (const std::string& old : detail::scratch::unused_of(names)) {
    const db::RuntimeSql drop{"drop database if exists " + old};
    co_await base.script(drop);
  }
  const db::RuntimeSql made{"create database " + name};
  co_await base.script(made);
  co_return Done();
}

Task<Done> apply(std::string where, Migrations migrations) {
  auto applied = co_await migrate(open_to_administer(where), std::move(migrations));
  co_return applied ? Done() : Done(fail(std::move(applied.error())));
}

Result<std::string, std::string> make(const Migrations& migrations,
                                      const TestMariadbOptions& options) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  const auto server = find_server(options);
  if (!server) {
    return fail(server.error());
  }
  const std::string name = detail::scratch::next_test_name();
  std::string where = detail::scratch::mariadb_database(*server, name);
  Done done = detail::scratch::on_own_loop([&] { return create(*server, name); });
  if (done && !migrations.empty()) {
    done = detail::scratch::on_own_loop([&] { return apply(where, migrations); });
  }
  return done ? Result<std::string, std::string>(std::move(where)) : fail(std::move(done.error()));
}

}  // namespace

std::string make_test_mariadb(const Migrations& migrations, const TestMariadbOptions& options) {
  auto where = make(migrations, options);
  if (!where) {
    throw db::Failure(db::FailureKind::open,
                      "there is no MariaDB database for a test: " + where.error());
  }
  return std::move(*where);
}

Database open_test_mariadb(const Migrations& migrations, const TestMariadbOptions& options) {
  return open_mariadb(make_test_mariadb(migrations, options), options.options);
}

}  // namespace eider
