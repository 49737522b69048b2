#include "eider/data/db/postgres/postgres.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/kinds/kinds.h"
#include "eider/testkit/temp_directory.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

TEST_F(PostgresTest, text_and_binary_give_the_same_texts) {
  constexpr const char* kSql =
      "select 'infinity'::timestamptz as a, '0044-03-15 BC'::date as b, '23:59:59.5'::time as c, "
      "'2026-11-22 18:05:00.25'::timestamp as d, '1234567890123456789.000100'::numeric as e, "
      "'NaN'::numeric as f, 0.000012::numeric as g, 10000::numeric as h, 100000001::numeric as i, "
      "'{\"a\": 1}'::jsonb as j, '2026-11-22 18:05:00+02'::timestamptz as k, 0::numeric as l, "
      "-0.5::numeric as m, 'x'::char(3) as n, 7::oid as o, '\\x00ff'::bytea as p, 0.1::float4 as "
      "q, "
      "'1969-12-31 23:59:59.999999'::timestamp as r, '0012-01-01'::date as s, "
      "'0192f1e0-7c3a-7bbb-8f00-0123456789ab'::uuid as t, true as u, null as v, "
      "'99999-01-01 10:00:00'::timestamp as w, '294276-12-31 23:59:59Z'::timestamptz as x, "
      "'5874897-12-31'::date as y, '4713-01-01 BC'::date as z";
  std::vector<std::vector<db::Value>> rows;
  for (const std::size_t statements : {256UL, 0UL}) {
    const Database base =
        open_postgres(PostgresServer::shared().where() + " options='-c timezone=UTC'",
                      {.statements_max = statements});
    const auto row = on_loop_.run([](Database on) -> Task<db::Row> {
      const db::RuntimeSql select{kSql};
      co_return *co_await on.one<db::Row>(select);
    }(base));
    std::vector<db::Value> values;
    for (std::size_t i = 0; i < row.size(); ++i) {
      values.push_back(row[i]);
    }
    rows.push_back(values);
  }
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    EXPECT_TRUE(rows[0][i] == rows[1][i]) << "column " << i;
  }
  EXPECT_EQ(*rows[0][3].text(), "2026-11-22T18:05:00.25");
  EXPECT_EQ(*rows[0][10].text(), "2026-11-22T16:05:00Z");
  EXPECT_EQ(*rows[0][22].text(), "99999-01-01T10:00:00");
}

TEST_F(PostgresTest, a_constraint_is_told_with_its_name_its_table_and_its_column) {
  const Database base = open();
  script(base,
         "drop table if exists marks, users; create table users(id int primary key, email text not "
         "null unique, age int check(age > 0), a int, b int, constraint pair unique(a, b)); "
         "create table marks(of int references users(id)); "
         "insert into users values(1, 'a@b', 3, 1, 1)");
  const struct {
    const char* sql;
    FailureKind kind;
    const char* constraint;
    const char* column;
    int status;
  } kCases[] = {
      {"insert into users values(2, 'a@b')", FailureKind::unique, "users_email_key", "email", 409},
      {"insert into marks values(9)", FailureKind::foreign_key, "marks_of_fkey", "of", 409},
      {"insert into users values(2, 'c', 1, 1, 1)", FailureKind::unique, "pair", "", 409},
      {"select 1 / 0", FailureKind::values, "", "", 500},
      {"select 'x'::int", FailureKind::values, "", "", 500},
      {"copy users to stdout", FailureKind::statement, "", "", 500},
      {"copy users from stdin", FailureKind::statement, "", "", 500},
  };
  for (const auto& [sql, kind, constraint, column, status] : kCases) {
    const db::Failure failure =
        on_loop_.run([](Database on, db::RuntimeSql text) -> Task<db::Failure> {
          auto pending = on.exec(text);
          co_return co_await failure_of(pending);
        }(base, db::RuntimeSql{sql}));
    EXPECT_EQ(failure.kind(), kind) << sql << ": " << failure.what();
    EXPECT_EQ(failure.by().constraint, constraint) << sql;
    EXPECT_EQ(failure.by().column, column) << sql;
    EXPECT_EQ(failure.error().status(), status) << sql;
  }
  EXPECT_EQ(number(base, "select count(*) from users"), 1);
}

