// A value that a column cannot contain is an error of the client, not of the server.
#include <string>

#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using db::FailureKind;

class PostgresRefusedValues : public PostgresTest {
 protected:
  PostgresRefusedValues() {
    script(base_,
           "drop table if exists held; create table held(id integer primary key, small smallint, "
           "word varchar(3), price numeric(4, 2), day date, at timestamptz, code uuid, mood text "
           "check (mood <> 'bad')); insert into held(id, small, word) values(1, 2, 'a')");
  }

  /// Returns the status of the response if the value is bound.
  template <class T>
  int status(const char* sql, T value) {
    return on_loop_.run([](Database on, db::RuntimeSql text, T bound) -> Task<int> {
      auto asked = on.exec(text, bound);
      const db::Failure failure = co_await failure_of(asked);
      EXPECT_FALSE(std::string(failure.what()).contains("secret")) << failure.what();
      co_return failure.kind() == FailureKind::open ? 200 : failure.error().status();
    }(base_, db::RuntimeSql{sql}, std::move(value)));
  }

  Database base_ = open();
};

TEST_F(PostgresRefusedValues, are_the_clients_in_each_class) {
  const std::string nul("a\0b", 3);
  EXPECT_EQ(status("insert into held(id, word) values(2, $1)", nul), 422);
  EXPECT_EQ(status("select * from held where word = $1", nul), 422);
  EXPECT_EQ(status("select $1::jsonb", nul), 422);
  EXPECT_EQ(status("insert into held(id, word) values(2, $1)", std::string("long")), 422);
  EXPECT_EQ(status("insert into held(id, price) values(2, $1)", 100), 422);
  EXPECT_EQ(status("insert into held(id, price) values(2, $1)", std::string("secret")), 422);
  EXPECT_EQ(status("insert into held(id, at) values(2, $1)", std::string("0000-01-01T00:00:00Z")),
            422);
  EXPECT_EQ(status("insert into held(id, day) values(2, $1)", std::string("2026-02-30")), 422);
  EXPECT_EQ(status("select * from held where code = $1", std::string("secret")), 422);
  EXPECT_EQ(status("select * from held where word ~ $1", std::string("(")), 422);
  EXPECT_EQ(status("select * from held where word like $1", std::string("\\")), 422);
  EXPECT_EQ(status("select to_tsquery('simple', $1)", std::string("a &")), 422);
  EXPECT_EQ(status("select id / $1 from held", 0), 422);
  EXPECT_EQ(status("insert into held(id, word) values(2, $1)", std::string("\xFF")), 422);
}

TEST_F(PostgresRefusedValues, are_the_clients_whatever_code_their_type_reports) {
  script(base_,
         "drop table if exists odd; create table odd(path jsonpath, query tsquery, words tsvector, "
         "relation regclass, name name, key text unique)");
  EXPECT_EQ(status("insert into odd(path) values($1)", std::string("$.a[")), 422);
  EXPECT_EQ(status("select '{}'::jsonb @? $1::jsonpath", std::string("secret secret")), 422);
  EXPECT_EQ(status("insert into odd(query) values($1)", std::string("a &")), 422);
  EXPECT_EQ(status("insert into odd(words) values($1)", std::string(3000, 'a')), 422);
  EXPECT_EQ(status("insert into odd(relation) values($1)", std::string("secret")), 422);
  EXPECT_EQ(status("insert into odd(name) values($1)", std::string(64, 'a')), 422);
  std::string large;  // not compressible
  for (std::uint32_t word = 1; large.size() < 20'000;) {
    word = word * 1664525 + 1013904223;
    large.push_back(static_cast<char>('0' + (word >> 24U) % 75));
  }
  EXPECT_EQ(status("insert into odd(key) values($1)", large), 422);
}

