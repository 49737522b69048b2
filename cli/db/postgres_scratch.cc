#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "cli/db/connect.h"
#include "cli/db/nullability.h"
#include "cli/db/server_scratch.h"
#include "eider/data/db/describe.h"
#include "eider/data/db/postgres/array_codec.h"
#include "eider/data/db/scratch/postgres_cluster.h"

namespace eider {

using namespace detail::scratch;
namespace {

/// Unsets PGHOSTADDR and similar variables, which would redirect connections to another server.
void forget_postgres_variables() {
  for (char** next = environ; *next != nullptr;) {
    const std::string variable(*next);
    if (variable.starts_with("PG") && variable.contains('=')) {
      (void)::unsetenv(variable.substr(0, variable.find('=')).c_str());  // moves the others up
    } else {
      ++next;
    }
  }
}

Result<CleanupProcess, std::string> start_keeper(const std::string& server) {
  if (!server.empty()) {
    return is_postgres_address(server)
               ? make_server_database(with_plain_scheme(server), &postgres_database)
               : fail(
                     std::string("--server requires the URL of a PostgreSQL server: postgres://…"));
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
std::string kind_of_type(unsigned type, bool is_enum) {
  static const std::map<unsigned, const char*> kKinds = {
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
  select a.attrelid || '.' || a.attnum
    from pg_attribute a join below on top = a.attrelid
    join known k on k.rel = below.rel and k.name = a.attname
   where a.attrelid >= 16384 group by 1 having bool_and(k.is_not_null))";

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

/// The names of types as clients see them: for a domain, its base type.
constexpr const char* kTypes = R"(
  select coalesce(format_type(y.oid, modifier::int), 'unknown') as name,
         coalesce(typtype = 'e', false) as is_enum
    from unnest($1::bigint[], $2::bigint[]) with ordinality as t(type, modifier, place)
    left join pg_type y on y.oid = type::oid order by place)";

struct TypeRow {
  std::string name;
  bool is_enum;
};

class PostgresScratch final : public ServerScratch {
 public:
  using ServerScratch::ServerScratch;

 private:
  Task<LockedStatement> described(std::string sql) override {
    if (version_ == 0) {
      co_await read_tables();
    }
    const db::Description description = co_await db::describe(database(), sql);
    LockedStatement locked{std::move(sql), {}, {}};
    co_await add_types(description, locked);
    co_await find_nulls(description, locked);
    co_return locked;
  }

  Task<> read_tables() {
    const auto columns = co_await database().all<std::string>(kNotNullColumns);
    not_null_.insert(columns.begin(), columns.end());
    const auto version =
        co_await database().one<int>("select current_setting('server_version_num')::int");
    version_ = version.value_or(0);
  }

  Task<> add_types(const db::Description& description, LockedStatement& locked) {
    std::vector<std::int64_t> types(description.parameters.begin(), description.parameters.end());
    std::vector<std::int64_t> modifiers(types.size(), -1);
    for (const auto& column : description.columns) {
      types.push_back(column.type);
      modifiers.push_back(column.modifier);
    }
    auto rows = co_await database().all<TypeRow>(kTypes, types, modifiers);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::ranges::replace(rows[i].name, '|', '/');  // the separator before the column name
      if (i < description.parameters.size()) {
        locked.parameters.push_back(std::move(rows[i].name));
        continue;
      }
      const auto& column = description.columns[i - description.parameters.size()];
      locked.columns.push_back(
          {column.name, kind_of_type(column.type, rows[i].is_enum), std::move(rows[i].name), true});
    }
  }

  Task<> find_nulls(const db::Description& description, LockedStatement& locked) {
    const std::vector<bool> certain = items_that_are_never_null(locked.sql, locked.columns.size());
    const bool may_be_outer =
        has_any_word(locked.sql, {"join"}) && has_any_word(locked.sql, {"left", "right", "full"});
    std::vector<bool> sure;
    if (may_be_outer) {
      sure = co_await columns_by_plan(locked);
    }
    // Constructs that add nulls of their own: super-aggregate rows, and since PostgreSQL 18
    // `returning old.title`.
    const bool are_doubtful = has_any_word(locked.sql, {"rollup", "cube", "grouping"}) ||
                              (version_ >= 180000 && has_any_word(locked.sql, {"old", "new"}));
    for (std::size_t i = 0; i < locked.columns.size(); ++i) {
      const auto& column = description.columns[i];
      const bool is_sure = !may_be_outer || (sure.size() == locked.columns.size() && sure[i]);
      const bool is_not_null = not_null_.contains(fmt::format("{}.{}", column.table, column.place));
      locked.columns[i].may_be_null = !certain[i] && (!is_not_null || !is_sure || are_doubtful);
      if (locked.columns[i].may_be_null && !are_doubtful) {
        locked.columns[i].may_be_null = !co_await has_sure_operands(locked, i);
      }
    }
  }

  /// Returns whether the column is an expression of other columns that are never null.
  // NOLINTNEXTLINE(misc-no-recursion): those are plain columns
  Task<bool> has_sure_operands(const LockedStatement& locked, std::size_t place) {
    std::string operands = select_of_operands(locked.sql, place, ExpressionsOf::postgres);
    if (operands.empty() || operands == locked.sql) {
      co_return false;
    }
    try {
      const LockedStatement statement = co_await described(std::move(operands));
      co_return std::ranges::none_of(statement.columns, [](const LockedColumn& column) {
        // lower(range) and a cast of json may return null.
        return column.may_be_null || column.kind == "other" || column.kind == "json" ||
               column.kind == "array" || column.kind == "unknown";
      });
    } catch (const db::Failure&) {
      co_return false;
    }
  }

  /// Returns nothing if there is no plan.
  Task<std::vector<bool>> columns_by_plan(const LockedStatement& locked) {
    const std::string name = fmt::format("checked_{}", ++plans_count_);
    const std::vector<std::string> nulls(locked.parameters.size(), "null");
    const db::RuntimeSql prepare{"prepare " + name + " as " + locked.sql};
    const db::RuntimeSql explain{
        fmt::format("explain (verbose, costs off, format json) execute {}{}", name,
                    nulls.empty() ? "" : fmt::format("({})", fmt::join(nulls, ", ")))};
    std::vector<bool> sure;
    try {
      const Transaction transaction = co_await database().begin();
      // Plans for all values, not for these nulls.
      co_await transaction.exec("set local plan_cache_mode = force_generic_plan");
      co_await transaction.script(prepare);
      const auto plan = co_await transaction.one<std::string>(explain);
      const auto rows = co_await transaction.all<int>(kColumnsByPlan, plan.value_or(""));
      sure.assign(rows.begin(), rows.end());
    } catch (const db::Failure&) {
    }
    co_return sure;
  }

  std::set<std::string> not_null_{};  // number of the table, and of the column in it: "16384.1"
  int version_ = 0;                   // of the server
  int plans_count_ = 0;
};

}  // namespace

Scratch make_postgres_scratch(const Migrations& migrations, const std::string& server) {
  auto keeper = start_keeper(server);
  if (!keeper) {
    return fail(std::move(keeper.error()));
  }
  std::string where = keeper->where();
  auto scratch = std::make_unique<PostgresScratch>(std::move(*keeper), std::move(where));
  auto opened = scratch->open(migrations);
  return opened ? Scratch(std::move(scratch)) : fail(std::move(opened.error()));
}

}  // namespace eider
