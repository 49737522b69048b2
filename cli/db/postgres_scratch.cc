#include <fmt/format.h>
#include <libpq-fe.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "cli/bench/on_loop.h"
#include "cli/db/connect.h"
#include "cli/db/nullability.h"
#include "cli/db/scratch.h"
#include "eider/core/base/text.h"
#include "eider/data/db/migrations/migrate.h"
#include "eider/data/db/postgres/array_codec.h"
#include "eider/data/db/scratch/cleanup_process.h"
#include "eider/data/db/scratch/postgres_cluster.h"

namespace eider {

using namespace detail::scratch;
namespace {

struct Finish {
  void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
  void operator()(PGresult* result) const noexcept { PQclear(result); }
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
using Connection = std::unique_ptr<PGconn, Finish>;
using Answer = std::unique_ptr<PGresult, Finish>;
using ConnectionOptions = std::unique_ptr<PQconninfoOption, Finish>;

/// "PostgreSQL: column "yeer" does not exist (Perhaps you meant …)"
std::string complaint_of(const PGresult* result) {
  const auto field = [result](int code) {
    const char* text = PQresultErrorField(result, code);
    return text == nullptr ? std::string() : std::string(text);
  };
  const std::string hint = field(PG_DIAG_MESSAGE_HINT);
  return "PostgreSQL: " + field(PG_DIAG_MESSAGE_PRIMARY) + (hint.empty() ? "" : " (" + hint + ")");
}

/// Connects. Default: gives up after 5 s without a response, unless `where` or the environment
/// specifies another timeout.
Result<Connection, std::string> connect(const std::string& where) {
  const char* const said = std::getenv("PGCONNECT_TIMEOUT");
  const std::array<const char*, 3> keys = {"connect_timeout", "dbname", nullptr};
  const std::array<const char*, 3> values = {said == nullptr ? "5" : said, where.c_str(), nullptr};
  Connection made(PQconnectdbParams(keys.data(), values.data(), 1));
  if (PQstatus(made.get()) != CONNECTION_OK) {
    return fail(std::string(trim(PQerrorMessage(made.get()))));
  }
  return made;
}

/// Returns "host='…' dbname='eider_check_…'": the settings of the server, with another database.
Result<std::string, std::string> with_database(const std::string& server, const std::string& name) {
  const ConnectionOptions said(PQconninfoParse(server.c_str(), nullptr));
  if (said == nullptr) {
    return fail(std::string("libpq cannot parse the value of --server"));
  }
  std::string where;
  for (const PQconninfoOption* one = said.get(); one->keyword != nullptr; ++one) {
    if (one->val != nullptr && std::string_view(one->keyword) != "dbname") {
      where += std::string(one->keyword) + "=" + quoted_option(one->val) + " ";
    }
  }
  return where + "dbname='" + name + "'";
}

/// A separate database on an existing server.
class DatabaseOfServer final : public TemporaryResource {
 public:
  explicit DatabaseOfServer(std::string server) : server_(std::move(server)) {
    std::random_device random;
    name_ = fmt::format("eider_check_{:08x}{:08x}", random(), random());
  }

  Result<std::string, std::string> make(const Parent& other) override {
    auto where = with_database(server_, name_);
    if (!where) {
      return where;
    }
    const auto connection = connect(server_);
    if (!connection) {
      return fail("cannot create a scratch database on the server of --server: " +
                  connection.error());
    }
    if (other.is_gone()) {
      return fail(std::string("the command was canceled"));
    }
    is_begun_ = true;
    if (auto made = run(connection->get(), "create database " + name_); !made) {
      return fail("cannot create a scratch database on the server of --server: " + made.error());
    }
    return where;
  }
  Result<void, std::string> remove() override {
    if (!is_begun_) {
      return {};
    }
    const auto connection = connect(server_);
    if (!connection) {
      return fail(stays(connection.error()));
    }
    // Servers before version 13 do not support FORCE.
    const bool knows_force = PQserverVersion(connection->get()) >= 130000;
    auto dropped = run(connection->get(),
                       "drop database if exists " + name_ + (knows_force ? " with (force)" : ""));
    return dropped ? Result<void, std::string>() : fail(stays(dropped.error()));
  }