TEST_F(PostgresRefusedValues, that_are_no_values_of_a_client_stay_ours) {
  EXPECT_EQ(status("select 1 / 0 where $1 = 1", 1), 422);  // it has a bound value
  EXPECT_EQ(status("insert into held(id, mood) values(2, $1)", std::string("bad")), 409);
  EXPECT_EQ(status("select * from absent where a = $1", 1), 500);
  EXPECT_EQ(status("selct $1", 1), 500);
  on_loop_.run([](Database on) -> Task<> {
    auto own = on.exec("select 'x'::int");
    EXPECT_EQ((co_await failure_of(own)).error().status(), 500);
  }(base_));
}

TEST_F(PostgresRefusedValues, outside_of_a_view_are_a_conflict) {
  script(base_,
         "create or replace view recent as select id from held where id > 5 with check option");
  EXPECT_EQ(status("insert into recent(id) values($1)", 2), 409);
  script(base_, "drop view recent");
}

TEST_F(PostgresRefusedValues, of_whole_numbers_are_compared_and_only_not_stored) {
  constexpr std::int64_t kLarge = 2147483648;
  on_loop_.run([](Database on) -> Task<> {
    for (const std::int64_t number : {kLarge, -kLarge - 1, std::int64_t{INT64_MAX}}) {
      EXPECT_EQ(co_await on.one<std::string>("select word from held where id = $1", number),
                std::nullopt);
      EXPECT_EQ(co_await on.one<int>("select id from held where small < $1 + 0", number),
                number > 0 ? std::optional(1) : std::nullopt);
      EXPECT_EQ((co_await on.exec("delete from held where id = $1", number)).rows, 0);
      EXPECT_EQ((co_await on.exec("update held set word = $2 where id = $1", number, "b")).rows, 0);
      const std::vector<std::int64_t> some{1, number};
      EXPECT_EQ(co_await on.all<int>("select id from held where id = any($1)", some),
                std::vector<int>{1});
    }
    EXPECT_EQ(co_await on.one<int>("select id from held where small = $1", 40'000), std::nullopt);
    EXPECT_EQ(co_await on.one<int>("select id from held where id = $1", 1), 1);
  }(base_));
  EXPECT_EQ(status("insert into held(id) values($1)", kLarge), 422);
  EXPECT_EQ(status("update held set small = $1", 40'000), 422);
  EXPECT_EQ(status("select lpad('a', $1)", kLarge), 422);  // no such function with a bigint
}

TEST_F(PostgresRefusedValues, are_told_to_the_app_where_they_are_known) {
  const auto refused = [this](const char* sql, auto value) {
    return on_loop_.run(
        [](Database on, db::RuntimeSql text, decltype(value) bound) -> Task<std::string> {
          auto asked = on.exec(text, bound);
          const db::Failure failure = co_await failure_of(asked);
          co_return failure.refused() == nullptr ? "" : failure.refused()->text;
        }(base_, db::RuntimeSql{sql}, value));
  };
  EXPECT_EQ(refused("select $1::text", std::string("a\0b", 3)), std::string("a\0b", 3));
  EXPECT_EQ(refused("insert into held(id) values($1)", std::int64_t{3'000'000'000}), "3000000000");
  EXPECT_EQ(refused("select $1::uuid", std::string("no")), "no");
  EXPECT_EQ(refused("select $1::timestamptz", std::string("0000-01-01T00:00:00Z")),
            "0000-01-01T00:00:00Z");
  EXPECT_EQ(refused("select 1 / $1", 0), "");
  EXPECT_EQ(refused("insert into held(id, word) values(2, $1)", std::string("long")), "long");
  EXPECT_EQ(refused("select * from held where word ~ $1", std::string("(")), "(");
  EXPECT_EQ(refused("insert into held(id, price) values(2, $1)", 100), "100");
  EXPECT_EQ(on_loop_.run([](Database on) -> Task<std::string> {
    const std::string sql = "insert into held(id, word, mood) values($1, $2, $3)";
    auto asked = on.exec(db::RuntimeSql(sql), 2, std::string("wörd"), std::string("ok"));
    const db::Failure failure = co_await failure_of(asked);
    co_return failure.refused() == nullptr ? "" : failure.refused()->text;
  }(base_)),
            "wörd");
}

}  // namespace
}  // namespace eider
