// Several statements sent to the database together: `all` and `batch`.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/databases/tested_database.h"
#include "tests/support/many_statements.h"

namespace eider {
namespace {

struct StoredThing {
  int id;
  std::string name;
};

class SeveralStatements : public DatabaseTest {};

INSTANTIATE_TEST_SUITE_P(On, SeveralStatements, each_database(), name_of_database);

TEST_P(SeveralStatements, all_keeps_errors_apart) {
  on_each_way([](Database base) -> Task<> {
    co_await make_things(base);
    const auto [things, added, twice, none, wrong, count] =
        co_await base.all(db::rows<StoredThing>("select id, name from things where id = $1", 1),
                          db::change("insert into things values($1, $2)", 2, "two"),
                          db::change("insert into things values(1, 'again')"),
                          db::row<StoredThing>("select id, name from things where id = 9"),
                          db::row<int>("select name from things where id = 1"),
                          db::row<std::int64_t>("select count(*) from things"));
    EXPECT_EQ(things.value().at(0).name, "one");
    EXPECT_EQ(added.value().rows, 1);
    EXPECT_EQ(twice.error().kind(), db::FailureKind::unique);
    EXPECT_FALSE(none.value().has_value());
    EXPECT_EQ(wrong.error().kind(), db::FailureKind::row);
    EXPECT_EQ(count.value(), 2);
  });
}

TEST_P(SeveralStatements, a_batch_is_all_or_nothing) {
  on_each_way([](Database base) -> Task<> {
    co_await make_things(base);
    const auto [added, things, count] =
        co_await base.batch(db::change("insert into things values($1, $2)", 2, "two"),
                            db::rows<StoredThing>("select id, name from things order by id"),
                            db::row<std::int64_t>("select count(*) from things"));
    EXPECT_EQ(added.rows, 1);
    EXPECT_EQ(things.size(), 2U);
    EXPECT_EQ(count, 2);
    for (const int id : {1, 2}) {
      auto failing = base.batch(db::change("insert into things values(3, 'three')"),
                                db::change("insert into things values($1, 'again')", id),
                                db::change("insert into things values(4, 'four')"));
      std::optional<db::FailureKind> kind;
      try {
        (void)co_await failing;
      } catch (const db::Failure& failure) {
        kind = failure.kind();
      }
      EXPECT_EQ(kind, db::FailureKind::unique);
    }
    EXPECT_EQ(co_await base.one<std::int64_t>("select count(*) from things"), 2);
  });
}

TEST_P(SeveralStatements, a_transaction_decides_about_a_batch) {
  on_each_way([](Database base) -> Task<> {
    co_await make_things(base);
    {
      Transaction dropped = co_await base.begin();
      (void)co_await dropped.batch(db::change("insert into things values(2, 'two')"),
                                   db::change("insert into things values(3, 'three')"));
      const auto [two, three] =
          co_await dropped.all(db::row<int>("select id from things where id = 2"),
                               db::row<int>("select id from things where id = 3"));
      EXPECT_EQ(two.value(), 2);
      EXPECT_EQ(three.value(), 3);
    }
    EXPECT_EQ(co_await base.one<std::int64_t>("select count(*) from things"), 1);
    {
      Transaction kept = co_await base.begin();
      (void)co_await kept.batch(db::change("insert into things values(2, 'two')"));
      co_await kept.commit();
    }
    EXPECT_EQ(co_await base.one<std::int64_t>("select count(*) from things"), 2);
  });
}

TEST_P(SeveralStatements, a_list_is_as_its_statements_are) {
  on_each_way([](Database base) -> Task<> {
    co_await make_things(base);
    std::vector<db::RowStatement<StoredThing>> reads;
    std::vector<db::ChangeStatement> changes;
    for (int id = 1; id <= 40; ++id) {
      changes.push_back(db::change("insert into things values($1, $2)", id, std::to_string(id)));
    }
    const auto changed = co_await base.all(std::move(changes));
    EXPECT_EQ(changed.at(0).error().kind(), db::FailureKind::unique);
    EXPECT_EQ(changed.at(39).value().rows, 1);
    for (int id = 41; id >= 1; --id) {
      reads.push_back(db::row<StoredThing>("select id, name from things where id = $1", id));
    }
    const auto read = co_await base.batch(reads);
    EXPECT_FALSE(read.at(0).has_value());
    for (std::size_t i = 1; i < 40; ++i) {
      EXPECT_EQ(read.at(i)->id, 41 - static_cast<int>(i));
    }
    EXPECT_EQ(read.size(), 41U);
    const auto each = co_await base.all(std::move(reads));
    EXPECT_EQ(each.at(1).value()->name, "40");
    reads.clear();
    EXPECT_TRUE((co_await base.all(reads)).empty());
    EXPECT_TRUE((co_await base.batch(reads)).empty());
    std::vector<db::ChangeStatement> failing;
    failing.push_back(db::change("delete from things"));
    failing.push_back(db::change("insert into things values(1, null)"));
    bool has_thrown = false;
    try {
      (void)co_await base.batch(std::move(failing));
    } catch (const db::Failure& failure) {
      has_thrown = failure.kind() == db::FailureKind::not_null;
    }
    EXPECT_TRUE(has_thrown);
    EXPECT_EQ(co_await base.one<std::int64_t>("select count(*) from things"), 40);
  });
}

TEST_P(SeveralStatements, a_hundred_thousand_statements_leave_the_memory_as_it_was) {
  if (kKeepsWhatWasFreed) {
    GTEST_SKIP() << "the sanitizer keeps what was freed";
  }
  const ResidentMib resident = resident_in_statements(open(), 100'000);
  EXPECT_LT(resident.at_end, resident.at_tenth + 1);
}

}  // namespace
}  // namespace eider
