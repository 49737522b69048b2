#include "eider/data/db/records.h"

#include <optional>
#include <string>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "tests/support/mariadb_tests.h"
#include "tests/support/record_checks.h"
#include "tests/support/relation_checks.h"

namespace eider {
namespace {

constexpr const char* kNoReturning = "MySQL has no insert … returning";

class MariadbRecordsTest : public MariadbTest {
 protected:
  void SetUp() override {
    if (is_mysql()) {
      GTEST_SKIP() << kNoReturning;
    }
  }
  MariadbRecordsTest() {
    script(base_,
           "drop table if exists papers; drop table if exists tags; create table papers(id bigint "
           "auto_increment primary key, title varchar(200) collate utf8mb4_bin not null, stars "
           "int, mood enum('calm', 'wild') not null default 'calm', version int not null default "
           "0, gone timestamp(6) null, constraint papers_title_key unique(title)); create table "
           "tags(name varchar(100) primary key, uses int not null, gone bool not null)");
  }

  Database base_ = open();
};

TEST_F(MariadbRecordsTest, are_stored_changed_found_and_removed) {
  on_loop_.run(record_checks::check_life(base_));
}

TEST_F(MariadbRecordsTest, are_changed_by_what_is_there) {
  on_loop_.run(record_checks::check_changes(base_));
}

TEST_F(MariadbRecordsTest, are_listed_by_what_a_struct_allows) {
  on_loop_.run(record_checks::check_pages(base_));
}

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

TEST_F(MariadbRecordsTest, of_one_owner_are_not_those_of_another_by_the_collation) {
  script(base_,
         "drop table if exists owned; create table owned(id bigint auto_increment primary key, "
         "owner varchar(50) character set utf8mb4 collate utf8mb4_general_ci not null, text "
         "varchar(50) not null)");
  const auto check = [](Database base) -> Task<> {
    const db::Records<Owned> all(base, {.name = "owned"});
    auto inserting = all.only(&Owned::owner, std::string("ada")).insert(NewOwned{.text = "hers"});
    const std::int64_t id = (co_await inserting)->id;
    for (const std::string name : {"ADA", "ada ", "\u00e0da", "Ada"}) {
      const auto others = all.only(&Owned::owner, name);
      auto finding = others.find(id);
      EXPECT_FALSE(co_await finding) << name;
      auto counting = others.count(OwnedQuery());
      EXPECT_EQ(co_await counting, 0) << name;
      auto removing = others.remove(id);
      EXPECT_EQ((co_await removing).rows, 0) << name;
      auto upserting = others.upsert(NewOwned{.id = id, .text = "stolen"});
      EXPECT_FALSE(co_await upserting) << name;
    }
    const auto own = all.only(&Owned::owner, std::string("ada"));
    auto finding = own.find(id);
    EXPECT_EQ((co_await finding)->text, "hers");
    auto upserting = own.upsert(NewOwned{.id = id, .text = "changed"});
    EXPECT_EQ((co_await upserting)->text, "changed");
  };
  on_loop_.run(check(base_));
}

TEST_F(MariadbRecordsTest, names_are_the_programs_and_are_checked) {
  record_checks::check_misuse(base_);
}

Task<db::Failure> upsert_fails(db::Records<record_checks::Paper> papers, std::int64_t id,
                               std::string title) {
  auto upserting = papers.upsert(record_checks::Paper{.id = id, .title = std::move(title)});
  co_return co_await failure_of(upserting);
}

TEST_F(MariadbRecordsTest, an_upsert_that_meets_what_it_does_not_mean_fails_and_changes_nothing) {
  const auto check = [](Database base) -> Task<> {
    const db::Records<record_checks::Paper> papers(base, record_checks::kPapers);
    for (const char* title : {"a", "b"}) {
      auto inserting = papers.insert(record_checks::NewPaper{.title = title});
      EXPECT_TRUE(co_await inserting);
    }
    // 3 is no record's number, but the title is another's.
    for (const std::int64_t id : {0, 2, 3}) {
      const db::Failure failure = co_await upsert_fails(papers, id, "a");
      EXPECT_EQ(failure.kind(), db::FailureKind::unique) << id << failure.what();
      EXPECT_EQ(failure.by().constraint, "papers_title_key");
    }
    EXPECT_EQ(co_await base.one<int>("select count(*) from papers where version = 0"), 2);
    auto other = papers.upsert(record_checks::Paper{.id = 2, .title = "c"});
    EXPECT_EQ((co_await other)->version, 1);
  };
  on_loop_.run(check(base_));
}

TEST_F(MariadbRecordsTest, are_changed_within_a_transaction_or_not_at_all) {
  const auto check = [](Database base) -> Task<> {
    const db::Records<record_checks::Tag> tags(base, record_checks::kTags);
    auto inserting = tags.insert(record_checks::Tag{.name = "x", .uses = 1});
    const record_checks::Tag before = *co_await inserting;
    {
      Transaction transaction = co_await base.begin();
      const auto within = tags.in(transaction);
      record_checks::Tag after = before;
      after.uses = 2;
      auto updating = within.update(before, after);
      EXPECT_EQ((co_await updating)->uses, 2);
      auto upserting = within.upsert(record_checks::Tag{.name = "x", .uses = 3});
      EXPECT_EQ((co_await upserting)->uses, 3);
    }
    auto finding = tags.find("x");
    EXPECT_EQ((co_await finding)->uses, 1);
    record_checks::Tag gone = before;
    gone.gone = true;
    auto marking = tags.update(before, gone);
    EXPECT_TRUE((co_await marking)->gone) << "what it was changed to comes back";
    auto again = tags.update(before, gone);
    EXPECT_FALSE(co_await again);
  };
  on_loop_.run(check(base_));
}

TEST_F(MariadbRecordsTest, of_those_who_change_one_state_one_does) {
  const auto check = [](Database base) -> Task<> {
    const db::Records<record_checks::Paper> papers(base, record_checks::kPapers);
    auto inserting = papers.insert(record_checks::NewPaper{.title = "a"});
    const record_checks::Paper before = *co_await inserting;
    int changed = 0;
    const auto change = [](db::Records<record_checks::Paper> of, record_checks::Paper from,
                           int stars, int* count) -> Task<> {
      record_checks::Paper to = from;
      to.stars = stars;
      auto updating = of.update(from, to);
      *count += co_await updating ? 1 : 0;
      auto upserting =
          of.upsert(record_checks::NewPaper{.title = "shared", .stars = stars}, "title");
      EXPECT_TRUE(co_await upserting);
    };
    Scope all;
    for (int i = 0; i < 16; ++i) {
      all.start(change(papers, before, i, &changed));
    }
    co_await all.join();
    EXPECT_EQ(changed, 1);
    EXPECT_EQ(co_await base.one<int>("select version from papers where title = 'shared'"), 15);
  };
  on_loop_.run(check(base_));
}

TEST_F(MariadbTest, records_are_changed_and_removed_where_nothing_is_returned) {
  const Database base = open();
  script(base,
         "drop table if exists tags; create table tags(name varchar(100) primary key, uses int not "
         "null, gone bool not null); insert into tags values('x', 1, false)");
  const auto check = [](Database on) -> Task<> {
    const db::Records<record_checks::Tag> tags(on, record_checks::kTags);
    auto finding = tags.find("x");
    const std::optional<record_checks::Tag> before = co_await finding;
    record_checks::Tag after = before.value();
    after.uses = 2;
    auto updating = tags.update(*before, after);
    EXPECT_EQ((co_await updating)->uses, 2);
    for (const char* name : {"x", "y"}) {
      auto upserting = tags.upsert(record_checks::Tag{.name = name, .uses = 3});
      EXPECT_EQ((co_await upserting)->uses, 3);
    }
    auto removing = tags.remove("x");
    EXPECT_EQ((co_await removing).rows, 1);
    auto again = tags.remove("x");
    EXPECT_EQ((co_await again).rows, 0);
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
    const db::Records<record_checks::Paper> papers(on, record_checks::kPapers);
    const auto read = [](Database asked) -> Task<std::int64_t> {
      const db::RuntimeSql sql{
          "select cast(sum(variable_value) as signed) from " +
          std::string(is_mysql() ? "performance_schema" : "information_schema") +
          ".session_status where upper(variable_name) in "
          "('HANDLER_READ_NEXT', 'HANDLER_READ_PREV')"};
      co_return *co_await asked.one<std::int64_t>(sql);
    };
    const std::int64_t begin = co_await read(on);
    const std::optional place = record_checks::Place{250, 2505};
    for (const db::Direction direction : {db::Direction::up, db::Direction::down}) {
      auto paging = papers.page_after(record_checks::FindPapers{.per_page = 3}, place, direction);
      const std::vector<record_checks::Paper> found = co_await paging;
      EXPECT_EQ(found.size(), 3U);
      EXPECT_EQ(found.front().id, direction == db::Direction::up ? 2506 : 2504);
    }
    co_return co_await read(on) - begin;
  };
  EXPECT_LT(on_loop_.run(check(base)), 20);
}

class MariadbRelationsTest : public MariadbTest {
 protected:
  MariadbRelationsTest() {
    script(base_,
           "drop table if exists authors, books, chapters, genres, book_genres; create "
           "table authors(id bigint auto_increment primary key, name text not null) "
           "auto_increment 100; create table books(id bigint auto_increment primary key, title "
           "text not null, author_id bigint, tenant bigint not null) auto_increment 100; create "
           "table chapters(id bigint auto_increment primary key, book_id bigint not null, text "
           "text not null, gone bool not null) auto_increment 100; create table genres(name "
           "varchar(100) collate utf8mb4_bin primary key); create table book_genres(book_id "
           "bigint not null, genre varchar(100) not null);");
    script(base_, relation_checks::kFill);
  }

  Database base_ = open();
};

TEST_F(MariadbRelationsTest, are_filled_by_one_query_for_each) {
  if (is_mysql()) {
    GTEST_SKIP() << kNoReturning;
  }
  on_loop_.run(relation_checks::check_relations(base_));
}

TEST_F(MariadbRelationsTest, are_of_however_many) {
  on_loop_.run(relation_checks::check_many(base_));
}

TEST_F(MariadbRelationsTest, and_owners_keep_what_is_others_from_them) {
  if (is_mysql()) {
    GTEST_SKIP() << kNoReturning;
  }
  on_loop_.run(relation_checks::check_owners(base_));
}

TEST_F(MariadbRelationsTest, have_names_of_sql) {
  relation_checks::check_misuse(base_);
}

}  // namespace
}  // namespace eider
