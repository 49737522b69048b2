// Deletions, secrets, rules and the audit log of admin pages in less simple cases.
#include <gtest/gtest.h>

#include <stdexcept>

#include "eider/core/reflect/validation_errors.h"
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

struct NewAccount {
  Sized<std::string, 1, 100> name;
};
struct Account {
  std::int64_t id = 0;
  std::string name;
  std::string password_hash;
  std::string resetToken;
  std::optional<std::string> api_key = {};
  int pin = 0;
  std::string token_count;

  using New = NewAccount;
};
constexpr const char* kAccounts =
    "create table accounts(id integer primary key, name text not null, "
    "password_hash text not null default 'zhash', resetToken text default 'zsecret', "
    "api_key text default 'zkey', pin integer default 98765, token_count text default 'seven');"
    "insert into accounts(id, name) values(1, 'Ada');";

TEST(admin_safety, shows_no_secret) {
  for (const bool is_read_only : {true, false}) {
    OwnSite own(kAccounts);
    own.site.resource<Account>({.hidden = {"resetToken"}, .read_only = is_read_only});
    TestClient client(own.app, as_user("ann"));
    std::string all;
    for (const char* const path :
         {"/admin/accounts", "/admin/accounts/record/1", "/admin/accounts/export.csv"}) {
      const TestResponse page = client.get(path);
      EXPECT_EQ(page.status, 200);
      EXPECT_HAS(page, "seven");
      all += page.body;
    }
    EXPECT_HAS(client.get("/admin/accounts?q=zhash"), "0 records");
    EXPECT_HAS(client.get("/admin/accounts?f.password_hash=x"), "1 record<");
    if (!is_read_only) {
      const TestResponse form = client.get("/admin/accounts/record/1");
      EXPECT_EQ(client.submit(form, {{"name", "Bob"}}, "/admin/accounts/record/1").status, 303);
      EXPECT_EQ(confirm_deletion(client, "/admin/accounts", {{"key", "1"}}).status, 303);
      all += client.get("/admin/log").body;
    }
    for (const char* const secret : {"zhash", "zsecret", "zkey", "98765"}) {
      EXPECT_EQ(all.find(secret), std::string::npos) << secret;
    }
  }
}

TEST(admin_safety, shows_a_member_with_the_name_of_a_secret_if_it_is_a_column) {
  OwnSite own(kAccounts);
  own.site.resource<Account>({.columns = {"name", "api_key"}});
  TestClient client(own.app, as_user("ann"));
  EXPECT_HAS(client.get("/admin/accounts"), "zkey");
  EXPECT_LACKS(client.get("/admin/accounts/record/1"), "zhash");
}

struct NewOffer {
  int price = 0;
  int lowest = 100;
  Sized<std::string, 8, 100> password;

  void check(ValidationErrors& errors) const {
    if (price < lowest) {
      errors.add(price, "must not be below the lowest price");
    }
    if (std::string_view(password).empty()) {
      errors.add(password, "is too simple");
    }
  }
};
struct Offer {
  std::int64_t id = 0;
  int price = 0;
  int lowest = 0;
  std::string password;

  using New = NewOffer;
};
constexpr const char* kOffers =
    "create table offers(id integer primary key, price integer not null, "
    "lowest integer not null default 10, password text not null);"
    "insert into offers values(1, 50, 10, 'open sesame');";

TEST(admin_safety, has_secrets_in_forms_only_if_they_are_allowed) {
  OwnSite own(kOffers);
  std::string why;
  try {
    own.site.resource<Offer>();
  } catch (const Failure& failure) {
    why = failure.what();
  }
  EXPECT_NE(why.find("NewOffer has the secret member password"), std::string::npos) << why;
  own.site.resource<Offer>({.fixed = {"lowest"}, .secrets = {"password"}});
  TestClient client(own.app, as_user("ann"));
  const TestResponse form = client.get("/admin/offers/record/1");
  EXPECT_LACKS(form, "sesame");
  const TestResponse done = client.submit(form, {{"price", "20"}, {"password", "a new secret"}},
                                          "/admin/offers/record/1");
  EXPECT_EQ(done.status, 303) << done.body;
  EXPECT_EQ(number(client, own.database,
                   "select count(*) from offers where password = 'a new secret' and price = 20"),
            1);
  EXPECT_LACKS(client.get("/admin/log"), "new secret");
}