 private:
  [[nodiscard]] std::string stays(const std::string& why) const {
    return "the database " + name_ + " could not be dropped on the server of --server: " + why;
  }
  [[nodiscard]] static Result<void, std::string> run(PGconn* connection, const std::string& sql) {
    const Answer result(PQexec(connection, sql.c_str()));
    return PQresultStatus(result.get()) == PGRES_COMMAND_OK ? Result<void, std::string>()
                                                            : fail(complaint_of(result.get()));
  }

  std::string server_;
  std::string name_;
  bool is_begun_ = false;
};

/// Unsets PGHOSTADDR and similar variables, which would redirect connections to another server.
void forget_postgres_variables() {
  const ConnectionOptions all(PQconndefaults());
  for (const PQconninfoOption* one = all.get(); one != nullptr && one->keyword != nullptr; ++one) {
    if (one->envvar != nullptr) {
      ::unsetenv(one->envvar);
    }
  }
  for (const char* name : {"PGSERVICEFILE", "PGSYSCONFDIR", "PGLOCALEDIR", "PGTZ", "PGDATESTYLE"}) {
    ::unsetenv(name);
  }
}

Result<CleanupProcess, std::string> start_keeper(const std::string& server) {
  if (!server.empty()) {
    if (!is_postgres_address(server)) {
      return fail(std::string("--server requires the URL of a PostgreSQL server: postgres://…"));
    }
    DatabaseOfServer kept(server);
    return CleanupProcess::start(kept);
  }
  auto programs = find_postgres_programs();
  if (!programs) {
    return fail(std::move(programs.error()));
  }
  forget_postgres_variables();
  PostgresCluster kept(std::move(*programs));
  return CleanupProcess::start(kept);
}

/// Returns the kind of the driver's values (db/postgres/codec.h): numeric, dates, enums and unknown
/// types are text, as the server writes them.
std::string kind_of_type(Oid type, bool is_enum) {
  static const std::map<Oid, const char*> kKinds = {
      {16, "boolean"}, {17, "blob"},   {19, "text"},    {20, "integer"}, {21, "integer"},
      {23, "integer"}, {25, "text"},   {26, "integer"}, {114, "json"},   {700, "real"},
      {701, "real"},   {1042, "text"}, {1043, "text"},  {1082, "text"},  {1083, "text"},
      {1114, "text"},  {1184, "text"}, {1700, "text"},  {2950, "text"},  {3802, "json"}};
  if (const auto found = kKinds.find(type); found != kKinds.end()) {
    return found->second;
  }
  return is_enum ? "text" : db::postgres::element_of(type) != 0 ? "array" : "other";
}

/// Columns that are never null in their table and in tables that inherit from it. Columns whose
/// constraint was added without a check of the existing rows (`not valid`) are excluded.
constexpr const char* kNotNullColumns = R"(
  with recursive below(top, rel) as (
    select oid, oid from pg_class where relkind in ('r', 'p', 'f')
    union select top, inhrelid from below join pg_inherits on inhparent = rel),
  known(rel, name, is_not_null) as (
    select attrelid, attname, attnotnull and not exists(
             select from pg_constraint where contype = 'n' and conrelid = attrelid
                and conkey = array[attnum] and not convalidated)
      from pg_attribute where not attisdropped)
  select a.attrelid, a.attnum
    from pg_attribute a join below on top = a.attrelid
    join known k on k.rel = below.rel and k.name = a.attname
   where a.attrelid >= 16384 group by 1, 2 having bool_and(k.is_not_null))";

/// For each output column of the plan: whether it is a column of a table, by the table's alias in
/// the plan, and the table is not on the nullable side of an outer join.
constexpr const char* kColumnsByPlan = R"(
  with recursive node(plan, may_lack) as (
    select $1::jsonb -> 0 -> 'Plan', false
    union all
    select child, may_lack or coalesce(
             plan ->> 'Join Type' not in ('Inner', 'Semi', 'Right Semi')
             and not (plan ->> 'Join Type' in ('Left', 'Anti')
                      and child ->> 'Parent Relationship' = 'Outer')
             and not (plan ->> 'Join Type' in ('Right', 'Right Anti')
                      and child ->> 'Parent Relationship' = 'Inner'), false)
      from node, jsonb_array_elements(plan -> 'Plans') child),
  sure(name) as (
    select quote_ident(plan ->> 'Alias') from node where plan ? 'Relation Name' group by 1
    having not bool_or(may_lack))
  select exists(select from sure where starts_with(told, name || '.')
                   and substr(told, length(name) + 2) ~ '^([a-z_][a-z0-9_$]*|"([^"]|"")+")$')
    from jsonb_array_elements_text($1::jsonb -> 0 -> 'Plan' -> 'Output')
         with ordinality as output(told, place) order by place)";

class PostgresScratch final : public ScratchDatabase {
 public:
  PostgresScratch(CleanupProcess keeper, Connection connection)
      : keeper_(std::move(keeper)), connection_(std::move(connection)) {}

