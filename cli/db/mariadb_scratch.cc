#include <algorithm>
#include <utility>

#include "cli/db/connect.h"
#include "cli/db/nullability.h"
#include "cli/db/server_scratch.h"
#include "eider/data/db/describe.h"
#include "eider/data/db/mariadb/statement_kinds.h"
#include "eider/data/db/scratch/mariadb_cluster.h"

namespace eider {

using namespace detail::scratch;
namespace {

Result<CleanupProcess, std::string> keep_mariadb(const std::string& server) {
  if (!server.empty()) {
    return make_server_database(with_plain_scheme(server), &mariadb_database);
  }
  auto programs = find_mariadb_programs();
  if (!programs) {
    return fail(std::move(programs.error()));
  }
  MariadbCluster kept(std::move(*programs));
  return CleanupProcess::start(kept);
}

class MariadbScratch final : public ServerScratch {
 public:
  using ServerScratch::ServerScratch;

 private:
  Task<LockedStatement> described(std::string sql) override {
    db::Description description = co_await db::describe(database(), sql);
    if (std::string returned = select_of_returning(sql); !returned.empty()) {
      description = co_await db::describe(database(), std::move(returned));
    }
    LockedStatement locked{std::move(sql), {}, {}};
    std::size_t values = 0;
    for (const std::size_t value : db::mariadb::translate(locked.sql).order) {
      values = std::max(values, value + 1);
    }
    locked.parameters.assign(values, "any");
    const auto& columns = description.columns;
    const std::vector<bool> certain = items_that_are_never_null(locked.sql, columns.size());
    const bool are_doubtful = has_any_word(locked.sql, {"rollup"});
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool is_sure = certain[i] || (columns[i].is_not_null && !are_doubtful);
      locked.columns.push_back({columns[i].name, std::string(columns[i].kind), {}, !is_sure});
    }
    co_return locked;
  }
};

}  // namespace

Scratch make_mariadb_scratch(const Migrations& migrations, const std::string& server) {
  auto keeper = keep_mariadb(server);
  if (!keeper) {
    return fail(std::move(keeper.error()));
  }
  std::string where = keeper->where();
  if (server.empty()) {  // the temporary server has no database yet
    auto made = on_database(where, Access::writes, [](const Database& database) -> Task<> {
      co_await database.exec("create database eider_check");
    });
    if (!made) {
      return fail(std::move(made.error()));
    }
    where = mariadb_database(where, "eider_check");
  }
  auto scratch = std::make_unique<MariadbScratch>(std::move(*keeper), std::move(where));
  auto opened = scratch->open(migrations);
  return opened ? Scratch(std::move(scratch)) : fail(std::move(opened.error()));
}

}  // namespace eider