TEST(admin_safety, shows_a_password_in_a_form_if_it_is_a_column) {
  OwnSite own(kOffers);
  own.site.resource<Offer>({.columns = {"price", "password"}});
  TestClient client(own.app, as_user("ann"));
  EXPECT_HAS(client.get("/admin/offers/record/1"), "value=\"open sesame\"");
}

TEST(admin_safety, checks_the_rules_of_a_struct_with_values_that_are_not_in_the_form) {
  OwnSite own(kOffers);
  own.site.resource<Offer>({.fixed = {"lowest"}, .secrets = {"password"}});
  TestClient client(own.app, as_user("ann"));
  const TestResponse form = client.get("/admin/offers/record/1");
  const TestResponse low = client.submit(form, {{"price", "5"}}, "/admin/offers/record/1");
  EXPECT_EQ(low.status, 422);
  EXPECT_HAS(low, "ust not be below the lowest price");
  EXPECT_LACKS(low, "too simple");
  EXPECT_EQ(client.submit(low, {{"price", "20"}}, "/admin/offers/record/1").status, 303);
  EXPECT_EQ(number(client, own.database,
                   "select count(*) from offers where password = 'open sesame' and price = 20"),
            1);
}

enum class Shade : std::uint8_t { light = 1, dark = 2 };
struct Lamp {
  std::int64_t id = 0;
  Shade shade = Shade::light;
};
struct NewLamp {
  Shade shade;
};

TEST(admin_safety, logs_the_old_value_that_did_not_fit) {
  OwnSite own(
      "create table lamps(id integer primary key, shade text not null);"
      "insert into lamps values(1, 'neon');");
  own.site.resource<Lamp, NewLamp>();
  TestClient client(own.app, as_user("ann"));
  const TestResponse form = client.get("/admin/lamps/record/1");
  ASSERT_EQ(form.status, 200) << form.body;
  client.run([](Database on) -> Task<> {
    co_await on.exec("update lamps set shade = 'pink'");
  }(own.database));
  const TestResponse conflict = client.submit(form, {{"shade", "dark"}}, "/admin/lamps/record/1");
  EXPECT_EQ(conflict.status, 409);
  EXPECT_HAS(conflict, "The database now contains: pink");
  const TestResponse done = client.submit(conflict, {{"shade", "dark"}}, "/admin/lamps/record/1");
  EXPECT_EQ(done.status, 303) << done.body;
  EXPECT_HAS(client.get("/admin/log"), "<del>pink</del> <ins>dark</ins>");
}

struct Item {
  std::int64_t id = 0;
  std::string name;
};
constexpr const char* kItems =
    "create table items(id integer primary key, name text not null);"
    "insert into items values(1, 'one'), (2, 'two');";

TEST(admin_safety, logs_actions_that_fail_or_redirect) {
  OwnSite own(kItems);
  own.site.resource<Item>(
      {.actions = {{"rename", "Rename",
                    [](AdminSelection items, State<Database> db) -> Task<> {
                      for (const std::int64_t id : items.ids()) {
                        if (id == 2) {
                          throw std::runtime_error("broken");
                        }
                        co_await db->exec("update items set name = 'x' where id = $1", id);
                      }
                    }},
                   {"open", "Open", [](const AdminSelection&) { return Redirect("/shop"); }}}});
  TestClient client(own.app, as_user("ann"));
  EXPECT_EQ(client.post_form("/admin/items/action/rename", {{"key", "1"}, {"key", "2"}}).status,
            500);
  EXPECT_EQ(number(client, own.database, "select count(*) from items where name = 'x'"), 1);
  EXPECT_EQ(number(client, own.database,
                   "select count(*) from eider_admin_log where action = 'rename' and record in "
                   "('1', '2') and changes like '%status 500%'"),
            2);
  const TestResponse moved = client.post_form("/admin/items/action/open", {{"key", "2"}});
  EXPECT_EQ(moved.header("Location"), "/shop");
  EXPECT_EQ(number(client, own.database,
                   "select count(*) from eider_admin_log where action = 'open' and record = '2' "
                   "and changes like '%status 303%'"),
            1);
}