  Result<void, std::string> read_tables() {
    // Plans for all values, not for the nulls that `explain` passes here.
    (void)ask("set plan_cache_mode = force_generic_plan", {});
    const Answer rows = ask(kNotNullColumns, {});
    if (rows == nullptr) {
      return fail(std::string("PostgreSQL: ") + PQerrorMessage(connection_.get()));
    }
    for (int i = 0; i < PQntuples(rows.get()); ++i) {
      not_null_.emplace(parse_integer<Oid>(text(rows, i, 0)).value_or(0),
                        parse_integer<int>(text(rows, i, 1)).value_or(0));
    }
    return {};
  }

  Result<LockedStatement, std::string> describe(const std::string& sql) override {
    (void)ask("deallocate all", {});
    const Answer prepared(PQprepare(connection_.get(), "checked", sql.c_str(), 0, nullptr));
    if (PQresultStatus(prepared.get()) != PGRES_COMMAND_OK) {
      return fail(complaint_of(prepared.get()));
    }
    const Answer told(PQdescribePrepared(connection_.get(), "checked"));
    LockedStatement locked{sql, {}, {}};
    for (int i = 0; i < PQnparams(told.get()); ++i) {
      locked.parameters.push_back(type_of(PQparamtype(told.get(), i), -1).name);
    }
    for (int i = 0; i < PQnfields(told.get()); ++i) {
      const Type& type = type_of(PQftype(told.get(), i), PQfmod(told.get(), i));
      locked.columns.push_back({PQfname(told.get(), i), type.kind, type.name, true});
    }
    find_nulls(*told, locked);
    return locked;
  }
  std::string where() const override { return keeper_.where(); }

 private:
  struct Type {
    std::string name;
    std::string kind;
  };

  static std::string text(const Answer& rows, int row, int column) {
    return PQgetvalue(rows.get(), row, column);
  }

  /// Returns the result; null for an error.
  Answer ask(const char* sql, const std::vector<std::string>& values) {
    std::vector<const char*> given;
    for (const std::string& value : values) {
      given.push_back(value.c_str());
    }
    Answer result(PQexecParams(connection_.get(), sql, static_cast<int>(given.size()), nullptr,
                               given.data(), nullptr, nullptr, 0));
    const auto status = PQresultStatus(result.get());
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK ? std::move(result) : nullptr;
  }

  /// Returns the type as clients see it: for a domain, its base type.
  const Type& type_of(Oid type, int modifier) {
    const auto [known, is_new] = types_.try_emplace({type, modifier});
    if (is_new) {
      const Answer row =
          ask("select format_type(oid, $2::int), typtype = 'e' from pg_type where "
              "oid = $1::oid",
              {std::to_string(type), std::to_string(modifier)});
      const bool is_there = row != nullptr && PQntuples(row.get()) == 1;
      known->second.name = is_there ? text(row, 0, 0) : "unknown";
      std::ranges::replace(known->second.name, '|', '/');  // the separator before the column name
      known->second.kind = kind_of_type(type, is_there && text(row, 0, 1) == "t");
    }
    return known->second;
  }

