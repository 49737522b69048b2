// The generated headers of this folder: they equal the output of the command for the migrations
// here, they compile, and their records can be stored in each database and read again.
//
// After a change of the generator, run: eider db structs --postgres tests/structs/postgres
// --namespace postgres_tables --out tests/structs/postgres_tables.inc; the others accordingly.

#include <gtest/gtest.h>

#include <filesystem>
#include <source_location>

#include "cli/db/connect.h"
#include "cli/db/scratch.h"
#include "cli/db/structs/source.h"
#include "cli/files.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/testkit/factory.h"
#include "eider/testkit/test_client.h"
#include "eider/web/crud/crud_routes.h"
#include "tests/structs/mariadb_tables.inc"
#include "tests/structs/postgres_tables.inc"
#include "tests/structs/sqlite_tables.inc"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

std::string folder() {
  return std::filesystem::path(std::source_location::current().file_name()).parent_path().string();
}

Scratch scratch_for(const std::string& database) {
  const CheckedSchema schema{.database = database, .migrations = folder() + "/" + database};
  const auto migrations = migrations_of(schema);
  return migrations ? make_scratch(schema, *migrations, "") : fail(migrations.error());
}

/// Returns the header that the generator produces now.
std::string generated(const std::string& database, const Database& tables) {
  const std::string user_file = database + "_tables_user.inc";
  const auto schema = structs::read_tables(tables);
  const auto text = read_text_file(folder() + "/" + user_file);
  if (!schema || !text) {
    return schema ? text.error() : schema.error();
  }
  const auto changes = structs::read_changes(*text, user_file, *schema);
  if (!changes) {
    return changes.error();
  }
  const std::string header =
      structs::generate_header(
          *schema, *changes,
          {.dialect = tables.dialect(), .name_space = database + "_tables", .user_file = user_file})
          .text;
  return header.substr(header.find("#pragma once"));
}

std::string committed(const std::string& database) {
  const auto text = read_text_file(folder() + "/" + database + "_tables.inc");
  return text ? text->substr(text->find("#pragma once")) : text.error();
}

template <class Author>
void check_author(const Author& author) {
  EXPECT_EQ(author.name, "Ada");
  EXPECT_EQ(author.class_, "in-house");
  EXPECT_EQ(author.order, 7);
  EXPECT_EQ(author.born, std::chrono::year_month_day(std::chrono::year(1815), std::chrono::December,
                                                     std::chrono::day(10)));
  EXPECT_EQ(author.contact, "ada@example.org");
}

/// Returns a new author; the type has the same members on each database.
template <class Author>
typename Author::New new_author() {
  typename Author::New author;
  author.name = "Ada";
  author.class_ = "in-house";
  author.order = 7;
  author.born = std::chrono::year_month_day(std::chrono::year(1815), std::chrono::December,
                                            std::chrono::day(10));
  author.contact = "ada@example.org";
  return author;
}

struct Find {
  std::optional<int> order_min = {};
  std::optional<std::string> class__contains = {};
  PageNumber page = 1;
  PageSize<100> per_page = 20;
};

struct FindBooks {
  std::optional<sqlite_tables::BookState> state = {};
  PageNumber page = 1;
  PageSize<100> per_page = 20;
};

/// Uses all functions with a record that has a member name reserved in C++ and one reserved in SQL.
template <class Author>
Task<> use_authors(db::Records<Author> authors) {
  const std::optional<Author> added = co_await authors.insert(new_author<Author>());
  check_author(added.value());
  const std::optional<Author> found = co_await authors.find(added->id);
  check_author(found.value());
  const Find find{.order_min = 7, .class__contains = "HOUSE"};
  const std::vector<Author> page = co_await authors.page(find);
  EXPECT_EQ(page.size(), 1U);
  const std::optional<std::int64_t> count = co_await authors.count(find);
  EXPECT_EQ(count, 1);
  Author changed = *added;
  changed.class_ = "public";
  changed.order = 8;
  const std::optional<Author> updated = co_await authors.update(*added, changed);
  EXPECT_EQ(updated->class_, "public");
  EXPECT_EQ(updated->order, 8);
  typename Author::New again = new_author<Author>();
  again.name = "Eve";
  const auto only = authors.only(&Author::class_, "public");
  const std::optional<Author> owned = co_await only.insert(again);
  EXPECT_EQ(owned->class_, "public");
  const std::vector<Author> all = co_await only.page(Find{});
  EXPECT_EQ(all.size(), 2U);
}

