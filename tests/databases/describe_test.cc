// Descriptions of statements that do not run.
#include <string>
#include <utility>
#include <vector>

#include "eider/data/db/describe.h"
#include "eider/io/runtime/scope.h"
#include "tests/databases/tested_database.h"

namespace eider {
namespace {

constexpr unsigned kInt4 = 23;
constexpr unsigned kVarchar = 1043;

Task<> make_table(Database base) {
  co_await base.script(
      "drop table if exists described; "
      "create table described(id int not null, title varchar(9))");
}

Task<> describe_only(Database base, std::string sql) {
  (void)co_await db::describe(base, std::move(sql));
}

class Descriptions : public DatabaseTest {
 public:
  [[nodiscard]] static auto each_server() {
    std::vector<TestedDatabase> servers = tested_databases();
    std::erase_if(servers, [](const auto& one) { return one.differences == &kSqliteDiffers; });
    return ::testing::ValuesIn(servers);
  }
};
class DescriptionErrors : public Descriptions {};

// Without servers, for example with the thread sanitizer, SQLite is the only database.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Descriptions);
INSTANTIATE_TEST_SUITE_P(On, Descriptions, Descriptions::each_server(), name_of_database);
INSTANTIATE_TEST_SUITE_P(On, DescriptionErrors, each_database(), name_of_database);

TEST_P(Descriptions, contain_parameters_types_and_origins_of_columns) {
  on_each_way([](Database on) -> Task<> {
    co_await make_table(on);
    const db::Description described = co_await db::describe(
        on, "select id, title, coalesce(id, 7) as more from described where id = $1");
    const auto& columns = described.columns;
    EXPECT_EQ(columns.size(), 3U);
    EXPECT_EQ(columns.at(0).name + columns.at(1).name + columns.at(2).name, "idtitlemore");
    if (on.dialect() == db::Dialect::mariadb) {
      EXPECT_EQ(columns.at(0).kind, "integer");
      EXPECT_EQ(columns.at(1).kind, "text");
      EXPECT_TRUE(columns.at(0).is_not_null);
      EXPECT_FALSE(columns.at(1).is_not_null);
      EXPECT_FALSE(columns.at(2).is_not_null);  // an expression
      co_return;
    }
    EXPECT_EQ(described.parameters, std::vector<unsigned>{kInt4});
    EXPECT_EQ(columns.at(0).type, kInt4);
    EXPECT_EQ(columns.at(1).type, kVarchar);
    EXPECT_EQ(columns.at(0).modifier, -1);
    EXPECT_EQ(columns.at(1).modifier, 9 + 4);
    EXPECT_NE(columns.at(0).table, 0U);
    EXPECT_EQ(columns.at(0).table, columns.at(1).table);
    EXPECT_EQ(columns.at(1).place, 2);
    EXPECT_EQ(columns.at(2).table, 0U);
  });
}

TEST_P(Descriptions, run_nothing_and_leave_the_connection_as_it_was) {
  on_each_way([](Database on) -> Task<> {
    co_await make_table(on);
    const std::string insert = "insert into described values(1, 'x')";
    const db::Description described = co_await db::describe(on, insert);
    EXPECT_TRUE(described.columns.empty());
    {
      Scope abandoned;
      abandoned.start(describe_only(on, insert));
      abandoned.cancel();
    }
    (void)co_await db::describe(on, "delete from described");
    EXPECT_EQ(co_await on.one<int>("select count(*) from described"), 0);
    const db::RuntimeSql same{insert};
    EXPECT_EQ((co_await on.exec(same)).rows, 1);
    EXPECT_EQ(co_await on.one<int>("select count(*) from described"), 1);
  });
}

TEST_P(DescriptionErrors, have_the_whole_message_of_the_server) {
  on_each_way([](Database on) -> Task<> {
    co_await make_table(on);
    auto wrong = db::describe(on, "select 'a text' as x from described where titel = 'x'");
    const db::Failure failure = co_await failure_of(wrong);
    const bool is_mariadb = on.dialect() == db::Dialect::mariadb;
    const std::string begin = is_sqlite()  ? "this database does not describe statements"
                              : is_mariadb ? "MariaDB: Unknown column 'titel' in '"
                                           : "PostgreSQL: column \"titel\" does not exist (";
    EXPECT_EQ(std::string(failure.what()).substr(0, begin.size()), begin);
    EXPECT_EQ(failure.kind(), db::FailureKind::statement);
    EXPECT_EQ(co_await on.one<int>("select count(*) from described"), 0);
  });
}

TEST_P(DescriptionErrors, report_a_nul_byte_and_do_not_cut_the_statement_there) {
  on_each_way([](Database on) -> Task<> {
    co_await make_table(on);
    for (const char* const after : {" from described where", "", "\n"}) {
      std::string sql = "select 1 as x";
      sql.append(1, '\0').append(after);
      auto wrong = describe_only(on, std::move(sql));
      const db::Failure failure = co_await failure_of(wrong);
      EXPECT_STREQ(failure.what(), "there is a NUL byte in the statement");
      EXPECT_EQ(failure.kind(), db::FailureKind::statement);
    }
  });
}

}  // namespace
}  // namespace eider