  void find_nulls(const PGresult& told, LockedStatement& locked) {
    const int count = static_cast<int>(locked.columns.size());
    const std::vector<bool> certain = items_that_are_never_null(locked.sql, locked.columns.size());
    const bool may_be_outer =
        has_any_word(locked.sql, {"join"}) && has_any_word(locked.sql, {"left", "right", "full"});
    const std::vector<bool> sure = may_be_outer ? columns_by_plan(locked) : std::vector<bool>();
    // Constructs that add nulls of their own: super-aggregate rows, and since PostgreSQL 18
    // `returning old.title`.
    const bool are_doubtful =
        has_any_word(locked.sql, {"rollup", "cube", "grouping"}) ||
        (PQserverVersion(connection_.get()) >= 180000 && has_any_word(locked.sql, {"old", "new"}));
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool is_sure = !may_be_outer || (sure.size() == locked.columns.size() && sure[at]);
      const bool is_not_null = not_null_.contains({PQftable(&told, i), PQftablecol(&told, i)});
      locked.columns[at].may_be_null = !certain[at] && (!is_not_null || !is_sure || are_doubtful);
    }
    for (std::size_t i = 0; !are_doubtful && i < locked.columns.size(); ++i) {
      if (locked.columns[i].may_be_null) {
        locked.columns[i].may_be_null = !has_sure_operands(locked, i);
      }
    }
  }

  /// Returns whether the column is an expression of other columns that are never null.
  // NOLINTNEXTLINE(misc-no-recursion): those are plain columns
  bool has_sure_operands(const LockedStatement& locked, std::size_t place) {
    const std::string operands = select_of_operands(locked.sql, place, ExpressionsOf::postgres);
    const auto described = operands.empty() || operands == locked.sql
                               ? Result<LockedStatement, std::string>(fail(std::string()))
                               : describe(operands);
    return described && std::ranges::none_of(described->columns, [](const LockedColumn& column) {
             // lower(range) and a cast of json may return null.
             return column.may_be_null || column.kind == "other" || column.kind == "json" ||
                    column.kind == "array" || column.kind == "unknown";
           });
  }

  /// Returns nothing if there is no plan.
  std::vector<bool> columns_by_plan(const LockedStatement& locked) {
    std::string values;
    for (std::size_t i = 0; i < locked.parameters.size(); ++i) {
      values += i == 0 ? "(null" : ", null";
    }
    values += values.empty() ? "" : ")";
    const Answer plan =
        ask(("explain (verbose, costs off, format json) execute checked" + values).c_str(), {});
    const Answer rows = plan == nullptr ? nullptr : ask(kColumnsByPlan, {text(plan, 0, 0)});
    std::vector<bool> sure;
    for (int i = 0; rows != nullptr && i < PQntuples(rows.get()); ++i) {
      sure.push_back(text(rows, i, 0) == "t");
    }
    return sure;
  }

  CleanupProcess keeper_;  // destroyed last
  Connection connection_;
  std::set<std::pair<Oid, int>> not_null_{};  // table, and number of the column in it
  std::map<std::pair<Oid, int>, Type> types_{};
};

Result<void, std::string> apply(const std::string& where, const Migrations& migrations) {
  const auto database = connect_postgres(where);
  if (!database) {
    return fail(database.error());
  }
  Result<std::size_t, std::string> done = 0;
  bench::run_on_loop(Backend::epoll,
                     [&]() -> Task<> { done = co_await migrate(*database, migrations); });
  return done ? Result<void, std::string>() : fail(std::move(done.error()));
}

}  // namespace

Scratch make_postgres_scratch(const Migrations& migrations, const std::string& server) {
  auto keeper = start_keeper(server);
  if (!keeper) {
    return fail(std::move(keeper.error()));
  }
  if (auto applied = apply(keeper->where(), migrations); !applied) {
    return fail(std::move(applied.error()));
  }
  auto connection = connect(keeper->where());
  if (!connection) {
    return fail(std::move(connection.error()));
  }
  auto scratch = std::make_unique<PostgresScratch>(std::move(*keeper), std::move(*connection));
  if (auto read = scratch->read_tables(); !read) {
    return fail(std::move(read.error()));
  }
  return scratch;
}

}  // namespace eider