std::vector<TestField> keys_of(int count) {
  std::vector<TestField> keys;
  for (int i = 0; i < count; ++i) {
    keys.push_back({"key", std::to_string(100'000 + i)});
  }
  return keys;
}

TEST(admin_safety, logs_each_record_of_an_action) {
  OwnSite own(kItems);
  own.site.resource<Item>({.actions = {{"check", "Check", [](const AdminSelection&) {
                                          return std::string("They are complete.");
                                        }}}});
  TestClient client(own.app, as_user("ann"));
  EXPECT_HAS(follow(client, client.post_form("/admin/items/action/check", keys_of(200))),
             "They are complete.");
  EXPECT_EQ(number(client, own.database,
                   "select count(distinct record) from eider_admin_log where action = 'check' and "
                   "record between '100000' and '100199'"),
            200);
}

TEST(admin_safety, runs_no_action_without_a_valid_selection) {
  OwnSite own(kItems);
  int runs = 0;
  own.site.resource<Item>({.actions = {{"count", "Count", [&runs] { ++runs; }}}});
  TestClient client(own.app, as_user("ann"));
  for (const int count : {0, 201, 300}) {
    EXPECT_EQ(client.post_form("/admin/items/action/count", keys_of(count)).status, 422) << count;
  }
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(client.post_form("/admin/items/action/count", keys_of(200)).status, 303);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(number(client, own.database, "select count(*) from eider_admin_log"), 200);
}

TEST(admin_safety, runs_an_action_once_for_a_record_with_several_spellings_of_its_key) {
  OwnSite own(kItems);
  std::vector<std::string> keys;
  own.site.resource<Item>(
      {.actions = {{"note", "Note", [&keys](AdminSelection items) { keys = items.keys; }}}});
  TestClient client(own.app, as_user("ann"));
  const char* const path = "/admin/items/action/note";
  EXPECT_EQ(client.post_form(path, {{"key", "1"}, {"key", "01"}, {"key", "002"}}).status, 303);
  EXPECT_EQ(keys, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(number(client, own.database,
                   "select count(*) from eider_admin_log where record in ('1', '2')"),
            2);
  EXPECT_EQ(number(client, own.database, "select count(*) from eider_admin_log"), 2);
}

TEST(admin_safety, has_ids_of_keys_in_one_spelling) {
  EXPECT_EQ((AdminSelection{{"1", "-20"}}.ids()), (std::vector<std::int64_t>{1, -20}));
  for (const char* const key : {"01", "-0", "1 ", "x", ""}) {
    EXPECT_THROW((void)AdminSelection{{key}}.ids(), Failure) << key;
  }
}

TEST(admin_safety, logs_an_action_whose_client_disconnects) {
  OwnSite own(kItems);
  own.site.resource<Item>({.actions = {{"wait", "Wait", []() -> Task<> {
                                          co_await sleep_for(std::chrono::hours(1));
                                        }}}});
  TestClient client(own.app, as_user("ann"));
  EXPECT_EQ(client.raw("POST /admin/items/action/wait HTTP/1.1\r\nHost: test\r\nX-User: ann\r\n"
                       "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5\r\n"
                       "\r\nkey=2"),
            "");
  client.advance(std::chrono::hours(2));
  EXPECT_EQ(number(client, own.database,
                   "select count(*) from eider_admin_log where action = 'wait' and record = '2' "
                   "and user_id = 'ann' and changes like '%started%'"),
            1);
}

TEST(admin_safety, needs_a_role_for_an_action_that_needs_no_permission) {
  OwnSite own(kItems);
  own.site.resource<Item>(
      {.roles = {{"reader", AdminAccess::view}},
       .actions = {{"look", "Look", [](const AdminSelection&) {}, AdminAccess::none}}});
  TestClient guest(own.app, as_user("noa", "guest"));
  EXPECT_EQ(guest.post_form("/admin/items/action/look", {{"key", "1"}}).status, 403);
  TestClient reader(own.app, as_user("rob", "reader"));
  EXPECT_EQ(reader.post_form("/admin/items/action/look", {{"key", "1"}}).status, 303);
  EXPECT_EQ(number(reader, own.database, "select count(*) from eider_admin_log"), 1);
}

TEST(admin_safety, shows_the_id_of_a_user_with_the_name_of_another) {
  const auto guard = [](const Request& /*request*/) {
    return AdminUser{.id = "7", .name = "ann", .roles = {}};
  };
  OwnSite own(kItems);
  App app;
  app.state(own.database);
  AdminSite site = serve_admin(app, "/admin", {.guard = guard});
  site.resource<Item>({.actions = {{"look", "Look", [](const AdminSelection&) {}}}});
  TestClient client(app, as_user("ann"));
  EXPECT_EQ(client.post_form("/admin/items/action/look", {{"key", "1"}}).status, 303);
  EXPECT_HAS(client.get("/admin/log"), "UTC, ann (7):");
}

struct NewTrial {
  std::string name;
  std::string result;

  static constexpr FieldText kFormFields[] = {{.member = "result", .label = "Outcome"}};
};
struct Trial {
  std::int64_t id = 0;
  std::string name;
  std::string result;

  using New = NewTrial;
};

/// The form, which gives the column `result` another label, does not exist later.
TEST(admin_safety, hides_columns_in_the_log_by_their_members) {
  OwnSite own(
      "create table trials(id integer primary key, name text not null, result text not null);"
      "insert into trials values(1, 'Salt', 'positive');");
  const AdminAction check("check", "Check",
                          [](const AdminSelection&) { return std::string("Checked."); });
  own.site.resource<Trial>({.actions = {check}});
  TestClient client(own.app, as_user("ann"));
  const TestResponse form = client.get("/admin/trials/record/1");
  EXPECT_EQ(client.submit(form, {{"name", "Pepper"}, {"result", "negative"}}).status, 303);
  EXPECT_EQ(client.post_form("/admin/trials/action/check", {{"key", "1"}}).status, 303);
  EXPECT_EQ(confirm_deletion(client, "/admin/trials", {{"key", "1"}}).status, 303);
  EXPECT_HAS(client.get("/admin/log"), "Outcome: <del>positive</del> <ins>negative</ins>");

  App later;
  later.state(own.database);
  serve_admin(later, "/admin", {.guard = &user_of})
      .resource<Trial>({.columns = {"id"},
                        .label = "id",
                        .hidden = {"name", "result"},
                        .read_only = true,
                        .actions = {check}});
  TestClient reader(later, as_user("ann"));
  const TestResponse log = reader.get("/admin/log");
  EXPECT_HAS(log, "Trial 1");
  EXPECT_HAS(log, "Name: <del>(not shown)</del> <ins>(not shown)</ins>");
  EXPECT_HAS(log, "Outcome: <del>(not shown)</del> <ins>(not shown)</ins>");
  EXPECT_HAS(log, "Result: <ins>Checked.</ins>");
  const TestResponse message = reader.get("/admin/trials?done=1");
  EXPECT_HAS(message, "“Trial 1” was changed.");
  for (const TestResponse& page : {log, message}) {
    for (const char* const value : {"Salt", "Pepper", "positive", "negative"}) {
      EXPECT_LACKS(page, value);
    }
  }
}

TEST(admin_safety, shows_no_older_value_of_a_column_that_is_hidden_now) {
  OwnSite own(kItems);
  own.site.resource<Item>(
      {.columns = {"id"}, .label = "id", .hidden = {"name"}, .read_only = true});
  TestClient client(own.app, as_user("ann"));
  client.run([](Database on) -> Task<> {
    co_await on.exec(
        "insert into eider_admin_log(at, user_id, user_name, action, resource, record, label, "
        "changes) values(1, 'ann', 'ann', 'change', 'items', '1', 'Item 1', "
        "'[{\"field\":\"Name\",\"old_value\":\"before\",\"new_value\":\"after\"}]')");
  }(own.database));
  const TestResponse log = client.get("/admin/log");
  EXPECT_HAS(log, "Name: <del>(not shown)</del> <ins>(not shown)</ins>");
  EXPECT_LACKS(log, "before");
  EXPECT_LACKS(log, "after<");
}

TEST(admin_safety, shows_the_log_to_roles_of_the_site) {
  OwnSite own(kItems, {.roles = {{"reader", AdminAccess::view}, {"none", AdminAccess::none}}});
  own.site.resource<Item>({.roles = {{"guest"}, {"reader"}}});
  TestClient reader(own.app, as_user("rob", "reader"));
  EXPECT_EQ(reader.get("/admin/log").status, 200);
  for (const char* const role : {"guest", "none"}) {
    TestClient guest(own.app, as_user("noa", role));
    EXPECT_EQ(guest.get("/admin/log").status, 403) << role;
    EXPECT_LACKS(guest.get("/admin/"), "Audit log");
  }
}

}  // namespace
}  // namespace eider