struct NewPair {
  int first = 0;
  int second = 0;
};

TEST_F(PostgresTest, a_constraint_is_told_of_the_member_it_speaks_of) {
  const Database base = open();
  script(base,
         "drop table if exists of_pair; drop table if exists pairs; create table pairs("
         "first int unique, second int, unique(first, second), constraint below check(first < 9)); "
         "create unique index own_name on pairs(second); create table of_pair("
         "first int references pairs(first)); insert into pairs values(1, 1)");
  const struct {
    const char* sql;
    const char* constraint;
    const char* pointer;
    const char* code;
  } kCases[] = {
      {"insert into pairs values(1, 2)", "pairs_first_key", "/first", "taken"},
      {"insert into pairs values(1, 2)", "pairs.first", "/first", "taken"},
      {"insert into pairs values(2, 1)", "own_name", "/first", "taken"},
      {"insert into pairs values(9, 2)", "below", "/first", ""},
      {"insert into of_pair values(9)", "of_pair_first_fkey", "/first", ""},
      {"insert into of_pair values(9)", "of_pair.first", nullptr, ""},
      {"insert into pairs values(1, 2)", "", nullptr, ""},
  };
  for (const auto& [sql, constraint, pointer, code] : kCases) {
    const db::Failure failure = on_loop_.run(
        [](Database on, db::RuntimeSql text, std::string_view name) -> Task<db::Failure> {
          auto pending = on.exec(text);
          pending.on_conflict(name, &NewPair::first, "is not to be");
          co_return co_await failure_of(pending);
        }(base, db::RuntimeSql{sql}, constraint));
    ASSERT_EQ(failure.error().status(), pointer == nullptr ? 409 : 422) << sql;
    if (pointer != nullptr) {
      EXPECT_EQ(failure.error().fields().at(0).pointer, pointer);
      EXPECT_EQ(failure.error().fields().at(0).code, code);
      EXPECT_EQ(failure.error().fields().at(0).detail, "is not to be");
    }
  }
}

TEST_F(PostgresTest, its_own_operators_and_quotes_are_understood) {
  on_loop_.run([](Database on) -> Task<> {
    EXPECT_EQ(co_await on.one<bool>("select '{\"a\": 1}'::jsonb ? $1", "a"), true);
    EXPECT_EQ(co_await on.one<std::string>("select $a$ $1 ? $a$ || e'\\'$2' || $1", "x"),
              " $1 ? '$2x");
    const db::RuntimeSql cut{std::string("select 1\0 from absent", 21)};
    EXPECT_THROW((void)on.exec(cut), db::Failure);
    EXPECT_THROW((void)on.script(cut), db::Failure);
  }(open()));
}

TEST_F(PostgresTest, a_value_stands_in_no_cause_and_names_no_column) {
  const Database base = open();
  script(base,
         "drop table if exists rows; create table rows(name text, x int constraint positive "
         "check(x > 0))");
  on_loop_.run([](Database on) -> Task<> {
    auto no_uuid = on.exec("select $1::uuid", "my-secret-token");
    const db::Failure refused = co_await failure_of(no_uuid);
    EXPECT_EQ(std::string(refused.what()).find("secret"), std::string::npos) << refused.what();
    EXPECT_NE(std::string(refused.what()).find("invalid input syntax for type uuid (22P02)"),
              std::string::npos)
        << refused.what();
    auto raising = on.exec("do 'begin raise exception ''no \"%\"'', ''my-'' || ''token''; end'");
    EXPECT_EQ(std::string((co_await failure_of(raising)).what()).find("my-token"),
              std::string::npos);
    auto no_table = on.exec("select $1::text::regclass", "my_secret_table");
    const db::Failure absent = co_await failure_of(no_table);
    EXPECT_EQ(std::string(absent.what()).find("secret"), std::string::npos) << absent.what();
    auto typed = on.exec("select * from absent");
    EXPECT_NE(std::string((co_await failure_of(typed)).what()).find("\"absent\" does not exist"),
              std::string::npos);
    // The DETAIL is: Failing row contains (victim)=(x, 0).
    auto named = on.exec("insert into rows values($1, 0)", "victim)=(x");
    const db::RefusedBy by = (co_await failure_of(named)).by();
    EXPECT_EQ(by.constraint, "positive");
    EXPECT_EQ(by.column, "");
  }(base));
}

