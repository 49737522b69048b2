// Relations between records, and owners of records.
#include "eider/data/db/relation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/reflect/nullable.h"
#include "eider/data/db/records.h"
#include "tests/databases/tested_database.h"

namespace eider {
namespace {

struct Author {
  std::int64_t id = 0;
  std::string name;
};

struct Chapter {
  std::int64_t id = 0;
  std::int64_t book_id = 0;
  std::string text;
  bool gone = false;
};

struct Genre {
  std::string name;
};

struct Book {
  std::int64_t id = 0;
  std::string title;
  std::optional<std::int64_t> author_id = {};
  std::int64_t tenant = 0;
  std::optional<std::vector<Chapter>> chapters = {};
  Nullable<Author> author = {};
  std::optional<std::vector<Genre>> genres = {};
};

struct Title {
  std::string title;
};

struct NewTitle {
  std::optional<std::string> title = {};
  std::optional<std::int64_t> tenant = {};
};

struct AllBooks {
  std::optional<std::int64_t> tenant = {};
  Nullable<std::int64_t> author_id = {};
  int page = 1;
  int per_page = 100;
};

struct ById {
  std::int64_t id;
};

struct Tables {
  db::Records<Author> authors;
  db::Records<Chapter> chapters;
  db::Records<Genre> genres;
  db::Records<Book> books;
};

Tables tables_of(const Database& base) {
  const db::Records<Author> authors(base, {.name = "authors"});
  const db::Records<Chapter> chapters(base, {.name = "chapters", .deleted = "gone"});
  const db::Records<Genre> genres(base, {.name = "genres", .key = "name"});
  return {authors, chapters, genres,
          db::Records<Book>(base, {.name = "books"})
              .has_many(&Book::chapters, chapters, &Chapter::book_id)
              .belongs_to(&Book::author, authors, &Book::author_id)
              .many_to_many(&Book::genres, genres,
                            {.table = "book_genres", .own = "book_id", .other = "genre"})};
}

std::string text_of(const Book& book) {
  std::string text = book.title + " by ";
  text += book.author.has_value() ? book.author->name : "nobody";
  for (const Chapter& chapter : book.chapters.value_or(std::vector<Chapter>())) {
    text += "; " + chapter.text;
  }
  for (const Genre& genre : book.genres.value_or(std::vector<Genre>())) {
    text += "; " + genre.name;
  }
  return text;
}

constexpr const char* kFill =
    "insert into authors(id, name) values(1, 'Ann'), (2, 'Bo'); "
    "insert into books(id, title, author_id, tenant) values(1, 'one', 1, 7), (2, 'two', 1, 7), "
    "(3, 'three', null, 7), (4, 'four', 2, 8); "
    "insert into chapters(id, book_id, text, gone) values(2, 1, 'b', false), (1, 1, 'a', false), "
    "(3, 2, 'c', false), (4, 2, 'gone', true), (5, 4, 'd', false); "
    R"(insert into genres(name) values('x"y\z'), ('O''Hara'), ('poem'); )"
    R"(insert into book_genres(book_id, genre) values(1, 'x"y\z'), (1, 'O''Hara'), (2, 'poem'), )"
    "(3, 'poem')";

class Relations : public DatabaseTest {
 protected:
  Relations() {
    for (const char* table : {"authors", "books", "chapters", "genres", "book_genres"}) {
      script(base_, std::string("drop table if exists ") + table);
    }
    const auto& key = differs().key_from_100;
    script(base_, "create table authors(" + key("name text not null") + "; create table books(" +
                      key("title text not null, author_id bigint, tenant bigint not null") +
                      "; create table chapters(" +
                      key("book_id bigint not null, text text not null, gone bool not null") +
                      "; create table genres(name varchar(100) " + differs().by_bytes +
                      " primary key); create table book_genres(book_id bigint not null, genre "
                      "varchar(100) not null)");
    script(base_, kFill);
  }

