#include "eider/data/db/records.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/mariadb_tests.h"

namespace eider {
namespace {

struct Owned {
  std::int64_t id = 0;
  std::string owner;
  std::string text;
};

struct OwnedQuery {
  std::optional<std::string> text;
};

struct NewOwned {
  std::int64_t id = 0;
  std::string text;
};

TEST_F(MariadbTest, records_of_one_owner_are_not_those_of_another_by_the_collation) {
  if (is_mysql()) {
    GTEST_SKIP() << "MySQL has no insert … returning";
  }
  const Database base = open();
  script(base,
         "drop table if exists owned; create table owned(id bigint auto_increment primary key, "
         "owner varchar(50) character set utf8mb4 collate utf8mb4_general_ci not null, text "
         "varchar(50) not null)");
  const auto check = [](Database on) -> Task<> {
    const db::Records<Owned> all(on, {.name = "owned"});
    const std::int64_t id =
        (co_await all.only(&Owned::owner, std::string("ada")).insert(NewOwned{.text = "hers"}))->id;
    for (const std::string name : {"ADA", "ada ", "\u00e0da", "Ada"}) {
      const auto others = all.only(&Owned::owner, name);
      EXPECT_FALSE(co_await others.find(id)) << name;
      EXPECT_EQ(co_await others.count(OwnedQuery()), 0) << name;
      EXPECT_EQ((co_await others.remove(id)).rows, 0) << name;
      EXPECT_FALSE(co_await others.upsert(NewOwned{.id = id, .text = "stolen"})) << name;
    }
    const auto own = all.only(&Owned::owner, std::string("ada"));
    EXPECT_EQ((co_await own.find(id))->text, "hers");
    EXPECT_EQ((co_await own.upsert(NewOwned{.id = id, .text = "changed"}))->text, "changed");
  };
  on_loop_.run(check(base));
}

struct Tag {
  std::string name;
  int uses = 0;
  bool gone = false;
};
struct Paper {
  std::int64_t id = 0;
  int stars = 0;
  std::optional<std::chrono::sys_time<std::chrono::microseconds>> gone = {};
};
struct FindPapers {
  int page = 1;
  int per_page = 3;
};
struct Place {
  int stars;
  std::int64_t id;
};

TEST_F(MariadbTest, records_are_changed_and_removed_where_nothing_is_returned) {
  const Database base = open();
  script(base,
         "drop table if exists tags; create table tags(name varchar(100) primary key, uses int not "
         "null, gone bool not null); insert into tags values('x', 1, false)");
  const auto check = [](Database on) -> Task<> {
    const db::Records<Tag> tags(on, {.name = "tags", .key = "name", .deleted = "gone"});
    const std::optional<Tag> before = co_await tags.find("x");
    Tag after = before.value();
    after.uses = 2;
    EXPECT_EQ((co_await tags.update(*before, after))->uses, 2);
    for (const char* name : {"x", "y"}) {
      EXPECT_EQ((co_await tags.upsert(Tag{.name = name, .uses = 3}))->uses, 3);
    }
    EXPECT_EQ((co_await tags.remove("x")).rows, 1);
    EXPECT_EQ((co_await tags.remove("x")).rows, 0);
  };
  on_loop_.run(check(base));
}

TEST_F(MariadbTest, places_are_found_by_the_index) {
  const Database base = open({.connections_max = 1});
  script(base,
         "drop table if exists papers; create table papers(id bigint primary key, title text, "
         "stars int not null, mood text, version int, gone datetime, key(stars, id)); insert into "
         "papers select seq, 'a', seq div 10, 'calm', 0, null from seq_1_to_5000; analyze table "
         "papers");
  const auto check = [](Database on) -> Task<std::int64_t> {
    const db::Records<Paper> papers(on, {.name = "papers", .deleted = "gone"});
    const auto read = [](Database asked) -> Task<std::int64_t> {
      const db::RuntimeSql sql{
          "select cast(sum(variable_value) as signed) from " +
          std::string(is_mysql() ? "performance_schema" : "information_schema") +
          ".session_status where upper(variable_name) in "
          "('HANDLER_READ_NEXT', 'HANDLER_READ_PREV')"};
      co_return *co_await asked.one<std::int64_t>(sql);
    };
    const std::int64_t begin = co_await read(on);
    const std::optional place = Place{250, 2505};
    for (const db::Direction direction : {db::Direction::up, db::Direction::down}) {
      const std::vector<Paper> found =
          co_await papers.page_after(FindPapers{.per_page = 3}, place, direction);
      EXPECT_EQ(found.size(), 3U);
      EXPECT_EQ(found.front().id, direction == db::Direction::up ? 2506 : 2504);
    }
    co_return co_await read(on) - begin;
  };
  EXPECT_LT(on_loop_.run(check(base)), 20);
}

}  // namespace
}  // namespace eider