template <class User>
Task<> use_users(db::Records<User> users) {
  const std::optional<User> user = co_await users.insert(typename User::New{.name = "ada"});
  const std::optional<User> same = co_await users.upsert(*user, "name");
  EXPECT_EQ(same->id, user->id);
  const db::Changed removed = co_await users.remove(user->id);
  EXPECT_EQ(removed.rows, 1U);
}

template <class Book, class Mood>
void set_common(typename Book::New& book, std::int64_t author) {
  book.author_id = author;
  book.title = "Notes";
  book.stars = 5;
  book.code = Uuid::parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
  book.data = json::read<json::Value>(R"({"pages":[1,2]})").value();
  book.opens = TimeOfDay::parse("08:30");
  book.cover = db::Blob{std::byte{1}, std::byte{0}, std::byte{255}};
  book.weight = 0.25;
  book.is_sold = true;
  book.state = Mood::printed;
}

template <class Book, class Mood>
void check_common(const Book& book) {
  EXPECT_EQ(book.title, "Notes");
  EXPECT_EQ(book.stars, 5);
  EXPECT_EQ(book.code, Uuid::parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"));
  EXPECT_EQ(json::to_text(book.data.value()), R"({"pages":[1,2]})");
  EXPECT_EQ(book.opens, TimeOfDay::parse("08:30"));
  EXPECT_EQ(book.cover, (db::Blob{std::byte{1}, std::byte{0}, std::byte{255}}));
  EXPECT_EQ(book.weight, 0.25);
  EXPECT_TRUE(book.is_sold);
  EXPECT_EQ(book.state, Mood::printed);
  EXPECT_EQ(book.slug, "notes");
  EXPECT_EQ(book.version, 0);
  EXPECT_FALSE(book.deleted);
}

/// Tests optimistic locking and soft deletes with the constants of the header.
template <class Book>
Task<> change_book(db::Records<Book> books, Book book) {
  Book changed = book;
  changed.title = "More notes";
  const std::optional<Book> updated = co_await books.update(book, changed);
  EXPECT_EQ(updated->version, 1);
  EXPECT_EQ(updated->slug, "more notes");
  const std::optional<Book> outdated = co_await books.update(book, changed);
  EXPECT_FALSE(outdated);
  const db::Changed removed = co_await books.remove(book.id);
  EXPECT_EQ(removed.rows, 1U);
  const std::optional<Book> deleted = co_await books.find(book.id);
  EXPECT_FALSE(deleted);
}

TEST(GeneratedStructs, of_sqlite_round_trip) {
  namespace tables = sqlite_tables;
  const Scratch scratch = scratch_for("sqlite");
  ASSERT_TRUE(scratch) << scratch.error();
  const Database database = open_door((*scratch)->where(), Access::writes).value();
  EXPECT_EQ(generated("sqlite", database), committed("sqlite"));
  TestLoop().run([](Database on) -> Task<> {
    co_await use_authors(db::Records<tables::Author>(on, tables::kAuthorTable));
    co_await use_users(db::Records<tables::User>(on, tables::kUserTable));
    const db::Records<tables::Book> books(on, tables::kBookTable);
    tables::NewBook book;
    set_common<tables::Book, tables::BookState>(book, 1);
    book.seen = std::chrono::sys_seconds(std::chrono::seconds(1'700'000'000));
    const tables::Book stored = (co_await books.insert(book)).value();
    check_common<tables::Book, tables::BookState>(stored);
    EXPECT_EQ(stored.seen, book.seen);
    co_await change_book(books, stored);
    const tables::BookTag tag{.book_id = stored.id, .tag = "x"};
    co_await on.exec("insert into book_tags values($1, $2)", tag.book_id, tag.tag);
    EXPECT_EQ((co_await on.one<tables::BookTag>("select book_id, tag from book_tags"))->tag, "x");
  }(database));
}

TEST(GeneratedStructs, of_postgres_round_trip) {
  namespace tables = postgres_tables;
  const Scratch scratch = scratch_for("postgres");
  ASSERT_TRUE(scratch) << scratch.error();
  const Database database = open_door((*scratch)->where(), Access::writes).value();
  EXPECT_EQ(generated("postgres", database), committed("postgres"));
  TestLoop().run([](Database on) -> Task<> {
    co_await use_authors(db::Records<tables::Author>(on, tables::kAuthorTable));
    co_await use_users(db::Records<tables::User>(on, tables::kUserTable));
    const db::Records<tables::Book> books(on, tables::kBookTable);
    tables::NewBook book;
    set_common<tables::Book, tables::BookState>(book, 1);
    book.seen = std::chrono::local_seconds(std::chrono::seconds(1'700'000'000));
    book.price = Decimal::parse("12.50").value();
    book.tags = {"a", "b c"};
    book.rank = std::int16_t{3};
    const tables::Book stored = (co_await books.insert(book)).value();
    check_common<tables::Book, tables::BookState>(stored);
    EXPECT_EQ(stored.seen, book.seen);
    EXPECT_EQ(stored.price, book.price);
    EXPECT_EQ(stored.tags, book.tags);
    EXPECT_EQ(stored.rank, 3);
    EXPECT_GT(stored.written, std::chrono::sys_days(std::chrono::year(2020) / 1 / 1));
    co_await change_book(books, stored);
    const db::Records<tables::ShopShelf> shelves(on, tables::kShopShelfTable);
    EXPECT_EQ((co_await shelves.insert(tables::NewShopShelf{.label = "x"}))->label, "x");
    co_await on.exec("insert into events values(1, 'busy')");
    const auto event = co_await on.one<tables::Event>("select at, mood from events");
    EXPECT_EQ(event->mood, tables::Mood::busy);
  }(database));
}

TEST(GeneratedStructs, of_mariadb_round_trip) {
  namespace tables = mariadb_tables;
  const Scratch scratch = scratch_for("mariadb");
  ASSERT_TRUE(scratch) << scratch.error();
  const Database database = open_door((*scratch)->where(), Access::writes).value();
  EXPECT_EQ(generated("mariadb", database), committed("mariadb"));
  TestLoop().run([](Database on) -> Task<> {
    co_await use_authors(db::Records<tables::Author>(on, tables::kAuthorTable));
    co_await use_users(db::Records<tables::User>(on, tables::kUserTable));
    const db::Records<tables::Book> books(on, tables::kBookTable);
    tables::NewBook book;
    set_common<tables::Book, tables::BookState>(book, 1);
    book.seen = std::chrono::local_seconds(std::chrono::seconds(1'700'000'000));
    book.price = Decimal::parse("12.50").value();
    const tables::Book stored = (co_await books.insert(book)).value();
    check_common<tables::Book, tables::BookState>(stored);
    EXPECT_EQ(stored.seen, book.seen);
    EXPECT_EQ(stored.price, book.price);
    co_await change_book(books, stored);
  }(database));
}

TEST(GeneratedStructs, are_resources_and_have_factories) {
  namespace tables = sqlite_tables;
  const Scratch scratch = scratch_for("sqlite");
  ASSERT_TRUE(scratch) << scratch.error();
  const Database database =
      open_sqlite((*scratch)->where(), {.runs_on = SqliteOptions::RunsOn::loop});
  const db::Records<tables::Author> authors(database, tables::kAuthorTable);
  const db::Records<tables::Book> books(database, tables::kBookTable);
  App app;
  CrudRoutes<tables::Book, FindBooks>(app, "/books", books);
  TestClient client(app);
  const Factory<tables::Author> make_authors(authors);
  Factory<tables::Book> make_books(books);
  make_books.belongs_to(&tables::NewBook::author_id, make_authors, &tables::Author::id);
  const tables::Book book = client.run(make_books.insert());
  EXPECT_EQ(book.author_id, 1);
  EXPECT_EQ(book.title, "title 1");

  tables::NewBook values;
  set_common<tables::Book, tables::BookState>(values, book.author_id);
  const TestResponse reply = client.post("/books", values);
  EXPECT_EQ(reply.status, 201) << reply.body;
  check_common<tables::Book, tables::BookState>(reply.json<tables::Book>());
  const json::Value invalid =
      json::read<json::Value>(R"({"author_id":1,"title":"","stars":9})").value();
  const TestResponse rejected = client.post("/books", invalid);
  EXPECT_EQ(rejected.status, 422);
  EXPECT_EQ(rejected.problem().errors.size(), 2U) << rejected.body;
  EXPECT_TRUE(client.get("/books?state=printed").body.contains(R"("total":1)"));
}

}  // namespace
}  // namespace eider
