#include <gtest/gtest.h>

#include "cli/db/scratch.h"
#include "tests/support/own_temporary_files.h"
#include "tests/support/postgres_server.h"
#include "tests/support/recording_relay.h"

namespace eider {
namespace {

constexpr const char* kPostgresSchema =
    "create type mood as enum('good', 'bad');\n"
    "create domain score as real not null check(value >= 0);\n"
    "create table notes(id bigint generated always as identity primary key, title varchar(9) not "
    "null, stars int, ok boolean not null default true, mood mood not null, tags text[] not null, "
    "moods mood[] not null, span int4range not null, "
    "data jsonb not null, price numeric(9, 2) not null, bytes bytea not null, parent bigint, at "
    "timestamptz not null default now());\n"
    "create function own(text) returns text language sql as 'select null';\n"
    "create table marks(note bigint not null, name text not null, weight real not null, rank "
    "score);\n"
    "create view starred as select n.id, n.title from notes n;\n"
    "create table events(at int not null, word text not null) partition by range(at);\n"
    "create table events_1 partition of events for values from (0) to (9);\n"
    "create table base(x int not null);\n"
    "create table derived() inherits(base);\n"
    "alter table derived alter x drop not null;\n";

Scratch scratch_of(const char* schema) {
  const std::vector<MigrationFile> files = {{"0001_notes.sql", schema}};
  return make_postgres_scratch(make_migrations(files).value(), "");
}

class PostgresScratch : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { scratch = new Scratch(scratch_of(kPostgresSchema)); }
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
  /// Returns only the nullability: "- ?" for "title text, weight? real".
  static std::string nulls(const std::string& sql) {
    const std::string told = described(sql);
    std::string nulls;
    for (const std::string column : {"title", "weight"}) {
      const std::size_t at = told.find(column);
      nulls += at == std::string::npos ? "!" : told[at + column.size()] == '?' ? "?" : "-";
    }
    return nulls.contains('!') ? told : nulls;
  }

