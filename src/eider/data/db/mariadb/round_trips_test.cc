// Values that are invalid for a member or a column.
#include "tests/support/mariadb_tests.h"

namespace eider {
namespace {

using MariadbRoundTrips = MariadbTest;

struct ZeroDay {
  std::chrono::year_month_day day{};
};
struct ZeroInstant {
  std::chrono::sys_seconds at{};
};
struct LongTime {
  TimeOfDay t{};
};
struct LongLength {
  std::chrono::seconds t{};
};

template <class T>
Task<std::string> why_not_mariadb(Database on, std::string sql) {
  const db::RuntimeSql text{sql};
  auto asked = on.template one<T>(text);
  const auto failure = co_await failure_of(asked);  // g++ 14 cannot parse this as one expression
  co_return failure.what();
}

TEST_F(MariadbRoundTrips, say_what_a_member_cannot_hold_and_what_to_do) {
  const Database base = open();
  script(base,
         "drop table if exists odd_times; set sql_mode = ''; create table odd_times(day date, at "
         "datetime, t time, past time); insert into odd_times values('0000-00-00', '0000-00-00', "
         "'838:59:59', '-01:00:00')");
  on_loop_.run([](Database on) -> Task<> {
    const std::string day = co_await why_not_mariadb<ZeroDay>(on, "select day from odd_times");
    EXPECT_TRUE(day.contains("the column \"day\" is a zero date")) << day;
    EXPECT_TRUE(day.contains("nullif(")) << day;
    const std::string at = co_await why_not_mariadb<ZeroInstant>(on, "select at from odd_times");
    EXPECT_TRUE(at.contains("the column \"at\" is a zero date")) << at;
    const std::string time = co_await why_not_mariadb<LongTime>(on, "select t from odd_times");
    EXPECT_TRUE(time.contains("the column \"t\" is not within one day")) << time;
    const std::string zone =
        co_await why_not_mariadb<ZeroInstant>(on, "select cast('2026-01-02' as datetime) as at");
    EXPECT_TRUE(zone.contains("the column \"at\" has no time zone")) << zone;
    const auto length = co_await on.one<LongLength>("select t from odd_times");
    EXPECT_EQ(length->t, std::chrono::seconds(838 * 3600 + 59 * 60 + 59));
    const std::string past =
        co_await why_not_mariadb<LongLength>(on, "select past as t from odd_times");
    EXPECT_TRUE(past.contains("is a negative duration")) << past;
  }(base));
}

struct Lengths {
  std::chrono::seconds whole{};
  std::optional<std::chrono::microseconds> exact = {};
  std::chrono::hours words{};
};

TEST_F(MariadbRoundTrips, store_durations_in_a_time) {
  const Database base = open();
  script(base,
         "drop table if exists lengths; create table lengths(whole time, exact time(6), words "
         "varchar(20))");
  on_loop_.run([](Database on) -> Task<> {
    using std::chrono::hours;
    using std::chrono::seconds;
    const std::chrono::microseconds exact{90'000'250'000};
    const seconds longest(838 * 3600 + 59 * 60 + 59);
    co_await on.exec("insert into lengths(whole, exact, words) values($1, $2, $3)", longest, exact,
                     hours(839));
    co_await on.exec("insert into lengths(whole, exact, words) values($1, $2, $3)", seconds(0),
                     exact, hours(100));
    const auto all = co_await on.all<Lengths>("select whole, exact, words from lengths");
    EXPECT_EQ(all.size(), 2U);
    EXPECT_EQ(all.at(0).whole, longest);
    EXPECT_EQ(all.at(0).exact, exact);
    EXPECT_EQ(all.at(0).words, hours(839));
    EXPECT_EQ(all.at(1).whole, seconds(0));
    EXPECT_EQ(all.at(1).exact, exact);
    EXPECT_EQ(all.at(1).words, hours(100));
    EXPECT_EQ(co_await on.one<int>("select 1 from lengths where whole = $1", longest), 1);
    auto longer = on.exec("insert into lengths(whole) values($1)", hours(839));
    EXPECT_EQ((co_await failure_of(longer)).error().status(), 422);
  }(base));
}

TEST_F(MariadbRoundTrips, refuse_a_clients_value_as_the_clients) {
  const Database base = open();
  script(base,
         "drop table if exists kept; create table kept(id int primary key, word varchar(3), price "
         "decimal(4, 2), at datetime(6), day date); insert into kept(id, word) values(1, 'a')");
  on_loop_.run([](Database on) -> Task<> {
    const auto status = [](db::Failure failure) { return failure.error().status(); };
    auto large = on.exec("insert into kept(id) values($1)", std::int64_t{2147483648});
    const db::Failure range = co_await failure_of(large);
    EXPECT_EQ(status(range), 422);
    EXPECT_EQ(range.by().column, "id");
    auto longer = on.exec("insert into kept(id, word) values(2, $1)", "long");
    const db::Failure length = co_await failure_of(longer);
    EXPECT_EQ(status(length), 422);
    EXPECT_EQ(length.by().column, "word");
    auto dear = on.exec("insert into kept(id, price) values(2, $1)", 100);
    EXPECT_EQ(status(co_await failure_of(dear)), 422);
    auto day = on.exec("insert into kept(id, day) values(2, $1)", "2026-02-30");
    EXPECT_EQ(status(co_await failure_of(day)), 422);
    auto pattern = on.exec("select id from kept where word rlike $1", "(");
    EXPECT_EQ(status(co_await failure_of(pattern)), 422);
    auto escape = on.all<int>("select id from kept where word like $1 escape $2", "a", "xx");
    EXPECT_EQ(status(co_await failure_of(escape)), 422);
    auto tile = on.all<int>("select ntile($1) over (order by id) from kept", 0);
    EXPECT_EQ(status(co_await failure_of(tile)), 422);
    auto own = on.exec("insert into kept(id, word) values(2, 'long')");
    EXPECT_EQ(status(co_await failure_of(own)), 500);
    EXPECT_EQ(co_await on.one<std::string>("select word from kept where id = $1",
                                           std::int64_t{2147483648}),
              std::nullopt);
    const std::string nul("a\0", 2);
    co_await on.exec("insert into kept(id, word) values(3, $1)", nul);
    EXPECT_EQ(co_await on.one<std::string>("select word from kept where id = 3"), nul);
  }(base));
}

TEST_F(MariadbRoundTrips, refuse_a_search_that_cannot_be_read) {
  const Database base = open();
  script(base,
         "drop table if exists papers; create table papers(id int primary key, body text, fulltext "
         "key(body)) engine = InnoDB");
  on_loop_.run([](Database on) -> Task<> {
    for (const std::string search : {"+ +a", "@", "*", "((a)"}) {
      auto found = on.all<int>(
          "select id from papers where match(body) against($1 in boolean mode)", search);
      const db::Failure failure = co_await failure_of(found);
      EXPECT_EQ(failure.error().status(), 422) << search << ": " << failure.what();
    }
    auto wrong = on.all<int>("selct id from papers where id = $1", 1);
    EXPECT_EQ((co_await failure_of(wrong)).error().status(), 500);
  }(base));
}

TEST_F(MariadbRoundTrips, refuse_rows_outside_of_a_view_or_of_all_partitions) {
  const Database base = open();
  script(base,
         "drop view if exists recent; drop table if exists parts; create table parts(year int) "
         "partition by range(year)(partition old values less than(2000)); create view recent as "
         "select year from parts where year > 1900 with check option");
  on_loop_.run([](Database on) -> Task<> {
    auto outside = on.exec("insert into parts(year) values($1)", 2001);
    EXPECT_EQ((co_await failure_of(outside)).kind(), db::FailureKind::check);
    auto hidden = on.exec("insert into recent(year) values($1)", 1800);
    EXPECT_EQ((co_await failure_of(hidden)).kind(), db::FailureKind::check);
  }(base));
}

TEST_F(MariadbRoundTrips, know_which_value_a_column_does_not_accept) {
  const Database base = open();
  script(base,
         "drop table if exists kept; create table kept(id int primary key, word varchar(3), day "
         "date, old varchar(9) character set latin1)");
  on_loop_.run([](Database on) -> Task<> {
    const auto text = [](const db::Failure& failure) {
      EXPECT_EQ(failure.error().status(), 422) << failure.what();
      return failure.refused() == nullptr ? "" : failure.refused()->text;
    };
    auto longer = on.exec("insert into kept(id, word) values($1, $2)", 2, "long");
    EXPECT_EQ(text(co_await failure_of(longer)), "long");
    auto day = on.exec("update kept set day = $2 where id <> $1", 7, "2026-02-30");
    co_await on.exec("insert into kept(id) values(1)");
    EXPECT_EQ(text(co_await failure_of(day)), "2026-02-30");
    auto large = on.exec("insert into kept(word, id) values($1, $2)", "a", 2147483648);
    EXPECT_EQ(text(co_await failure_of(large)), "2147483648");
    auto smile = on.all<int>("select id from kept where old = $1", "\U0001F600");
    EXPECT_EQ(text(co_await failure_of(smile)), "\U0001F600");
    auto between =
        on.all<int>("select id from kept where old between $1 and $2", "a", "\U0001F600");
    EXPECT_EQ(text(co_await failure_of(between)), "");
    auto among =
        on.all<int>("select id from kept where old in ($1, $2, $3)", "a", "\U0001F600", "b");
    EXPECT_EQ(text(co_await failure_of(among)), "");
    auto table =
        on.all<int>("select a from json_table($1, '$[*]' columns(a int path '$')) as q", "a");
    EXPECT_EQ(text(co_await failure_of(table)), "a");
  }(base));
}

TEST_F(MariadbRoundTrips, compute_with_decimals_exactly) {
  const Database base = open();
  script(base,
         "drop table if exists balances; create table balances(id int primary key, amount "
         "decimal(20, 3), code varchar(20)); insert into balances(id, amount, code) "
         "values(1, 123456789012345.678, '1.50'), (2, 0.3, '0.10')");
  on_loop_.run([](Database on) -> Task<> {
    const Decimal step = *Decimal::parse("0.001");
    co_await on.exec("update balances set amount = amount + $1 where id = 1", step);
    const auto added = co_await on.one<Decimal>("select amount from balances where id = $1", 1);
    EXPECT_EQ(added, Decimal::parse("123456789012345.679"));
    const Decimal whole = *Decimal::parse("123456789012345.680");
    EXPECT_EQ(co_await on.one<int>("select id from balances where amount + $1 = $2", step, whole),
              1);
    const Decimal negative = *Decimal::parse("-123456789012345.679");
    EXPECT_EQ(co_await on.one<int>("select id from balances where amount + $1 = 0", negative), 1);
    // As text, it has all its digits.
    co_await on.exec("update balances set code = $1 where id = 2", *Decimal::parse("-7.50"));
    EXPECT_EQ(co_await on.one<std::string>("select code from balances where id = 2"), "-7.50");
  }(base));
}

}  // namespace
}  // namespace eider
