#include "cli/db/options.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <latch>
#include <thread>

#include "cli/db/literals.h"
#include "cli/db/scratch.h"
#include "cli/db/sql_lock.h"
#include "cli/files.h"
#include "eider/data/db/checked_hash.h"

namespace eider {
namespace {

/// "1:select 1|2:select 2"
std::string found(std::string_view source) {
  std::string told;
  for (const SqlLiteral& literal : find_sql_literals(source, find_sql_constants(source))) {
    told += (told.empty() ? "" : "|") + std::to_string(literal.line) + ":" + literal.sql;
  }
  return told;
}

TEST(SqlLiterals, are_first_arguments_of_calls_that_take_statements) {
  EXPECT_EQ(found("db.one<Note>(\"select 1\", id);\ndb->exec(\"delete \\\"a\\\"\"\n \" from b\")"),
            "1:select 1|2:delete \"a\" from b");
  EXPECT_EQ(found("db.all(rows<A<B>>(\"a\"), row<int>(R\"x(b\"c)x\"), change(\"d\\n\"));"),
            "1:a|1:b\"c|1:d\n");
  EXPECT_EQ(found("db.one<int>(/* why */ \"a\" // more\n \"b\")"), "1:ab");
  EXPECT_EQ(found("db->stream<Note>(\"a\", id)"), "1:a");
}

TEST(SqlLiterals, are_joined_of_pieces_and_constants) {
  EXPECT_EQ(found("constexpr const char* kA = \"select a\" \" from t\";\n"
                  "db->one<T>(db::sql(kA, \"where b = $1\"), b); all<T>(sql( n::kA ), 1);"),
            "2:select a from t\nwhere b = $1|2:select a from t");
  EXPECT_EQ(found("static constexpr char kA[] = R\"(a)\";\ndb->all<T>(kA);\nexec(eider::db::sql("
                  "\"x\", kA, \"y\"))"),
            "2:a|3:x\na\ny");
  EXPECT_EQ(found("all<T>(sql(kUnknown, \"b\")); all(kUnknown); all(rows<A>(\"a\"))"), "1:a");
  EXPECT_EQ(found("std::string kA = \"a\" + b; all(kA);"), "");
  EXPECT_EQ(
      found("constexpr const char* kA = \"a\";\nall<T>({kA, \"b\"}); rows<A>( { kA , \"c\" }, 1);"
            "all({kUnknown, \"b\"}); all({\"a\", 1});"),
      "2:a\nb|2:a\nc");
}

TEST(SqlLiterals, are_nothing_else) {
  for (const char* source :
       {"// one(\"a\")", "/* one(\"a\") */", "\"one(\\\"a\\\")\"", "one(text, \"a\")",
        "one(db::unchecked(\"a\"))", "someone(\"a\")", "one(\"a\" + b)", "one = \"a\"", "one <",
        "R\"(one(\"a\"))\"", "one(\"a", "1'000; '\"'; none(\"a\")", "one(", "all<"}) {
    EXPECT_EQ(found(source), "") << source;
  }
  EXPECT_EQ(found("1'000'000; one(\"a\"); '\\''; one(\"b\")"), "1:a|1:b");
}

constexpr const char* kSchema =
    "create table notes(id integer primary key, title text not null, stars int, ok boolean not "
    "null default 1);\ncreate table marks(note integer not null, name text primary key, "
    "weight real not null);\ncreate view starred as select n.id, n.title, m.note from notes n left "
    "join marks m on m.note = n.id;\ncreate view heavy as select * from marks where weight > 9;\n"
    "create table pages(id integer primary key, title text not null);\ncreate view weighed as "
    "select m.weight from notes n left join marks m on m.note = n.id;\n"
    "create table fans(note integer, person integer, primary key(note, person));\n";

Migrations schema() {
  const std::vector<MigrationFile> files = {{"0001_notes.sql", kSchema}};
  return make_migrations(files).value();
}

/// Returns "id integer, title? text", or the error.
std::string described(const std::string& sql) {
  static const Scratch scratch = make_sqlite_scratch(schema());
  const auto statement = (*scratch)->describe(sql);
  if (!statement) {
    return statement.error();
  }
  std::string told;
  for (const LockedColumn& column : statement->columns) {
    told +=
        (told.empty() ? "" : ", ") + column.name + (column.may_be_null ? "? " : " ") + column.kind;
  }
  return told;
}

TEST(ScratchDatabase, of_sqlite_is_deleted_while_threads_create_files_in_it) {
  for (int round = 0; round < 10; ++round) {
    Scratch scratch = make_sqlite_scratch(schema());
    ASSERT_TRUE(scratch) << scratch.error();
    const std::filesystem::path directory =
        std::filesystem::path((*scratch)->where()).parent_path();
    std::latch begun(2);
    std::vector<std::jthread> writers;
    for (const std::string name : {"a", "b"}) {
      writers.emplace_back([&begun, &directory, name] {
        constexpr int kFiles = 1000;
        for (int i = 0; i < kFiles && std::filesystem::exists(directory); ++i) {
          std::ofstream(directory / (name + std::to_string(i)));
          if (i == 0) {
            begun.count_down();
          }
        }
      });
    }
    begun.wait();
    scratch->reset();
    EXPECT_FALSE(std::filesystem::exists(directory)) << round;
    std::filesystem::remove_all(directory);
  }
}

TEST(ScratchDatabase, tells_columns_with_their_types_and_whether_they_may_be_null) {
  EXPECT_EQ(described("select id, title, stars, ok from notes where id = $1"),
            "id integer, title text, stars? integer, ok boolean");
  EXPECT_EQ(described("select * from notes"), "id integer, title text, stars? integer, ok boolean");
  EXPECT_EQ(described("select name, weight from marks"), "name? text, weight real");
  EXPECT_EQ(described("select note, person from fans"), "note? integer, person? integer");
  EXPECT_EQ(described("update notes set stars = $1 where id = $2"), "");
  EXPECT_EQ(described("select titel from notes"), "SQLite: no such column: titel");
  EXPECT_EQ(described("selec"), "SQLite: near \"selec\": syntax error");
}

TEST(ScratchDatabase, expressions_of_columns_that_are_never_null_are_not_null) {
  for (const std::string item : {"lower(title)", "title || '!' || id", "coalesce(stars, id)",
                                 "cast(id as text)", "trim(title)", "(title)"}) {
    EXPECT_EQ(described("select " + item + " as it from notes").find('?'), std::string::npos)
        << item;
  }
  for (const std::string item : {"stars || 'a'", "id / id", "nullif(title, '')", "date(title)",
                                 "max(id)", "lower($1)", "coalesce(id, stars)"}) {
    EXPECT_NE(described("select " + item + " as it from notes").find('?'), std::string::npos)
        << item;
  }
  // Aggregates return a row even without rows.
  EXPECT_EQ(described("select lower(title) as a, count(*) as b from notes"),
            "a? unknown, b unknown");
  EXPECT_EQ(described("select upper(m.name) as a from notes n left join marks m on m.note = n.id"),
            "a? unknown");
}

TEST(ScratchDatabase, tells_what_a_change_returns) {
  EXPECT_EQ(described("insert into notes(title) values($1) returning id, title, stars"),
            "id integer, title text, stars? integer");
  EXPECT_EQ(described("update notes set title = $1 returning title, stars as id"),
            "title text, id? integer");
  EXPECT_EQ(described("delete from notes returning upper(title) as title"), "title unknown");
}

TEST(ScratchDatabase, knows_where_rows_may_be_missing) {
  EXPECT_EQ(described("select n.title, m.weight from notes n left join marks m on m.note = n.id"),
            "title text, weight? real");
  EXPECT_EQ(described("select n.title, m.weight from notes n join marks m on m.note = n.id"),
            "title text, weight real");
  EXPECT_EQ(described("select n.title, m.weight from notes n right join marks m on m.note = n.id"),
            "title? text, weight? real");
  EXPECT_EQ(described("select title, note from starred"), "title? text, note? integer");
  EXPECT_EQ(described("select title from notes union select null"), "title? text");
  EXPECT_EQ(described("select (select title from notes) as title"), "title? text");
  EXPECT_EQ(described("select max(weight) as weight, note from marks"),
            "weight? unknown, note? integer");
}

TEST(ScratchDatabase, knows_an_outer_join_however_its_table_is_named) {
  const auto joined = [](const std::string& name) {
    return described("select n.title, m.weight from notes n left join " + name +
                     " m on m.note = n.id");
  };
  for (const char* known : {"marks", "main.marks", "\"marks\"", "main.\"marks\"", "`marks`"}) {
    EXPECT_EQ(joined(known), "title text, weight? real") << known;
  }
  for (const char* doubtful : {"[marks]", "heavy", "(select * from marks)"}) {
    EXPECT_EQ(joined(doubtful), "title? text, weight? real") << doubtful;
  }
  EXPECT_EQ(described("with notes as (select * from marks) select p.title, n.weight from pages p "
                      "left join notes n on n.note = p.id"),
            "title? text, weight? real");
  EXPECT_EQ(described("select p.title, s.weight from pages p left join notes n on n.id = p.id, "
                      "weighed s"),
            "title? text, weight? real");
}

TEST(ScratchDatabase, knows_what_is_never_null) {
  EXPECT_EQ(described("select count(*) from notes"), "count(*) unknown");
  EXPECT_EQ(described("select count(*) as n, title from notes group by title"),
            "n unknown, title text");
  EXPECT_EQ(described("select coalesce(max(stars), 0) as most from notes"), "most unknown");
  EXPECT_EQ(described("select coalesce(max(stars), min(stars)) as most from notes"),
            "most? unknown");
  EXPECT_EQ(described("select exists(select 1 from notes) as is_there"), "is_there unknown");
  EXPECT_EQ(described("select 1 + null as a, 'x' as b"), "a? unknown, b unknown");
}

TEST(SqlLocks, are_read_as_they_were_written) {
  const SqlLocks locks{
      {"sqlite",
       "abc",
       {{"select a\n\\ from b", {"any", "any"}, {{"a | b", "text", "VARCHAR(5)", true}}},
        {"select 1", {}, {{"1", "unknown", "", false}}}}},
      {"postgres",
       "def",
       {{"select 1", {}, {{"?column?", "integer", "integer", true}}}},
       {{"shop.b", "a\nb", "enum('x | y')", true}, {"c", "d", "", false}}}};
  const auto read = read_locks(to_text(locks));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(to_text(*read), to_text(locks));
  EXPECT_EQ(read->at(0).statements.at(0).sql, "select a\n\\ from b");
  EXPECT_EQ(read->at(0).statements.at(0).columns.at(0).name, "a | b");
  EXPECT_EQ(read->at(0).statements.at(0).columns.at(0).type, "VARCHAR(5)");
  EXPECT_EQ(read->at(1).schema, "def");
  EXPECT_EQ(read->at(1).stored.at(0).name, "a\nb");
  EXPECT_EQ(read->at(1).stored.at(0).type, "enum('x | y')");
  for (const char* wrong :
       {"column text null | a\n", "schema sqlite a\ncolumn text null | a\n",
        "schema sqlite a\nstatement a\ncolumn word null | a\n",
        "schema sqlite a\nstatement a\ncolumn text maybe | a\n", "statement a\n", "schema abc\n",
        "stored null a | b | c\n", "schema sqlite a\nstored null a | b\n",
        "schema sqlite a\nstored maybe a | b | c\n", "<<<<<<< HEAD\n"}) {
    EXPECT_FALSE(read_locks(wrong)) << wrong;
  }
}

/// Returns the hash as in the header.
std::string hash_text(const char* sql) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%016llx",
                static_cast<unsigned long long>(db::checked::hash_of(sql)));
  return text;
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(SqlLocks, have_the_hashes_that_the_compiler_looks_for) {
  const SqlLocks locks{{"sqlite", "abc", {{"select 1", {}, {{"1", "integer", "", false}}}}}};
  EXPECT_EQ(count_of(to_header(locks), hash_text("select 1")), 1U) << to_header(locks);
}

TEST(SqlLocks, hold_a_statement_by_each_database_that_tells_other_columns_of_it) {
  const LockedStatement same{"select 1", {"any"}, {{"a", "text", "VARCHAR(5)", false}}};
  LockedStatement same_too = same;
  same_too.columns[0].type = "character varying(5)";
  const LockedStatement strict{"select 2", {}, {{"a", "text", "", false}}};
  const LockedStatement loose{"select 2", {}, {{"a", "text", "", true}}};
  const LockedStatement alone{"select 3", {}, {}};
  const std::string header =
      to_header({{"sqlite", "a", {same, strict, alone}}, {"postgres", "b", {same_too, loose}}});
  EXPECT_EQ(count_of(header, hash_text("select 1")), 1U) << header;
  EXPECT_EQ(count_of(header, hash_text("select 2")), 2U) << header;
  EXPECT_EQ(count_of(header, hash_text("select 3")), 0U) << header;
}

TEST(SqlLocks, hold_the_columns_that_a_statement_names_with_its_table) {
  const auto user = [](const char* sql) {
    const SqlLock lock{"sqlite", "a", {{"select 1", {}, {}}, {sql, {}, {}}}};
    return first_with(lock, {"shop.Notes", "stars", "int", true}) == &lock.statements[1];
  };
  for (const char* named : {"select stars from notes", "select * from notes where id = $1",
                            "select n.* from \"Notes\" n", "update shop.notes set stars = $1"}) {
    EXPECT_TRUE(user(named)) << named;
  }
  for (const char* other : {"select title from notes", "select stars from notes_of_others",
                            "select count(*) from notes", "select star from notes"}) {
    EXPECT_FALSE(user(other)) << other;
  }
}

TEST(SqlLocks, give_the_header_each_stored_column_with_the_statement_that_names_it) {
  const std::string header = to_header({{"sqlite",
                                         "a",
                                         {{"select \"a\" from b", {}, {}}},
                                         {{"b", "a", "int", true}, {"b", "c", "int", false}}}});
  EXPECT_EQ(count_of(header, R"({"sqlite", "b", "a", "int", true, "select \"a\" from b"})"), 1U)
      << header;
}

}  // namespace
}  // namespace eider