  const Database base_ = open();
};

INSTANTIATE_TEST_SUITE_P(On, Relations, each_database(), name_of_database);

TEST_P(Relations, are_filled_by_one_query_for_each) {
  if (opener_->is_mysql()) {
    GTEST_SKIP() << "MySQL has no insert … returning";
  }
  on_loop_.run([](Database base) -> Task<> {
    const Tables tables = tables_of(base);
    std::vector<Book> books = co_await tables.books.page(AllBooks());
    EXPECT_FALSE(books.at(0).chapters) << "what nobody has asked for is absent";
    co_await tables.books.load(books, &Book::chapters, &Book::author, &Book::genres);
    EXPECT_EQ(text_of(books.at(0)), R"(one by Ann; a; b; O'Hara; x"y\z)");
    EXPECT_EQ(text_of(books.at(1)), "two by Ann; c; poem");
    EXPECT_EQ(text_of(books.at(2)), "three by nobody; poem");
    EXPECT_EQ(text_of(books.at(3)), "four by Bo; d");
    EXPECT_TRUE(books.at(2).chapters && books.at(2).chapters->empty());
    EXPECT_TRUE(books.at(3).genres && books.at(3).genres->empty());

    co_await tables.books.load(books.at(0), &Book::chapters);
    EXPECT_EQ(books.at(0).chapters->size(), 2U) << "not told twice";
    Book changed = books.at(0);
    changed.title = "uno";
    EXPECT_EQ((co_await tables.books.update(books.at(0), changed))->title, "uno")
        << "relations are no columns";
    EXPECT_EQ(
        (co_await tables.books.insert(Book{.title = "five", .chapters = {{Chapter()}}}))->title,
        "five");

    std::vector<Book> none;
    co_await tables.books.load(none, &Book::chapters);
    std::vector<Book> without_author(1);
    co_await tables.books.load(without_author, &Book::author);
    EXPECT_FALSE(without_author[0].author.has_value());
    EXPECT_EQ(co_await tables.books.count(AllBooks{.author_id = nullptr}), 2)
        << "a null asks for what is NULL";
  }(base_));
}

/// More records than a statement can have values, and many records with the same key.
TEST_P(Relations, are_of_any_number) {
  on_loop_.run([](Database base) -> Task<> {
    const Tables tables = tables_of(base);
    std::vector<Book> books(1000);
    for (std::size_t i = 0; i < books.size(); ++i) {
      books[i].id = static_cast<std::int64_t>(i);
      books[i].author_id = 1;
    }
    co_await tables.books.load(books, &Book::chapters, &Book::author);
    EXPECT_EQ(books[1].chapters->size(), 2U);
    EXPECT_EQ(books[999].author->name, "Ann");
  }(base_));
}

TEST_P(Relations, records_of_one_owner_are_hidden_from_others) {
  if (opener_->is_mysql()) {
    GTEST_SKIP() << "MySQL has no insert … returning";
  }
  on_loop_.run([](Database base) -> Task<> {
    const Tables tables = tables_of(base);
    const db::Records<Book> own = tables.books.only(&Book::tenant, 7);
    EXPECT_FALSE(co_await own.find(4));
    EXPECT_EQ(co_await own.count(AllBooks()), 3);
    EXPECT_EQ(co_await own.count(AllBooks{.tenant = 8}), 0) << "a query cannot widen it";
    EXPECT_EQ((co_await own.page_after(AllBooks(), std::optional<ById>(ById{2}))).size(), 1U);
    EXPECT_FALSE(co_await own.update(4, NewTitle{.title = "mine"}));
    EXPECT_THROW((void)own.update(1, NewTitle{.tenant = 8}), db::Failure);
    EXPECT_EQ((co_await own.remove(4)).rows, 0);
    EXPECT_EQ((co_await own.insert(Book{.title = "six", .tenant = 8}))->tenant, 7);
    EXPECT_FALSE(co_await own.upsert(Book{.id = 4, .title = "mine", .tenant = 7}));
    const std::optional<Book> other = co_await tables.books.find(4);
    EXPECT_EQ(other->title, "four");
    Book given = *other;
    given.tenant = 7;
    EXPECT_EQ((co_await tables.books.only(&Book::tenant, 8).update(*other, given))->tenant, 8);
    EXPECT_FALSE(co_await own.replace(*other, Title{"mine"}));
    EXPECT_EQ((co_await tables.books.replace(*other, Title{"quattro"}))->title, "quattro");
  }(base_));
}

TEST_P(Relations, have_names_of_sql) {
  const Tables tables = tables_of(base_);
  for (const db::Pairs& pairs :
       {db::Pairs{"book_genres g --", "book_id", "genre"}, db::Pairs{"book_genres", "1=1", "genre"},
        db::Pairs{"book_genres", "book_id", ""}}) {
    EXPECT_THROW((void)tables.books.many_to_many(&Book::genres, tables.genres, pairs), db::Failure);
  }
  EXPECT_THROW((void)tables.books.only(&Book::chapters, 1), db::Failure) << "that is no column";
}

}  // namespace
}  // namespace eider
