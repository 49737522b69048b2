#include "eider/data/db/postgres/testing/test_postgres.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include "eider/data/db/failure.h"
#include "eider/data/db/migrations/migrate.h"
#include "eider/data/db/scratch/postgres_cluster.h"
#include "eider/data/db/scratch/shared_server.h"

namespace eider {
namespace {

using detail::scratch::postgres_database;
using Done = Result<void, std::string>;

/// For statements that create and delete databases, which may be slow on a busy machine.
Database open_to_administer(const std::string& where) {
  constexpr Duration kTimeMax = std::chrono::minutes(2);
  return open_postgres(where, {.connections_max = 1,
                               .connect_time_max = kTimeMax,
                               .wait_time_max = std::chrono::seconds(20),
                               .limits = {.statement_time_max = kTimeMax}});
}

Result<std::string, std::string> find_server(const TestPostgresOptions& options) {
  std::string server = options.server.empty()
                           ? detail::scratch::server_of_environment("EIDER_TEST_POSTGRES")
                           : options.server;
  if (!server.empty()) {
    return server;
  }
  auto programs = detail::scratch::find_postgres_programs();
  if (!programs) {
    return fail(programs.error() + ", or by EIDER_TEST_POSTGRES=postgres://…");
  }
  static std::string joined;  // protected by the lock of `make`
  if (joined.empty()) {
    detail::scratch::PostgresCluster cluster(std::move(*programs));
    auto where = detail::scratch::join_shared_server("postgres", cluster);
    if (!where) {
      return where;
    }
    joined = std::move(*where);
  }
  return joined;
}

Task<Done> run(std::string where, std::string sql) {
  const Database base = open_to_administer(where);
  const db::RuntimeSql statement{std::move(sql)};
  co_await base.exec(statement);
  co_return Done();
}

Task<Done> apply(std::string where, Migrations migrations) {
  auto applied = co_await migrate(open_to_administer(where), std::move(migrations));
  co_return applied ? Done() : Done(fail(std::move(applied.error())));
}

Task<Done> find_names(std::string server, std::vector<std::string>* names) {
  const Database base = open_to_administer(server);
  const db::RuntimeSql statement{"select datname::text from pg_database"};
  *names = co_await base.all<std::string>(statement);
  co_return Done();
}

/// Several test programs may do this at the same time: each creates a database with a unique name,
/// and one of these is renamed to the template.
Done make_template(const std::string& server, const std::string& name,
                   const Migrations& migrations) {
  const std::string building = detail::scratch::next_test_name();
  Done done =
      detail::scratch::on_own_loop([&] { return run(server, "create database " + building); });
  if (!done) {
    return done;
  }
  done = detail::scratch::on_own_loop(
      [&] { return apply(postgres_database(server, building), migrations); });
  if (done) {
    const Done renamed = detail::scratch::on_own_loop(
        [&] { return run(server, "alter database " + building + " rename to " + name); });
    if (renamed) {
      return done;
    }
  }
  (void)detail::scratch::on_own_loop(
      [&] { return run(server, "drop database if exists " + building); });
  return done;
}

Task<Done> copy_template(std::string server, std::string made_from, std::string name,
                         std::vector<std::string> unused) {
  const Database base = open_to_administer(server);
  for (const std::string& old : unused) {
    const db::RuntimeSql drop{"drop database if exists " + old + " with (force)"};
    try {
      co_await base.exec(drop);
    } catch (const db::Failure&) {
      // Another program deletes it at the moment.
    }
  }
  const db::RuntimeSql create{"create database " + name + " template " + made_from};
  co_await base.exec(create);
  co_return Done();
}

Result<std::string, std::string> make(const Migrations& migrations,
                                      const TestPostgresOptions& options) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  const auto server = find_server(options);
  if (!server) {
    return fail(server.error());
  }
  std::vector<std::string> names;
  const std::string made_from = detail::scratch::template_name(migrations);
  Done done = detail::scratch::on_own_loop([&] { return find_names(*server, &names); });
  if (done && std::ranges::find(names, made_from) == names.end()) {
    done = make_template(*server, made_from, migrations);
  }
  const std::string name = detail::scratch::next_test_name();
  if (done) {
    done = detail::scratch::on_own_loop(
        [&] { return copy_template(*server, made_from, name, detail::scratch::unused_of(names)); });
  }
  return done ? Result<std::string, std::string>(postgres_database(*server, name))
              : fail(std::move(done.error()));
}

}  // namespace

std::string make_test_postgres(const Migrations& migrations, const TestPostgresOptions& options) {
  auto where = make(migrations, options);
  if (!where) {
    throw db::Failure(db::FailureKind::open,
                      "there is no PostgreSQL database for a test: " + where.error());
  }
  return std::move(*where);
}

Database open_test_postgres(const Migrations& migrations, const TestPostgresOptions& options) {
  return open_postgres(make_test_postgres(migrations, options), options.options);
}

}  // namespace eider
