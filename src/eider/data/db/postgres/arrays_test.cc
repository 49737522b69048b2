#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/kinds/kinds.h"
#include "eider/data/db/records.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using db::FailureKind;

enum class Shade { red, green };

struct Arrays {
  std::vector<int> flags;
  std::vector<std::int16_t> small;
  std::vector<std::int32_t> numbers;
  std::vector<std::int64_t> large;
  std::vector<float> singles;
  std::vector<double> reals;
  std::vector<std::string> words;
  std::vector<db::Blob> bytes;
  std::vector<std::optional<int>> holes;
  std::vector<std::chrono::sys_time<std::chrono::microseconds>> instants;
  std::vector<std::chrono::year_month_day> days;
  std::vector<Uuid> ids;
  std::vector<Decimal> prices;
  std::optional<std::vector<int>> none;

  friend bool operator==(const Arrays&, const Arrays&) = default;
};

Arrays sample_arrays() {
  using namespace std::chrono_literals;
  return {.flags = {1, 0, 1},
          .small = {-32768, 32767},
          .numbers = {-2147483647, 0, 7},
          .large = {std::numeric_limits<std::int64_t>::min(), 1},
          .singles = {0.25F, -1e30F},
          .reals = {0.1, 1e300, std::numeric_limits<double>::infinity(), -0.0},
          .words = {"", "NULL", "a,b", "{\"ä\" \\ \n'}", " "},
          .bytes = {{std::byte{0}, std::byte{255}, std::byte{'\\'}}, {}},
          .holes = {1, std::nullopt, 3},
          .instants = {std::chrono::sys_days(std::chrono::year(1969) / 12 / 31) + 23h + 1500ms},
          .days = {std::chrono::year(2026) / 11 / 23},
          .ids = {*Uuid::parse("0192f1e0-7c3a-7bbb-8f00-0123456789ab")},
          .prices = {*Decimal::parse("-12.50"), *Decimal::parse("0.0001")},
          .none = std::nullopt};
}

const std::vector<int> kIds = {2, 4, 40};
const std::vector<int> kNumbers = {20, 40, 400};
const std::vector<std::int64_t> kLarger = {2, 4};
const std::vector<std::string> kNames = {"n9", "n1"};
const std::vector<int> kNone;
const std::vector<int> kTwoFour = {2, 4};
const std::vector<int> kOneNine = {1, 9};
const std::vector<int> kFound = {20, 40};
const std::vector<int> kSevenEight = {7, 8};
const std::vector<Shade> kShades = {Shade::red, Shade::green};
const std::vector<int> kTooLarge = {1, 40000};
const std::vector<std::string> kWithZero = {std::string("a\0b", 3)};
const std::vector<double> kMixed = {-0.0, 1};
const std::vector<std::vector<int>> kLists = {{1}, {2}};

class PostgresArrays : public PostgresTest {};

TEST_F(PostgresArrays, come_back_as_they_were_bound_prepared_or_read_as_text) {
  const Database base = open({.connections_max = 1});
  script(base,
         "drop table if exists arrays; create table arrays(flags bool[], small int2[], numbers "
         "int4[], large int8[], singles float4[], reals float8[], words text[], bytes bytea[], "
         "holes int4[], instants timestamptz[], days date[], ids uuid[], prices numeric[], none "
         "int4[])");
  on_loop_.run([](Database on, Database unprepared) -> Task<> {
    const Arrays one = sample_arrays();
    for (int i = 0; i < 2; ++i) {  // and an empty row
      const Arrays sent = i == 0 ? one : Arrays();
      co_await on.exec(
          "insert into arrays values($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
          sent.flags, sent.small, sent.numbers, sent.large, sent.singles, sent.reals, sent.words,
          sent.bytes, sent.holes, sent.instants, sent.days, sent.ids, sent.prices, sent.none);
      co_await unprepared.exec(
          "insert into arrays values($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
          db::as_array(sent.flags), db::as_array(sent.small), db::as_array(sent.numbers),
          db::as_array(sent.large), db::as_array(sent.singles), db::as_array(sent.reals),
          db::as_array(sent.words), db::as_array(sent.bytes), db::as_array(sent.holes),
          db::as_array(sent.instants), db::as_array(sent.days), db::as_array(sent.ids),
          db::as_array(sent.prices), sent.none);
      for (const Database& by : {on, unprepared}) {
        const auto rows = co_await by.all<Arrays>("select * from arrays");
        EXPECT_EQ(rows.size(), 2U);
        for (const Arrays& row : rows) {
          EXPECT_TRUE(row == sent);
          EXPECT_TRUE(i == 1 || std::signbit(row.reals[3]));
        }
      }
      co_await on.exec("delete from arrays");
    }
  }(base, open({.statements_max = 0})));
}

