// Structs that are stored in and read from tables.
#include "eider/data/db/records.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/kinds/kinds.h"
#include "eider/core/reflect/nullable.h"
#include "eider/io/runtime/scope.h"
#include "tests/databases/tested_database.h"

namespace eider {
namespace {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

enum class Mood : std::uint8_t { calm, wild };

struct Paper {
  std::int64_t id = 0;
  std::string title;
  std::optional<int> stars = {};
  Mood mood = Mood::calm;
  int version = 0;
  std::optional<Time> gone = {};
};

struct NewPaper {
  std::string title;
  std::optional<int> stars = {};
};

struct Patch {
  std::optional<std::string> title = {};
  Nullable<int> stars = {};
};

struct Tag {
  std::string name;
  int uses = 0;
  bool gone = false;
};

constexpr db::Table kPapers{.name = "papers", .version = "version", .deleted = "gone"};
constexpr db::Table kTags{.name = "tags", .key = "name", .deleted = "gone"};

class StoredRecords : public DatabaseTest {
 protected:
  void SetUp() override {
    if (opener_->is_mysql()) {
      GTEST_SKIP() << "MySQL has no insert … returning";
    }
    script(base_,
           "drop table if exists papers; drop table if exists tags; " +
               std::string(differs().papers) +
               "; create table tags(name varchar(100) primary key, uses int not null, gone " +
               differs().types.boolean + " not null)");
  }