  static Scratch* scratch;
};
Scratch* PostgresScratch::scratch = nullptr;

TEST_F(PostgresScratch, tells_columns_with_their_types_and_whether_they_may_be_null) {
  EXPECT_EQ(
      described(
          "select id, title, stars, ok, mood, tags, moods, span, data, price, bytes from notes "
          "where id = $1"),
      "id integer, title text, stars? integer, ok boolean, mood text, tags array, "
      "moods other, span other, data json, "
      "price text, bytes blob");
  EXPECT_EQ(described("select * from marks"), "note integer, name text, weight real, rank? real");
  EXPECT_EQ(described("update notes set stars = $1 where id = $2"), "");
  EXPECT_EQ(described("select stars + 1 as more from notes"), "more? integer");
  EXPECT_EQ(described("select title from starred"), "title? text");
  EXPECT_EQ(described("select at, word from events"), "at integer, word text");
  EXPECT_EQ(described("select x from base"), "x? integer");
  EXPECT_EQ(described("select x from only base"), "x? integer");
}

TEST_F(PostgresScratch, expressions_of_columns_that_are_never_null_are_not_null) {
  for (const std::string item :
       {"lower(title)", "title || '!'", "id + 1", "id::text || title", "cast(id as text)",
        "date_trunc('day', at)", "date_trunc('day', at at time zone 'Europe/Berlin')",
        "coalesce(stars, 0) + id", "coalesce(stars, id)", "round(price * 2, 1)", "now()",
        "left(title, 3)", "(id - 1) * -2", "price::double precision", "at - interval '1 day'",
        "n.title", "lower(n.\"title\")", "greatest(id, 7)"}) {
    const std::string told = described("select " + item + " as it from notes n");
    EXPECT_TRUE(told.starts_with("it ")) << item << ": " << told;
  }
  for (const std::string item :
       {"stars + 1", "lower(data ->> 'a')", "nullif(title, '')", "tags[1]", "lower(span)",
        "coalesce(stars, parent)", "(data -> 'a')::int", "data::text::int", "$1 || title",
        "case when ok then 1 end", "substring(title from 'a')", "extract(month from at)",
        "to_char(at, 'YYYY')", "max(id) over ()", "(select id from marks limit 1)", "id / stars",
        "array_length(tags, 1)", "own(title)"}) {
    const std::string told = described("select " + item + " as it from notes n");
    EXPECT_FALSE(told.starts_with("it ")) << item << ": " << told;
  }
  const std::string joined = " from notes n left join marks m on m.note = n.id";
  EXPECT_EQ(nulls("select upper(n.title) as title, m.weight * 2 as weight" + joined), "-?");
  EXPECT_EQ(
      described("select date_trunc('day', at) as day, count(*) as count from notes group by 1"),
      "day text, count integer");
  EXPECT_EQ(described("select lower(title) as a from notes union select null"), "a? text");
  EXPECT_EQ(described("select id + 1 as a from notes group by rollup(id)"), "a? integer");
}

TEST_F(PostgresScratch, tells_what_is_wrong) {
  EXPECT_EQ(described("select titel from notes"),
            "PostgreSQL: column \"titel\" does not exist (Perhaps you meant to reference the "
            "column \"notes.title\".)");
  EXPECT_EQ(described("selec"), "PostgreSQL: syntax error at or near \"selec\"");
  EXPECT_EQ(described("select title from notes where id = $1 and title = $1"),
            "PostgreSQL: operator does not exist: character varying = bigint (No operator matches "
            "the given name and argument types. You might need to add explicit type casts.)");
}

TEST_F(PostgresScratch, names_parameters_and_types_as_the_server_does) {
  const auto told = (**scratch)->describe("select title from notes where id = $1 and mood = $2");
  ASSERT_TRUE(told);
  EXPECT_EQ(told->parameters, (std::vector<std::string>{"bigint", "mood"}));
  EXPECT_EQ(told->columns.at(0).type, "character varying(9)");
}

TEST_F(PostgresScratch, tells_what_a_change_returns) {
  EXPECT_EQ(described("insert into marks values($1, $2, $3) returning note, weight, rank"),
            "note integer, weight real, rank? real");
  EXPECT_EQ(described("update marks m set weight = 1 from notes n where n.id = m.note returning "
                      "m.weight, n.title"),
            "weight real, title text");
  EXPECT_EQ(described("delete from notes returning upper(title) as title"), "title text");
}

TEST_F(PostgresScratch, knows_by_the_plan_where_rows_may_be_missing) {
  const std::string from = "select n.title, m.weight from notes n ";
  EXPECT_EQ(nulls(from + "join marks m on m.note = n.id"), "--");
  EXPECT_EQ(nulls(from + "left join marks m on m.note = n.id"), "-?");
  EXPECT_EQ(nulls(from + "right join marks m on m.note = n.id"), "?-");
  EXPECT_EQ(nulls(from + "full join marks m on m.note = n.id"), "??");
  EXPECT_EQ(nulls(from + "left join public.\"marks\" m on m.note = n.id where m.weight > $1"),
            "--");
  EXPECT_EQ(nulls(from + "left join marks m on m.note = n.id where m.note is null"), "-?");
  EXPECT_EQ(nulls(from + "left join lateral (select * from marks where note = n.id limit 1) m on "
                         "true order by n.title"),
            "-?");
  EXPECT_EQ(nulls(from + "left join (select * from marks where false) m on m.note = n.id"), "-?");
  EXPECT_EQ(
      nulls("with m as materialized (select b.weight, b.note from notes a left join marks b "
            "on b.note = a.id) select n.title, m.weight from notes n join m on m.note = n.id"),
      "-?");
  EXPECT_EQ(nulls("select n.title, p.title as weight from notes n left join notes p on p.id = "
                  "n.parent"),
            "-?");
  EXPECT_EQ(
      nulls("select n.title, e.word as weight from notes n left join events e on e.at = n.id"),
      "-?");
  EXPECT_EQ(nulls("select e'\\'' as a, n.title, m.weight from notes n left join marks m on true "
                  "where 'x' <> e'\\''"),
            "-?");
}

TEST_F(PostgresScratch, trusts_no_column_of_rows_that_no_table_has) {
  EXPECT_EQ(described("select title from notes union all select null"), "title? text");
  EXPECT_EQ(described("select t.title from (select title from notes union all select null) t"),
            "title? text");
  EXPECT_EQ(described("with recursive t as (select id from notes union all select null from t) "
                      "select id from t"),
            "id? integer");
  EXPECT_EQ(described("select title, count(*) from notes group by rollup(title)"),
            "title? text, count integer");
  EXPECT_EQ(described("select (select title from notes limit 1) as title"), "title? text");
  EXPECT_EQ(described("select max(weight) as weight from marks"), "weight? real");
}

TEST_F(PostgresScratch, knows_what_is_never_null) {
  EXPECT_EQ(described("select count(*), exists(select 1 from notes) as is_there, 'x' as b, "
                      "coalesce(max(stars), 0) as most from notes"),
            "count integer, is_there boolean, b text, most integer");
  EXPECT_EQ(described("select count(*) as n from notes union select null"), "n? integer");
  EXPECT_EQ(described("select $$,count(*),$$ as x, stars, stars from notes"),
            "x? text, stars? integer, stars? integer");
}

TEST_F(PostgresScratch, needs_no_plan_of_what_has_none) {
  EXPECT_EQ(described("create table made(x int)"), "");
  EXPECT_EQ(described("select left(title, 1) as l, title from notes where id = $1"),
            "l text, title text");
}

TEST(PostgresScratchServer, tells_a_failing_migration_and_leaves_nothing) {
  const OwnTemporaryFiles own;
  const Scratch scratch = scratch_of("create table a(x int);\n\ncreate table b(x itn);\n");
  ASSERT_FALSE(scratch);
  EXPECT_TRUE(scratch.error().starts_with("0001_notes.sql:3: [failed] ")) << scratch.error();
  EXPECT_EQ(own.count(), 0);
}

TEST(PostgresScratchServer, fails_after_two_attempts_to_connect_if_the_server_is_gone) {
  PostgresServer server;
  const auto fault = std::make_shared<StatementFault>(StatementFault::How::away, 0);
  RecordingRelay relay(static_cast<std::uint16_t>(server.port()), fault);
  const std::string where = "postgres://tester@127.0.0.1:" + std::to_string(relay.port());
  const std::vector<MigrationFile> files = {{"0001_notes.sql", "create table notes(x int);"}};
  ::testing::internal::CaptureStderr();
  {
    const Scratch scratch =
        make_postgres_scratch(make_migrations(files).value(), where + "/postgres");
    ASSERT_TRUE(scratch) << scratch.error();
    EXPECT_TRUE((*scratch)->describe("select 1"));
    fault->arm();
    const std::size_t before = relay.sent().size();
    EXPECT_FALSE((*scratch)->describe("select 1"));
    EXPECT_FALSE((*scratch)->describe("select 1"));
    EXPECT_LE(relay.sent().size(), before + 4);
  }
  EXPECT_TRUE(::testing::internal::GetCapturedStderr().contains("could not be dropped"));
}

}  // namespace
}  // namespace eider
