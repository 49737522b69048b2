// A shop whose data has admin pages, for tests.
// Layering: only tests include it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/reflect/constraints.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/eider.h"
#include "eider/testkit/test_client.h"
#include "eider/web/admin/admin.h"
#include "eider/web/forms/form_field.h"

namespace eider::admin_shop {

enum class Genre : std::uint8_t { novel, crime };

struct NewAuthor {
  Sized<std::string, 1, 100> name;
};
struct Author {
  std::int64_t id = 0;
  std::string name;

  using New = NewAuthor;
};

struct NewBook {
  Sized<std::string, 1, 50> title;
  Genre genre;
  Bounded<int, 1, 100'000> price_cents;
  bool in_print = true;
  std::optional<std::int64_t> author_id = {};
  std::string notes = kOptional;

  static constexpr MemberText kDocs[] = {{"price_cents", "In cents."}};
  static constexpr FieldText kFormFields[] = {{.member = "notes", .control = Control::textarea}};
};
struct Book {
  std::int64_t id = 0;
  std::string title;
  Genre genre = Genre::novel;
  int price_cents = 0;
  bool in_print = true;
  std::optional<std::int64_t> author_id = {};
  std::string notes;
  std::string secret;
  std::int64_t version = 0;

  using New = NewBook;
};

struct Review {
  std::int64_t id = 0;
  std::int64_t book_id = 0;
  std::string text;
};
struct Loan {
  std::int64_t id = 0;
  std::int64_t book_id = 0;
};
/// Its deletion is a mark.
struct Note {
  std::int64_t id = 0;
  std::string text;
  bool is_gone = false;
  int version = 1;

  static constexpr db::Table kTable = {.name = "notes", .version = "version", .deleted = "is_gone"};
};

inline constexpr const char* kTables =
    "create table authors(id integer primary key, name text not null unique);"
    "create table books(id integer primary key, title text not null, genre text not null, "
    "price_cents integer not null check(price_cents <> 13), in_print boolean not null, "
    "author_id integer references authors(id) on delete set null, notes text not null, "
    "secret text not null default 'hush', version integer not null default 1, "
    "unique(title, author_id));"
    "create table reviews(id integer primary key, "
    "book_id integer not null references books(id) on delete cascade, text text not null);"
    "create table loans(id integer primary key, book_id integer not null references books(id));"
    "create table notes(id integer primary key, text text not null, "
    "is_gone boolean not null default false, version integer not null default 1);"
    "insert into authors(id, name) values(1, 'Ada <b>'), (2, 'Zoe');"
    "insert into books(id, title, genre, price_cents, in_print, author_id, notes) values"
    "(1, 'Salt', 'novel', 1000, true, 1, '=1+1'), (2, 'Tides', 'crime', 2000, false, 2, ''), "
    "(3, '100% <i>', 'crime', 3000, true, null, '');"
    "insert into reviews(id, book_id, text) values(1, 1, 'good'), (2, 1, 'bad');"
    "insert into loans(id, book_id) values(1, 2);"
    "insert into notes(id, text) values(1, 'milk');";

inline Database open_shop() {
  return open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop, .schema = kTables});
}

/// The user is in headers.
inline Result<AdminUser> user_of(Header<"X-User", std::optional<std::string>> user,
                                 Header<"X-Roles", std::optional<std::string>> role) {
  if (!*user) {
    return fail(Error::unauthorized("Log in first."));
  }
  return AdminUser{.id = **user, .name = **user, .roles = {*role ? **role : std::string("all")}};
}

inline AdminResource book_options() {
  return {.hidden = {"secret"},
          .roles = {{"all"},
                    {"seller", AdminAccess::change},
                    {"reader", AdminAccess::view},
                    {"writer", AdminAccess::create}},
          .actions = {{"restock", "Restock",
                       [](AdminSelection books, State<Database> db) -> Task<std::string> {
                         const std::vector<std::int64_t> ids = books.ids();
                         for (const std::int64_t id : ids) {
                           co_await db->exec("update books set in_print = true where id = $1", id);
                         }
                         co_return std::to_string(ids.size()) + " books are in print.";
                       }}}};
}

inline App make_shop(const Database& database, AdminOptions options = {}) {
  App app;
  app.state(database);
  if (options.guard.is_empty()) {
    options.guard = &user_of;
  }
  serve_admin(app, "/admin", std::move(options))
      .resource<Author>({.roles = {{"all"}}})
      .resource<Book>(book_options())
      .resource<Review>()
      .resource<Loan>({.read_only = true})
      .resource<Note>();
  return app;
}

inline TestClientOptions as_user(std::string_view user, std::string_view role = "all") {
  return {.keeps_cookies = true, .headers = {{"X-User", user}, {"X-Roles", role}}};
}

inline std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

#define EXPECT_HAS(page, part) EXPECT_NE((page).body.find(part), std::string::npos) << (page).body
#define EXPECT_LACKS(page, part) EXPECT_EQ((page).body.find(part), std::string::npos) << (page).body

/// Follows the redirect after a change.
inline TestResponse follow(TestClient& client, const TestResponse& response) {
  EXPECT_EQ(response.status, 303) << response.body;
  return client.get(std::string(response.header("Location").value_or("/")));
}

inline std::int64_t number(TestClient& client, const Database& database, std::string sql) {
  return client.run([](Database on, std::string text) -> Task<std::int64_t> {
    const auto found = co_await on.one<std::int64_t>(db::BoundSql{{text}});
    co_return found.value_or(-1);
  }(database, std::move(sql)));
}

struct Shop {
  Database database = open_shop();
  App app;
  TestClient client;

  explicit Shop(const TestClientOptions& as = as_user("ann"), AdminOptions options = {})
      : app(make_shop(database, std::move(options))), client(app, as) {}

  std::int64_t count(const std::string& from) {
    return number(client, database, "select count(*) from " + from);
  }
};

/// Opens the page before a deletion, and confirms it.
inline TestResponse confirm_deletion(TestClient& client, const std::string& list,
                                     const std::vector<TestField>& keys) {
  return client.submit(client.post_form(list + "/delete", keys), {{"confirm", "yes"}});
}

}  // namespace eider::admin_shop
