#include "eider/testkit/factory.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/kinds/kinds.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

enum class Binding { paper, cloth };

struct NewMaker {
  Sized<std::string, 1, 80> name;
  Email contact;
};
struct Maker {
  std::int64_t id = 0;
  std::string name;
  std::string contact;

  using New = NewMaker;
};
struct NewThing {
  std::int64_t maker_id;
  std::string title;
  Binding binding = Binding::cloth;
  Bounded<int, 1, 9> stars;
  Validated<std::string, OneOf<"in-house", "public">> place;
  std::optional<int> pages = {};
};
struct Thing {
  std::int64_t id = 0;
  std::int64_t maker_id;
  std::string title;
  Binding binding = Binding::paper;
  int stars;
  std::string place;
  std::optional<int> pages = {};

  using New = NewThing;
};
struct Coded {
  std::int64_t id = 0;
  Validated<std::string, Matches<"[A-Z]{3}">> code;
  Sized<std::string, 3, 4> short_text;
  Uuid uuid;
  std::chrono::year_month_day day;
};

constexpr const char* kThings =
    "create table makers(id integer primary key, name text not null unique, contact text not null);"
    "create table things(id integer primary key, maker_id integer not null references makers(id), "
    "title text not null, binding text not null, stars integer not null, place text not null, "
    "pages integer);"
    "create table coded(id integer primary key, code text not null, short_text text not null, "
    "uuid text not null, day text not null);";

class Factories : public ::testing::Test {
 protected:
  Factories() : client_(app_) {}

  Database database_ = open_sqlite(
      ":memory:", {.runs_on = SqliteOptions::RunsOn::loop, .schema = std::string(kThings)});
  App app_;
  TestClient client_;
  Factory<Maker> makers_{db::Records<Maker>(database_, {.name = "makers"})};
  Factory<Thing> things_{db::Records<Thing>(database_, {.name = "things"})};
};

TEST_F(Factories, fill_members_with_valid_values) {
  const NewThing thing = things_.build();
  EXPECT_EQ(thing.title, "title 1");
  EXPECT_EQ(thing.binding, Binding::cloth);
  EXPECT_EQ(*thing.stars, 1);
  EXPECT_EQ(*thing.place, "in-house");
  EXPECT_FALSE(thing.pages);
  EXPECT_EQ(things_.build().title, "title 2");
  EXPECT_EQ(*makers_.build().contact, "user1@example.org");
}

TEST_F(Factories, insert_a_record_with_its_parent) {
  things_.belongs_to(&NewThing::maker_id, makers_, &Maker::id);
  const Thing first = client_.run(things_.insert());
  EXPECT_EQ(first.maker_id, 1);
  EXPECT_EQ(first.title, "title 1");
  const Maker maker = client_.run(makers_.insert([](NewMaker& values) { values.name = "Ada"; }));
  EXPECT_EQ(maker.name, "Ada");
  const Thing second = client_.run(things_.insert([&maker](NewThing& values) {
    values.maker_id = maker.id;
    values.pages = 300;
  }));
  EXPECT_EQ(second.maker_id, maker.id);
  EXPECT_EQ(second.pages, 300);
  const std::vector<Thing> more = client_.run(things_.insert_all(3));
  ASSERT_EQ(more.size(), 3U);
  EXPECT_EQ(more[2].title, "title 5");
  EXPECT_NE(more[2].maker_id, more[1].maker_id);
}

TEST_F(Factories, have_defaults_that_a_test_can_override) {
  const Factory<Maker> makers(db::Records<Maker>(database_, {.name = "makers"}),
                              [](NewMaker& values, std::int64_t number) {
                                values.name = "Maker no. " + std::to_string(number);
                              });
  EXPECT_EQ(client_.run(makers.insert()).name, "Maker no. 1");
  EXPECT_EQ(client_.run(makers.insert([](NewMaker& values) { values.name = "x"; })).name, "x");
  EXPECT_EQ(client_.run(makers.insert()).name, "Maker no. 3");
}

TEST_F(Factories, report_a_member_that_needs_a_value) {
  const Factory<Coded> coded(db::Records<Coded>(database_, {.name = "coded"}));
  try {
    (void)coded.build();
    FAIL() << "an invalid value was not reported";
  } catch (const std::invalid_argument& failure) {
    EXPECT_STREQ(failure.what(),
                 "eider: a factory has no valid value for the member code: set one "
                 "in the defaults of the factory");
  }
  const Coded stored = client_.run(coded.insert([](Coded& values) { values.code = "ABC"; }));
  EXPECT_EQ(*stored.short_text, "xx2");
  EXPECT_EQ(stored.uuid, Uuid::parse("00000000-0000-4000-8000-000000000002").value());
  EXPECT_TRUE(stored.day.ok());
}

TEST_F(Factories, pass_on_the_failure_of_the_database) {
  const auto same = [](NewMaker& values) { values.name = "Ada"; };
  (void)client_.run(makers_.insert(same));
  EXPECT_THROW((void)client_.run(makers_.insert(same)), db::Failure);
}

}  // namespace
}  // namespace eider