TEST_F(PostgresTest, what_a_constraint_finds_at_the_very_end_of_a_statement_is_a_failure) {
  const Database base = open();
  script(base,
         "drop table if exists late; create table late(a int, constraint once unique(a) "
         "deferrable initially deferred); insert into late values(1)");
  const db::Failure failure = on_loop_.run([](Database on) -> Task<db::Failure> {
    auto pending = on.exec("insert into late values(1)");
    co_return co_await failure_of(pending);
  }(base));
  EXPECT_EQ(failure.kind(), FailureKind::unique) << failure.what();
}

TEST_F(PostgresTest, values_that_do_not_fit_their_types_are_refused_before_they_are_sent) {
  const Database base = open();
  on_loop_.run([](Database on) -> Task<> {
    auto large = on.one<int>("select $1::int2::int4", 40000);
    EXPECT_EQ((co_await failure_of(large)).kind(), FailureKind::values);
    auto huge = on.one<double>("select $1::float4::float8", 1e300);
    EXPECT_EQ((co_await failure_of(huge)).kind(), FailureKind::values);
    auto odd = on.one<double>("select $1::float8", (std::int64_t{1} << 53) + 1);
    EXPECT_EQ((co_await failure_of(odd)).kind(), FailureKind::values);
    auto largest = on.one<double>("select $1::float8", std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ((co_await failure_of(largest)).kind(), FailureKind::values);
    auto part = on.one<int>("select $1::int4", 1.5);
    EXPECT_EQ((co_await failure_of(part)).kind(), FailureKind::values);
    EXPECT_EQ(co_await on.one<double>("select $1::float8", std::int64_t{1} << 53), 0x1p53);
    EXPECT_EQ(co_await on.one<int>("select $1::int4", 1e6), 1'000'000);
    EXPECT_TRUE(std::signbit(*co_await on.one<double>("select $1::float8", -0.0)));
    auto zero = on.one<std::string>("select $1::text", std::string("a\0b", 3));
    EXPECT_EQ((co_await failure_of(zero)).kind(), FailureKind::values);
    auto no_uuid = on.one<std::string>("select $1::uuid::text", "no");
    EXPECT_EQ((co_await failure_of(no_uuid)).kind(), FailureKind::values);
    EXPECT_EQ(co_await on.one<std::string>("select $1::text", ""), "");
    EXPECT_EQ(co_await on.one<db::Blob>("select $1::bytea", db::Blob()), db::Blob());
    EXPECT_EQ(co_await on.one<int>("select 1 where $1::int is null", nullptr), 1);
  }(base));
}

TEST_F(PostgresTest, rows_that_do_not_fit_are_told_by_their_columns) {
  const Database base = open();
  on_loop_.run([](Database on) -> Task<> {
    auto nothing = on.all<int>("delete from pg_class where false");
    EXPECT_EQ((co_await failure_of(nothing)).kind(), FailureKind::row);
    EXPECT_EQ((co_await on.all<int>("select generate_series(1, 5000)::int4")).size(), 5000U);
    EXPECT_EQ((co_await on.exec("select generate_series(1, 3)")).rows, 3);
  }(base));
}

/// ThreadSanitizer uses several times the memory of the program.
constexpr bool kHasShadowMemory =
#if defined(__has_feature)  // g++ does not have it
#if __has_feature(thread_sanitizer)
    true ||
#endif
#endif
    false;

TEST_F(PostgresTest, a_result_is_bounded_and_its_connection_goes_on) {
  const Database base = open({.connections_max = 1, .result_bytes_max = 4U << 20U});
  on_loop_.run([](Database on) -> Task<> {
    const auto process = *co_await on.one<int>("select pg_backend_pid()");
    rusage before{};
    ::getrusage(RUSAGE_SELF, &before);
    // Ten gigabytes, which the server is requested to stop sending.
    for (const int size : {1000, 100'000}) {
      auto endless = on.all<std::string>(
          "select repeat('x', $1::int) from generate_series(1, 10000000000 / $1::int)", size);
      const db::Failure failure = co_await failure_of(endless);
      EXPECT_EQ(failure.kind(), FailureKind::row) << failure.what();
      EXPECT_NE(std::string(failure.what()).find("result_bytes_max"), std::string::npos);
    }
    auto single = on.one<std::string>("select repeat('x', 5000000)");
    EXPECT_EQ((co_await failure_of(single)).kind(), FailureKind::row);
    rusage after{};
    ::getrusage(RUSAGE_SELF, &after);
    if (!kHasShadowMemory) {
      EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 * 1024);  // kB
    }
    const auto [large, small] = co_await on.all(
        db::rows<std::string>("select repeat('x', 1000) from generate_series(1, 10000000)"),
        db::row<int>("select 3"));
    EXPECT_EQ(large.error().kind(), FailureKind::row);
    EXPECT_TRUE(small.has_value() || small.error().kind() == FailureKind::expired);
    EXPECT_EQ((co_await on.all<std::string>("select repeat('x', 1000) from generate_series(1, "
                                            "3000)"))
                  .size(),
              3000U);
    EXPECT_EQ(co_await on.one<int>("select pg_backend_pid()"), process);
  }(base));
}

TEST_F(PostgresTest, a_table_that_changes_under_a_prepared_statement_is_read_as_it_is_then) {
  const Database base = open({.connections_max = 1});
  script(base,
         "drop table if exists shape; create table shape(a int); insert into shape values(1)");
  on_loop_.run([](Database on) -> Task<> {
    const auto columns = [](std::optional<db::Row> row) { return row->size(); };
    EXPECT_EQ(columns(co_await on.one<db::Row>("select * from shape")), 1U);
    co_await on.script("alter table shape add b text default 'x'");
    EXPECT_EQ(columns(co_await on.one<db::Row>("select * from shape")), 2U);
    co_await on.exec("deallocate all");
    EXPECT_EQ(columns(co_await on.one<db::Row>("select * from shape")), 2U);
  }(base));
}

TEST_F(PostgresTest, parameters_have_the_types_that_their_table_has_by_then) {
  const Database base = open({.connections_max = 1, .statements_max = 3});
  script(base, "drop table if exists typed; create table typed(a int, b text)");
  on_loop_.run([](Database on) -> Task<> {
    const auto add = [](Database to, std::int64_t number, const char* text) -> Task<> {
      co_await to.exec("insert into typed values($1, $2)", number, text);
    };
    co_await add(on, 1, "{}");
    co_await on.exec("alter table typed alter a type bigint");
    co_await add(on, 5'000'000'000, "{}");
    co_await on.exec("alter table typed alter b type jsonb using b::jsonb");
    co_await add(on, 2, "{\"is\": 1}");
    const auto [added, batched] = co_await on.batch(
        db::change("insert into typed values($1, $2)", 3, "{}"), db::change("select $1::int2", 7));
    EXPECT_EQ(added.rows, 1);
    co_await on.exec("alter table typed alter a type int using 1");
    co_await add(on, 4, "{}");
    co_await on.exec("alter table typed alter a type bigint");
    const auto [other, large] =
        co_await on.all(db::change("select 1"),
                        db::change("insert into typed values($1, $2)", 6'000'000'000, "{}"));
    EXPECT_TRUE(large.has_value());
    EXPECT_EQ(co_await on.one<std::int64_t>("select count(*) from typed"), 6);
    // Statements that were removed from the cache are also deallocated at the server.
    EXPECT_LE(*co_await on.one<std::int64_t>(
                  "select count(*) from pg_prepared_statements where name like 'eider_%'"),
              3);
    auto wrong = on.exec("insert into typed values($1, $2)", 1, "no json");
    EXPECT_EQ((co_await failure_of(wrong)).kind(), FailureKind::values);
  }(base));
}

TEST_F(PostgresTest, no_more_statements_are_kept_than_the_limit_says) {
  const Database base = open({.connections_max = 1, .statements_max = 3});
  on_loop_.run([](Database on) -> Task<> {
    for (int i = 0; i < 20; ++i) {
      const db::RuntimeSql select{"select " + std::to_string(i % 7) + "::int4"};
      EXPECT_EQ(co_await on.one<int>(select), i % 7);
    }
    EXPECT_EQ(co_await on.one<std::int64_t>(
                  "select count(*) from pg_prepared_statements where name like 'eider_%'"),
              3);
  }(base));
}

TEST(PostgresPlaces, what_is_no_place_is_refused_when_it_is_opened) {
  EXPECT_FALSE(try_open_postgres("postgres://me@localhost/x?colour=blue").has_value());
  EXPECT_FALSE(try_open_postgres("host='open").has_value());
  EXPECT_FALSE(try_open_postgres("host=a,b port=1,2,3").has_value());
  EXPECT_THROW((void)open_postgres("nonsense"), db::Failure);
  EXPECT_FALSE(try_open_postgres("host=a", {.connections_max = 0}).has_value());
  for (const Duration time : {Duration(0ms), Duration(1us), Duration(24h * 30)}) {
    EXPECT_FALSE(try_open_postgres("host=a", {.limits = {.statement_time_max = time}}).has_value());
  }
}

TEST_F(PostgresTest, a_server_is_found_by_url_by_name_and_behind_one_that_is_not_there) {
  const PostgresServer& server = PostgresServer::shared();
  for (const std::string& where :
       {server.url(), server.url("localhost"), server.where(),
        "postgres://tester@127.0.0.1:1,127.0.0.1:" + std::to_string(server.port()) + "/postgres"}) {
    EXPECT_EQ(on_loop_.run([](Database on) -> Task<std::optional<int>> {
      co_return co_await on.one<int>("select 7");
    }(open_postgres(where))),
              7)
        << where;
  }
}

TEST_F(PostgresTest, a_server_is_found_at_the_port_that_the_file_of_a_service_names) {
  const TempDirectory directory;
  const std::string file = (directory.path() / "services").string();
  std::ofstream(file) << "[shop]\nhost=127.0.0.1\nport=" << PostgresServer::shared().port()
                      << "\nuser=tester\ndbname=postgres\n";
  ::setenv("PGSERVICEFILE", file.c_str(), 1);
  for (const char* const where :
       {"service=shop", "postgres://?service=shop", "postgres:///?service=shop"}) {
    EXPECT_EQ(on_loop_.run([](Database on) -> Task<std::optional<int>> {
      co_return co_await on.one<int>("select 7");
    }(open_postgres(where))),
              7)
        << where;
  }
  ::unsetenv("PGSERVICEFILE");
}

TEST_F(PostgresTest, a_server_is_found_behind_one_that_says_nothing) {
  const int silent = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  ASSERT_EQ(::bind(silent, reinterpret_cast<const sockaddr*>(&address), bytes), 0);
  ASSERT_EQ(::listen(silent, 8), 0);
  ASSERT_EQ(::getsockname(silent, reinterpret_cast<sockaddr*>(&address), &bytes), 0);
  const std::string where =
      "postgres://tester@127.0.0.1:" + std::to_string(ntohs(address.sin_port)) +
      ",127.0.0.1:" + std::to_string(PostgresServer::shared().port()) + "/postgres";
  EXPECT_EQ(on_loop_.run([](Database on) -> Task<std::optional<int>> {
    co_return co_await on.one<int>("select 7");
  }(open_postgres(where, {.connect_time_max = 1s}))),
            7);
  ::close(silent);
}

TEST_F(PostgresTest, a_server_that_cannot_be_reached_is_named_within_the_wait) {
  for (const char* where :
       {"host=127.0.0.1 port=1", "host=/nowhere", "host=no.such.name.invalid"}) {
    const db::Failure failure = on_loop_.run([](Database on) -> Task<db::Failure> {
      auto pending = on.exec("select 1");
      co_return co_await failure_of(pending);
    }(open_postgres(where, {.connect_time_max = 1s, .wait_time_max = 1500ms})));
    EXPECT_EQ(failure.kind(), FailureKind::lost) << failure.what();
    EXPECT_EQ(failure.error().status(), 503);
  }
}

}  // namespace
}  // namespace eider
