// Deletions, secrets, rules and the audit log of admin pages in less simple cases.
#include <gtest/gtest.h>

#include "eider/web/admin/test_shop.h"

namespace eider {
namespace {

using namespace admin_shop;

struct Cat {
  std::int64_t id = 0;
  std::string name;
  std::optional<std::int64_t> parent_id = {};
};
struct Product {
  std::int64_t id = 0;
  std::int64_t cat_id = 0;
  std::optional<std::int64_t> book_id = {};
};

struct Volume {
  std::int64_t id = 0;
  std::string title;

  static constexpr db::Table kTable = {.name = "books"};
};

/// Resources of a test, on a database of its own.
struct OwnSite {
  Database database;
  App app;
  AdminSite site;

  explicit OwnSite(const char* schema, AdminOptions options = {})
      : database(
            open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop, .schema = schema})),
        site(start(std::move(options))) {}

  AdminSite start(AdminOptions options) {
    app.state(database);
    options.guard = &user_of;
    return serve_admin(app, "/admin", std::move(options));
  }
};

constexpr const char* kTree =
    "create table cats(id integer primary key, name text not null, "
    "parent_id integer references cats(id) on delete cascade);"
    "create table Books(ID integer primary key, title text);"
    "create table products(id integer primary key, "
    "cat_id integer not null references cats(id) on delete cascade, "
    "book_id integer references books(Id));"
    "create table reviews(id integer primary key, "
    "product_id integer not null references products on delete cascade);"
    "create table votes(id integer primary key, "
    "review_id integer references REVIEWS on delete cascade);"
    "create table pairs(a integer, b integer, cat_id integer references cats on delete cascade, "
    "primary key(a, b));"
    "create table pair_notes(id integer primary key, x integer, y integer, "
    "foreign key(x, y) references pairs on delete cascade);"
    "insert into cats values(1, 'Root', null), (2, 'Child', 1), (3, 'Grandchild', 2);"
    "insert into Books values(7, 'Salt');"
    "insert into products values(1, 1, 7), (2, 2, null), (3, 3, null), (4, 3, null);"
    "insert into reviews values(1, 4); insert into votes values(1, 1), (2, 1);"
    "insert into pairs values(1, 1, 2), (1, 2, 2);"
    "insert into pair_notes values(1, 1, 1), (2, 1, null), (3, 1, 2);";

TEST(admin_safety, counts_each_level_of_a_tree_before_a_deletion) {
  OwnSite tree(kTree);
  tree.site.resource<Cat>().resource<Product>();
  TestClient client(tree.app, as_user("ann"));
  const TestResponse ask = client.post_form("/admin/cats/delete", {{"key", "1"}});
  EXPECT_HAS(ask, "<li>Cats: 2, will be deleted, too</li>");
  EXPECT_HAS(ask, "<li>Products: 4, will be deleted, too</li>");
  EXPECT_HAS(ask, "<li>Reviews: 1, will be deleted, too</li>");
  EXPECT_HAS(ask, "<li>Votes: 2, will be deleted, too</li>");
  EXPECT_HAS(ask, "<li>Pairs: 2, will be deleted, too</li>");
  EXPECT_HAS(ask, "<li>Pair notes: 2, will be deleted, too</li>");
  EXPECT_LACKS(ask, "possibly more");
  EXPECT_HAS(follow(client, client.submit(ask, {{"confirm", "yes"}})), "“Root” was deleted.");
  EXPECT_EQ(number(client, tree.database, "select count(*) from votes"), 0);
  const TestResponse log = client.get("/admin/log");
  EXPECT_HAS(log, "<li>Products: <del>4 records</del> <ins>deleted</ins></li>");
  EXPECT_HAS(log, "<li>Votes: <del>2 records</del> <ins>deleted</ins></li>");
}

TEST(admin_safety, finds_relations_whose_names_are_written_in_other_letters) {
  OwnSite tree(kTree);
  tree.site.resource<Volume>().resource<Product>();
  TestClient client(tree.app, as_user("ann"));
  EXPECT_HAS(client.get("/admin/products"), "<a href=\"/admin/books/record/7\">Salt</a>");
  EXPECT_HAS(client.get("/admin/books/record/7"),
             "<a href=\"/admin/products?f.book_id=7\">Products (1)</a>");
  EXPECT_HAS(client.post_form("/admin/books/delete", {{"key", "7"}}),
             "Products</a>: 1, must be changed or deleted first");
}

TEST(admin_safety, says_if_not_all_dependents_can_be_counted) {
  OwnSite tree(
      "create table cats(id integer primary key, name text not null, "
      "parent_id integer references cats(id) on delete cascade);"
      "insert into cats with recursive n(i) as (select 1 union all select i + 1 from n where i < "
      "20) select i, 'Cat ' || i, nullif(i - 1, 0) from n;");
  tree.site.resource<Cat>();
  TestClient client(tree.app, as_user("ann"));
  const TestResponse ask = client.post_form("/admin/cats/delete", {{"key", "1"}});
  EXPECT_HAS(ask, "<li>Cats: 8, will be deleted, too</li>\n<li>and possibly more</li>");
  EXPECT_EQ(client.submit(ask, {{"confirm", "yes"}}).status, 303);
  EXPECT_HAS(client.get("/admin/log"), "possibly more");
}

TEST(admin_safety, deletes_nothing_that_the_user_has_not_confirmed) {
  Shop shop;
  const TestResponse ask = shop.client.post_form("/admin/books/delete", {{"key", "1"}});
  const auto run = [&shop](const char* sql) {
    shop.client.run([](Database on, db::RuntimeSql text) -> Task<> { co_await on.script(text); }(
                                                             shop.database, {sql}));
  };
  run("insert into reviews(book_id, text) values(1, 'new')");
  const TestResponse changed = shop.client.submit(ask, {{"confirm", "yes"}});
  EXPECT_EQ(changed.status, 409);
  EXPECT_HAS(changed, "Nothing was deleted");
  EXPECT_HAS(changed, "Reviews</a>: 3, will be deleted, too");
  run("update books set title = 'Pepper' where id = 1");
  const TestResponse renamed = shop.client.submit(changed, {{"confirm", "yes"}});
  EXPECT_EQ(renamed.status, 409);
  EXPECT_HAS(renamed, ">Pepper</a>");
  EXPECT_EQ(shop.client.post_form("/admin/books/delete", {{"key", "1"}, {"confirm", "yes"}}).status,
            409);
  EXPECT_EQ(shop.count("books where id = 1"), 1);
  EXPECT_EQ(shop.count("reviews"), 3);
  EXPECT_EQ(shop.count("eider_admin_log"), 0);
  EXPECT_EQ(shop.client.submit(renamed, {{"confirm", "yes"}}).status, 303);
  EXPECT_EQ(shop.count("reviews"), 0);
}

TEST(admin_safety, logs_a_deleted_record_that_was_deleted_with_another) {
  OwnSite tree(kTree);
  tree.site.resource<Cat>();
  TestClient client(tree.app, as_user("ann"));
  EXPECT_HAS(follow(client, confirm_deletion(client, "/admin/cats", {{"key", "1"}, {"key", "2"}})),
             "2 records were deleted.");
  EXPECT_EQ(number(client, tree.database, "select count(*) from eider_admin_log"), 2);
}

}  // namespace
}  // namespace eider
