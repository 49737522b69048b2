#include <gtest/gtest.h>

#include "cli/db/scratch.h"
#include "tests/support/own_temporary_files.h"

namespace eider {
namespace {

constexpr const char* kMariadbSchema =
    "create table notes(id bigint auto_increment primary key, title varchar(9) not null, stars "
    "int, ok bool not null default true, mood enum('good', 'bad') not null, data json not null, "
    "price decimal(9, 2) not null, bytes blob not null, at timestamp(6) not null, weight float not "
    "null, bits bit(3) not null, parent bigint);\n"
    "create table marks(note bigint not null, name text not null, weight double not null, `rank` "
    "int);\n"
    "create view starred as select n.id, n.title from notes n;\n"
    "create view marked as select n.title, m.weight from notes n left join marks m on m.note = "
    "n.id;\n"
    "create procedure retitle(what bigint)\nbegin\n  update notes set title = 'x' where id = "
    "what;\nend;\n";

class MariadbScratchTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::vector<MigrationFile> files = {{"0001_notes.sql", kMariadbSchema}};
    scratch = new Scratch(make_mariadb_scratch(make_migrations(files).value(), ""));
  }
  static void TearDownTestSuite() { delete scratch; }

  /// Returns "id integer, title? text", or the error.
  static std::string described(const std::string& sql) {
    if (!*scratch) {
      return scratch->error();
    }
    const auto statement = (**scratch)->describe(sql);
    if (!statement) {
      return statement.error();
    }
    std::string told;
    for (const LockedColumn& column : statement->columns) {
      told += (told.empty() ? "" : ", ") + column.name + (column.may_be_null ? "? " : " ") +
              column.kind;
    }
    return told;
  }

  static Scratch* scratch;
};
Scratch* MariadbScratchTest::scratch = nullptr;

TEST_F(MariadbScratchTest, tells_columns_with_their_types_and_whether_they_may_be_null) {
  EXPECT_EQ(
      described("select id, title, stars, ok, mood, data, price, bytes, at, weight, bits from "
                "notes where id = $1"),
      "id integer, title text, stars? integer, ok integer, mood text, data json, price text, "
      "bytes blob, at text, weight real, bits integer");
  EXPECT_EQ(described("select * from marks"),
            "note integer, name text, weight real, rank? integer");
  EXPECT_EQ(described("update notes set stars = $1 where id = $2"), "");
  EXPECT_EQ(described("select stars + 1 as more, id + 1 as next from notes"),
            "more? integer, next? integer");
  EXPECT_EQ(described("select id, title from starred"), "id integer, title text");
}

TEST_F(MariadbScratchTest, counts_parameters_by_their_numbers) {
  const auto told =
      (**scratch)->describe("select 1 from notes where id = $2 or id = $1 or id = $2");
  ASSERT_TRUE(told);
  EXPECT_EQ(told->parameters, (std::vector<std::string>{"any", "any"}));
}

TEST_F(MariadbScratchTest, tells_what_is_wrong) {
  EXPECT_TRUE(
      described("select titel from notes").starts_with("MariaDB: Unknown column 'titel' in "));
  EXPECT_TRUE(described("selec").starts_with("MariaDB: You have an error in your SQL syntax"));
  EXPECT_TRUE(described("insert into notes(titel) values($1)").starts_with("MariaDB: Unknown"));
  EXPECT_TRUE(described("select \"title\" || 'x' as t, # comment\n1 from notes").starts_with("t"));
  EXPECT_TRUE(described("delete from marks returning nam").starts_with("MariaDB: Unknown column"));
}

TEST_F(MariadbScratchTest, tells_what_a_change_returns) {
  EXPECT_EQ(described("insert into marks values($1, $2, $3, null) returning note, weight, `rank`"),
            "note integer, weight real, rank? integer");
  EXPECT_EQ(described("delete from notes where id = $1 returning upper(title) as title, id"),
            "title? text, id integer");
  EXPECT_EQ(described("replace into marks(note, name, weight) values ($1, 'returning x', 2) "
                      "returning *"),
            "note integer, name text, weight real, rank? integer");
}

TEST_F(MariadbScratchTest, knows_where_rows_may_be_missing) {
  const std::string from = "select n.title, m.weight from notes n ";
  EXPECT_EQ(described(from + "join marks m on m.note = n.id"), "title text, weight real");
  EXPECT_EQ(described(from + "left join marks m on m.note = n.id"), "title text, weight? real");
  EXPECT_EQ(described(from + "right join marks m on m.note = n.id"), "title? text, weight real");
  EXPECT_EQ(described(from + "left join (marks m join notes k on k.id = m.note) on m.note = n.id"),
            "title text, weight? real");
  EXPECT_EQ(described(from + "left join (select * from marks limit 2) m on m.note = n.id"),
            "title text, weight? real");
  EXPECT_EQ(described("select title, weight from marked"), "title text, weight? real");
  EXPECT_EQ(
      described("with m as (select b.weight, a.title from notes a left join marks b on b.note "
                "= a.id) select title, weight from m"),
      "title text, weight? real");
  EXPECT_EQ(described("select m.weight, s.title from marks m left join starred s on s.id = m.note"),
            "weight real, title? text");
}

TEST_F(MariadbScratchTest, trusts_no_column_of_rows_that_no_table_has) {
  EXPECT_EQ(described("select title from notes union all select null"), "title? text");
  EXPECT_EQ(described("select t.title from (select title from notes union all select null) t"),
            "title? text");
  EXPECT_EQ(described("with recursive t as (select id from notes union all select null from t) "
                      "select id from t"),
            "id? integer");
  EXPECT_EQ(described("select title, count(*) as n from notes group by title with rollup"),
            "title? text, n integer");
  EXPECT_EQ(described("select t.title from (select title, count(*) from notes group by title with "
                      "rollup) t"),
            "title? text");
  EXPECT_EQ(described("select (select title from notes limit 1) as title"), "title? text");
  EXPECT_EQ(described("select max(weight) as weight from marks"), "weight? real");
  EXPECT_EQ(described("select lag(title) over (order by id) as title from notes"), "title? text");
}

TEST_F(MariadbScratchTest, knows_what_is_never_null_and_what_is_never_prepared) {
  EXPECT_EQ(described("select count(*) as n, exists(select 1 from notes) as is_there, 'x' as b, "
                      "coalesce(max(stars), 0) as most from notes"),
            "n integer, is_there integer, b text, most integer");
  EXPECT_EQ(described("create table made(x int)"), "");
  EXPECT_EQ(described("create procedure p() select 1"), "");
  EXPECT_EQ(described("call retitle($1)"), "");
}

TEST(MariadbScratchServer, tells_a_failing_migration_and_leaves_nothing) {
  const OwnTemporaryFiles own;
  const std::vector<MigrationFile> files = {
      {"0001_notes.sql", "create table a(x int);\n\ncreate table b(x itn);\n"}};
  const Scratch scratch = make_mariadb_scratch(make_migrations(files).value(), "");
  ASSERT_FALSE(scratch);
  EXPECT_TRUE(scratch.error().starts_with("0001_notes.sql:3: [failed] ")) << scratch.error();
  EXPECT_EQ(own.count(), 0);
}

}  // namespace
}  // namespace eider