TEST_F(PostgresArrays, serve_any_and_unnest) {
  const Database base = open();
  script(base,
         "drop table if exists items; create table items(id int primary key, n int, name text); "
         "insert into items select i, 0, 'n' || i from generate_series(1, 9) i");
  on_loop_.run([](Database on) -> Task<> {
    EXPECT_EQ((co_await on.all<int>("select id from items where id = any($1) order by 1", kIds)),
              kTwoFour);
    EXPECT_EQ(
        (co_await on.all<int>("select id from items where name = any($1) order by 1", kNames)),
        kOneNine);
    EXPECT_TRUE((co_await on.all<int>("select id from items where id = any($1)", kNone)).empty());
    EXPECT_EQ((co_await on.exec("update items set n = u.n from unnest($1::int[], $2::int[]) as u("
                                "id, n) where items.id = u.id",
                                kIds, kNumbers))
                  .rows,
              2);
    EXPECT_EQ((co_await on.all<int>("select n from items where id = any($1) order by id", kLarger)),
              kFound);
    EXPECT_EQ(co_await on.one<int>("select cardinality($1::int[])", "{1,2,3}"), 3);
    // A list is sent as JSON if the parameter is JSON.
    EXPECT_EQ(co_await on.one<int>("select jsonb_array_length($1::jsonb)", kIds), 3);
    EXPECT_EQ((co_await on.one<std::vector<int>>("select to_jsonb($1::int[])", kIds)), kIds);
    std::vector<int> many(100'000);
    for (int i = 0; i < 100'000; ++i) {
      many[static_cast<std::size_t>(i)] = i;
    }
    EXPECT_EQ((co_await on.one<std::vector<int>>("select $1::int[]", many)), many);
  }(base));
}

TEST_F(PostgresArrays, of_enums_go_by_as_array_and_come_by_text) {
  const Database base = open({.connections_max = 1});
  script(
      base,
      "drop table if exists painted; drop type if exists shade; create type shade as enum('red', "
      "'green'); create table painted(shade shade); insert into painted values('red')");
  on_loop_.run([](Database on) -> Task<> {
    EXPECT_EQ(co_await on.one<std::int64_t>("select count(*) from painted where shade = any($1)",
                                            db::as_array(kShades)),
              1);
    EXPECT_EQ(
        (co_await on.one<std::vector<Shade>>("select $1::shade[]::text[]", db::as_array(kShades))),
        kShades);
  }(base));
}

TEST_F(PostgresArrays, that_do_not_fit_are_refused_by_name) {
  on_loop_.run([](Database on) -> Task<> {
    auto large = on.exec("select $1::int2[]", kTooLarge);
    EXPECT_EQ((co_await failure_of(large)).kind(), FailureKind::values);
    auto zero = on.exec("select $1::text[]", kWithZero);
    EXPECT_EQ((co_await failure_of(zero)).kind(), FailureKind::values);
    auto zeros = on.exec("select $1::int[]", kMixed);
    EXPECT_EQ((co_await failure_of(zeros)).kind(), FailureKind::values);
    auto nested = on.exec("select $1::int[]", kLists);
    const db::Failure refused = co_await failure_of(nested);
    EXPECT_EQ(refused.kind(), FailureKind::values);
    EXPECT_NE(std::string(refused.what()).find("one dimension"), std::string::npos);
    auto hole = on.one<std::vector<int>>("select array[1, null]");
    const db::Failure no_null = co_await failure_of(hole);
    EXPECT_EQ(no_null.kind(), FailureKind::row);
    EXPECT_NE(std::string(no_null.what()).find("optional"), std::string::npos) << no_null.what();
    auto wrong = on.one<std::vector<int>>("select array['a']");
    EXPECT_EQ((co_await failure_of(wrong)).kind(), FailureKind::row);
    auto two = on.one<db::Row>("select array[[1, 2], [3, 4]]");
    const db::Failure dimensions = co_await failure_of(two);
    EXPECT_EQ(dimensions.kind(), FailureKind::row);
    EXPECT_NE(std::string(dimensions.what()).find("dimension"), std::string::npos);
    EXPECT_EQ((co_await on.one<std::vector<int>>("select '[5:6]={7,8}'::int[]")), kSevenEight);
    EXPECT_EQ(co_await on.one<std::string>("select array[1, 2]"), "{1,2}");
    EXPECT_EQ(*(*(co_await on.one<db::Row>("select array['a b', null]")))[0].text(),
              "{\"a b\",NULL}");
  }(open()));
}

struct Tagged {
  std::int64_t id = 0;
  std::vector<std::string> tags;
};

const Tagged kTaggedOnce{.id = 1, .tags = {"a", "b c"}};
const Tagged kTaggedTwice{.id = 1, .tags = {"d"}};

TEST_F(PostgresArrays, are_members_of_records) {
  const Database base = open();
  script(base,
         "drop table if exists tagged; create table tagged(id bigint primary key, tags text[])");
  on_loop_.run([](Database on) -> Task<> {
    constexpr db::Table kTagged{.name = "tagged"};
    const db::Records<Tagged> records(on, kTagged);
    EXPECT_EQ((co_await records.insert(kTaggedOnce))->tags, kTaggedOnce.tags);
    EXPECT_EQ((co_await records.update(kTaggedOnce, kTaggedTwice))->tags, kTaggedTwice.tags);
  }(base));
}

}  // namespace
}  // namespace eider