  const Database base_ = open();
};

INSTANTIATE_TEST_SUITE_P(On, StoredRecords, each_database(), name_of_database);

TEST_P(StoredRecords, are_stored_changed_found_and_removed) {
  on_loop_.run([](Database base) -> Task<> {
    const db::Records<Paper> papers(base, kPapers);
    const std::optional<Paper> one = co_await papers.insert(NewPaper{.title = "one", .stars = 3});
    EXPECT_EQ(one->id, 1);
    EXPECT_EQ(one->stars, 3);
    EXPECT_EQ(one->mood, Mood::calm);
    EXPECT_EQ((co_await papers.find(1))->title, "one");
    EXPECT_FALSE(co_await papers.find(9));

    Paper changed = *one;
    changed.stars.reset();
    changed.mood = Mood::wild;
    const std::optional<Paper> two = co_await papers.update(*one, changed);
    EXPECT_EQ(two->version, one->version + 1);
    EXPECT_EQ(two->stars, std::nullopt);
    EXPECT_EQ(two->mood, Mood::wild);
    EXPECT_FALSE(co_await papers.update(*one, changed)) << "it was changed since";
    EXPECT_EQ((co_await papers.update(*two, *two))->version, two->version) << "nothing differs";

    EXPECT_EQ((co_await papers.remove(1)).rows, 1);
    EXPECT_EQ((co_await papers.remove(1)).rows, 0);
    EXPECT_FALSE(co_await papers.find(1));
    EXPECT_GT((co_await base.one<Time>("select gone from papers where id = 1")).value(),
              Time() + std::chrono::years(50));
  }(base_));
}

TEST_P(StoredRecords, are_changed_by_the_members_that_are_given) {
  on_loop_.run([](Database base) -> Task<> {
    const db::Records<Paper> papers(base, kPapers);
    const std::int64_t id =
        (co_await papers.insert(Paper{.title = "a", .stars = 1, .version = 5}))->id;
    EXPECT_EQ((co_await papers.update(id, Patch{.title = "b"}))->stars, 1)
        << "what is absent stays";
    Patch nothing;
    nothing.stars = nullptr;
    EXPECT_EQ((co_await papers.update(id, nothing, 6))->stars, std::nullopt);
    EXPECT_FALSE(co_await papers.update(id, Patch{.title = "c"}, 6));
    EXPECT_EQ((co_await papers.update(id, Patch()))->version, 7);

    auto keep = [&papers](Transaction& transaction) -> Task<Result<void>> {
      EXPECT_TRUE(co_await papers.in(transaction).insert(NewPaper{.title = "taken back"}));
      co_return fail(Error::conflict("no"));
    };
    EXPECT_FALSE(co_await base.transaction(keep));
    EXPECT_EQ(co_await base.one<int>("select count(*) from papers where title = 'taken back'"), 0);

    const db::Records<Tag> tags(base, kTags);
    EXPECT_EQ((co_await tags.upsert(Tag{.name = "x", .uses = 1}))->uses, 1);
    EXPECT_EQ((co_await tags.upsert(Tag{.name = "x", .uses = 2}))->uses, 2);
    auto twice = tags.insert(Tag{.name = "x"});
    twice.on_conflict(base.dialect() == db::Dialect::mariadb ? "PRIMARY" : "tags_pkey", &Tag::name,
                      "is there");
    int status = 0;
    try {
      (void)co_await twice;
    } catch (const db::Failure& failure) {
      status = failure.error().status();
    }
    EXPECT_EQ(status, 422);
    EXPECT_EQ((co_await tags.remove("x")).rows, 1);
    EXPECT_FALSE(co_await tags.find("x"));
    EXPECT_FALSE(co_await tags.upsert(Tag{.name = "x", .uses = 3})) << "it is removed";
    EXPECT_EQ(co_await base.one<int>("select uses from tags where name = 'x' and gone"), 2);
    EXPECT_TRUE(co_await tags.upsert(Tag{.name = "y", .uses = 1}));
    (void)co_await tags.upsert(Tag{.name = "y", .uses = 4, .gone = true});
    EXPECT_EQ(co_await base.one<int>("select uses from tags where name = 'y' and gone"), 4);
    const std::optional<Paper> upserted =
        co_await papers.upsert(NewPaper{.title = "b", .stars = 4}, "title");
    EXPECT_EQ(upserted->id, id);
    EXPECT_EQ(upserted->version, 8);
    EXPECT_EQ((co_await papers.remove(id)).rows, 1);
    EXPECT_FALSE(co_await papers.upsert(NewPaper{.title = "b", .stars = 6}, "title"));
    EXPECT_EQ(co_await base.one<int>("select stars from papers where title = 'b'"), 4);
  }(base_));
}

enum class Order : std::uint8_t { title, stars_desc };

struct FindPapers {
  std::optional<Mood> mood = {};
  std::optional<int> stars_min = {};
  std::optional<int> stars_below = {};
  std::optional<std::string> title_contains = {};
  Order sort = Order::title;
  int page = 1;
  int per_page = 3;
};

struct Place {
  int stars;
  std::int64_t id;
};

Task<std::string> titles(db::Records<Paper> papers, FindPapers query) {
  std::string text;
  for (const Paper& paper : co_await papers.page(query)) {
    text += paper.title + " ";
  }
  text += std::to_string((co_await papers.count(query)).value_or(-1));
  co_return text;
}

TEST_P(StoredRecords, are_listed_by_the_members_of_a_query) {
  on_loop_.run([](Database base) -> Task<> {
    const db::Records<Paper> papers(base, kPapers);
    const char* const titles_of_all[] = {"E", "d%", "c_", "b!", "Äa", "gone"};
    for (int i = 0; i < 6; ++i) {
      (void)co_await papers.insert(Paper{
          .title = titles_of_all[i], .stars = i / 2, .mood = i < 2 ? Mood::wild : Mood::calm});
    }
    EXPECT_EQ((co_await papers.remove(6)).rows, 1);
    const struct {
      FindPapers query;
      const char* titles;
    } kCases[] = {
        {{.stars_min = 1, .sort = Order::stars_desc}, "Äa c_ b! 3"},
        {{.sort = Order::stars_desc, .page = 2}, "E d% 5"},
        {{.sort = Order::stars_desc, .page = 3}, "5"},
        {{.mood = Mood::wild, .sort = Order::stars_desc}, "E d% 2"},
        {{.stars_min = 1, .stars_below = 2, .sort = Order::stars_desc}, "c_ b! 2"},
        {{.title_contains = "e"}, "E 1"},
        {{.title_contains = "%"}, "d% 1"},
        {{.title_contains = "_"}, "c_ 1"},
        {{.title_contains = "!"}, "b! 1"},
        {{.title_contains = "' or 1=1 --"}, "0"},
    };
    for (const auto& [query, expected] : kCases) {
      EXPECT_EQ(co_await titles(papers, query), expected);
    }
    for (const db::Direction direction : {db::Direction::up, db::Direction::down}) {
      std::vector<std::int64_t> ids;
      std::optional<Place> place;
      do {
        auto paging = papers.page_after(FindPapers{.per_page = 2}, place, direction);
        place.reset();
        for (const Paper& paper : co_await paging) {
          ids.push_back(paper.id);
          place = Place{paper.stars.value_or(0), paper.id};
        }
      } while (place);
      const bool is_up = direction == db::Direction::up;
      EXPECT_EQ(ids, is_up ? (std::vector<std::int64_t>{1, 2, 3, 4, 5})
                           : (std::vector<std::int64_t>{5, 4, 3, 2, 1}));
    }
  }(base_));
}

struct Offer {
  std::int64_t id = 0;
  Decimal price;
  std::optional<Decimal> was = {};
};

enum class OfferOrder : std::uint8_t { price, price_desc };

struct FindOffers {
  std::optional<Decimal> price = {};
  std::optional<Decimal> price_min = {};
  std::optional<Decimal> was_below = {};
  OfferOrder sort = OfferOrder::price;
  int page = 1;
  int per_page = 10;
};

struct OfferPlace {
  Decimal price;
  std::int64_t id;
};

Task<std::vector<std::int64_t>> ids_of(db::Records<Offer> offers, FindOffers query) {
  std::vector<std::int64_t> ids;
  for (const Offer& offer : co_await offers.page(query)) {
    ids.push_back(offer.id);
  }
  EXPECT_EQ(co_await offers.count(query), static_cast<std::int64_t>(ids.size()));
  co_return ids;
}

TEST_P(StoredRecords, with_decimals_are_compared_by_their_values) {
  const std::string decimal = differs().types.decimal;
  script(base_, "drop table if exists offers; create table offers(id int primary key, price " +
                    decimal + " not null, was " + decimal + " null)");
  on_loop_.run([](Database base) -> Task<> {
    const db::Records<Offer> offers(base, {.name = "offers"});
    std::int64_t id = 0;
    for (const char* price : {"10", "9", "-1.5", "-20", "9.5"}) {
      ++id;
      const Decimal value = *Decimal::parse(price);
      (void)co_await offers.insert(Offer{.id = id, .price = value, .was = value});
    }
    using Ids = std::vector<std::int64_t>;
    FindOffers query;
    EXPECT_EQ(co_await ids_of(offers, query), (Ids{4, 3, 2, 5, 1}));
    query.sort = OfferOrder::price_desc;
    EXPECT_EQ(co_await ids_of(offers, query), (Ids{1, 5, 2, 3, 4}));
    query = {.price_min = Decimal::parse("9.00")};
    EXPECT_EQ(co_await ids_of(offers, query), (Ids{2, 5, 1}));
    query = {.was_below = Decimal::parse("9.5")};
    EXPECT_EQ(co_await ids_of(offers, query), (Ids{4, 3, 2}));
    query = {.price = Decimal::parse("9.50")};
    EXPECT_EQ(co_await ids_of(offers, query), Ids{5});
    Ids ids;
    std::optional<OfferPlace> place;
    do {
      query = {.per_page = 2};
      auto paging = offers.page_after(query, place);
      place.reset();
      for (const Offer& offer : co_await paging) {
        ids.push_back(offer.id);
        place = OfferPlace{offer.price, offer.id};
      }
    } while (place);
    EXPECT_EQ(ids, (Ids{4, 3, 2, 5, 1}));
  }(base_));
}

struct Song {
  std::int64_t id = 0;
  std::optional<std::chrono::milliseconds> length = {};
};

enum class SongOrder : std::uint8_t { length, length_desc };

struct FindSongs {
  std::optional<std::chrono::milliseconds> length_max = {};
  SongOrder sort = SongOrder::length_desc;
  int page = 1;
  int per_page = 10;
};

TEST_P(StoredRecords, with_durations_are_compared_by_their_values) {
  const bool is_mariadb = base_.dialect() == db::Dialect::mariadb;
  const std::string type = is_sqlite() ? "text" : is_mariadb ? "time(3)" : "interval";
  script(base_, "drop table if exists songs; create table songs(id int primary key, length " +
                    type + " null)");
  on_loop_.run([](Database base) -> Task<> {
    using std::chrono::milliseconds;
    const db::Records<Song> songs(base, {.name = "songs"});
    std::int64_t id = 0;
    for (const milliseconds length :
         {milliseconds(540'000), milliseconds(600'000), milliseconds(59'250), milliseconds(60'000),
          milliseconds(90'000'000)}) {
      const Song song{.id = ++id, .length = length};
      (void)co_await songs.insert(song);
    }
    const FindSongs query{.length_max = milliseconds(600'000)};
    std::vector<std::int64_t> ids;
    for (const Song& song : co_await songs.page(query)) {
      ids.push_back(song.id);
    }
    EXPECT_EQ(ids, (std::vector<std::int64_t>{2, 1, 4, 3}));
  }(base_));
}

struct Injected {
  std::optional<int> absent = {};
  int page = 1;
  int per_page = 1;
};

/// These errors are bugs in a program; clients cannot cause them.
TEST_P(StoredRecords, names_are_checked) {
  for (const db::Table& table :
       {db::Table{.name = "papers; drop table papers"}, db::Table{.name = ""},
        db::Table{.name = "a.b.c"}, db::Table{.name = "papers", .key = "absent"},
        db::Table{.name = "papers", .version = "absent"},
        db::Table{.name = "papers", .deleted = "absent"}}) {
    EXPECT_THROW(db::Records<Paper>(base_, table), db::Failure) << table.name;
  }
  const db::Records<Paper> papers(base_, kPapers);
  const db::Records<Tag> tags(base_, kTags);
  EXPECT_THROW((void)papers.insert(Injected()), db::Failure);
  EXPECT_THROW((void)papers.update(1, Injected{.absent = 1}), db::Failure);
  EXPECT_THROW((void)papers.page(Injected{.absent = 1}), db::Failure);
  EXPECT_THROW((void)papers.page(Place{}), db::Failure);
  EXPECT_THROW((void)papers.upsert(NewPaper(), "title) do nothing --"), db::Failure);
  EXPECT_THROW((void)tags.update("x", Patch{.title = "a"}), db::Failure);
  EXPECT_THROW((void)tags.update("x", Tag{.name = "y"}), db::Failure);
}

Task<db::Failure> upsert_fails(db::Records<Paper> papers, std::int64_t id, std::string title) {
  auto upserting = papers.upsert(Paper{.id = id, .title = std::move(title)});
  co_return co_await failure_of(upserting);
}

TEST_P(StoredRecords, an_upsert_that_meets_what_it_does_not_mean_fails_and_changes_nothing) {
  const auto check = [](Database base) -> Task<> {
    const db::Records<Paper> papers(base, kPapers);
    for (const char* title : {"a", "b"}) {
      EXPECT_TRUE(co_await papers.insert(NewPaper{.title = title}));
    }
    // No record has ID 3, but another record has the title.
    for (const std::int64_t id : {0, 2, 3}) {
      const db::Failure failure = co_await upsert_fails(papers, id, "a");
      EXPECT_EQ(failure.kind(), db::FailureKind::unique) << id << failure.what();
      EXPECT_EQ(failure.by().constraint, "papers_title_key");
    }
    EXPECT_EQ(co_await base.one<int>("select count(*) from papers where version = 0"), 2);
    EXPECT_EQ((co_await papers.upsert(Paper{.id = 2, .title = "c"}))->version, 1);
  };
  on_loop_.run(check(base_));
}

TEST_P(StoredRecords, are_changed_within_a_transaction_or_not_at_all) {
  const auto check = [](Database base) -> Task<> {
    const db::Records<Tag> tags(base, kTags);
    const Tag before = *co_await tags.insert(Tag{.name = "x", .uses = 1});
    {
      Transaction transaction = co_await base.begin();
      const auto within = tags.in(transaction);
      Tag after = before;
      after.uses = 2;
      EXPECT_EQ((co_await within.update(before, after))->uses, 2);
      EXPECT_EQ((co_await within.upsert(Tag{.name = "x", .uses = 3}))->uses, 3);
    }
    EXPECT_EQ((co_await tags.find("x"))->uses, 1);
    Tag gone = before;
    gone.gone = true;
    EXPECT_TRUE((co_await tags.update(before, gone))->gone) << "what it was changed to comes back";
    EXPECT_FALSE(co_await tags.update(before, gone));
  };
  on_loop_.run(check(base_));
}

TEST_P(StoredRecords, of_those_who_change_one_state_one_does) {
  const auto check = [](Database base) -> Task<> {
    const db::Records<Paper> papers(base, kPapers);
    const Paper before = *co_await papers.insert(NewPaper{.title = "a"});
    int changed = 0;
    const auto change = [](db::Records<Paper> of, Paper from, int stars, int* count) -> Task<> {
      Paper to = from;
      to.stars = stars;
      *count += co_await of.update(from, to) ? 1 : 0;
      EXPECT_TRUE(co_await of.upsert(NewPaper{.title = "shared", .stars = stars}, "title"));
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

}  // namespace
}  // namespace eider
