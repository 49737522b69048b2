// Admin pages as users and attackers see them.
#include "eider/web/admin/admin.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "eider/web/admin/test_shop.h"
#include "eider/web/middleware/csrf.h"
#include "list.html.h"
#include "record.html.h"

namespace eider {
namespace {

using namespace admin_shop;

TEST(admin, needs_a_guard_that_accepts_the_user) {
  App app;
  EXPECT_THROW(serve_admin(app, "/admin", {}), Failure);
  Shop shop({});
  for (const char* const path : {"/admin/", "/admin/books", "/admin/books/new", "/admin/log",
                                 "/admin/books/export.csv", "/admin/books/record/1"}) {
    EXPECT_EQ(shop.client.get(path).status, 401) << path;
  }
  EXPECT_EQ(shop.client.post_form("/admin/books/delete", {{"key", "1"}}).status, 401);
  EXPECT_EQ(shop.client.get("/admin/style.css").status, 200);
}

TEST(admin, names_what_is_wrong_with_a_resource) {
  App app;
  AdminSite site = serve_admin(app, "/admin", {.guard = &user_of});
  const auto why = [&site](AdminResource options) -> std::string {
    try {
      site.resource<Review>(std::move(options));
    } catch (const Failure& failure) {
      return failure.what();
    }
    return "";
  };
  EXPECT_NE(why({.columns = {"titel"}}).find("titel"), std::string::npos);
  EXPECT_NE(why({.per_page = 5000}).find("5000"), std::string::npos);
  EXPECT_NE(why({.table = {.name = "a b"}}).find("a b"), std::string::npos);
  EXPECT_NE(why({.columns = {"text"}, .hidden = {"text"}}).find("text"), std::string::npos);
  EXPECT_NE(why({.actions = {{"a/b", "A", [] {}}}}).find("a/b"), std::string::npos);
}

TEST(admin, does_not_start_if_the_table_has_other_columns) {
  const Database database = open_shop();
  App app;
  app.state(database);
  serve_admin(app, "/admin", {.guard = &user_of}).resource<Book>({.table = {.name = "loans"}});
  std::string why;
  try {
    const TestClient client(app);
  } catch (const std::exception& failure) {
    why = failure.what();
  }
  EXPECT_NE(why.find("loans"), std::string::npos) << why;
}

TEST(admin, lists_records_with_names_of_related_ones) {
  Shop shop;
  EXPECT_EQ(shop.client.get("/admin").header("Location"), "./admin/");
  const TestResponse page = shop.client.get("/admin/books");
  ASSERT_EQ(page.status, 200);
  EXPECT_HAS(page, "<caption>3 records</caption>");
  EXPECT_HAS(page, "<a href=\"/admin/authors/record/1\">Ada &lt;b&gt;</a>");
  EXPECT_HAS(page, "100% &lt;i&gt;");
  EXPECT_LACKS(page, "<i>");
  EXPECT_LACKS(page, "hush");
  EXPECT_HAS(page, "name=\"f.genre\"");
  EXPECT_HAS(page, "<option value=\"2\">Zoe</option>");
  EXPECT_EQ(page.header("Cache-Control"), "no-store");
  EXPECT_NE(page.header("Content-Security-Policy").value_or("").find("default-src 'none'"),
            std::string::npos);
}

TEST(admin, sorts_searches_filters_and_has_pages) {
  Shop shop;
  const TestResponse down = shop.client.get("/admin/books?sort=-title");
  EXPECT_LT(down.body.find("Tides"), down.body.find(">Salt<"));
  EXPECT_HAS(down, "aria-sort=\"descending\"");
  EXPECT_HAS(shop.client.get("/admin/books?sort=secret"), "3 records");
  EXPECT_HAS(shop.client.get("/admin/books?q=SAL"), "1 record<");
  EXPECT_HAS(shop.client.get("/admin/books?q=0%25"), "1 record<");
  EXPECT_HAS(shop.client.get("/admin/books?q=%25"), "1 record<");
  EXPECT_HAS(shop.client.get("/admin/books?f.genre=crime&f.in_print=true"), "1 record<");
  EXPECT_HAS(shop.client.get("/admin/books?f.author_id=1"), "1 record<");
  EXPECT_HAS(shop.client.get("/admin/books?f.price_cents.min=2000&f.price_cents.max=2500"),
             "1 record<");
  const TestResponse wrong = shop.client.get("/admin/books?f.genre=x%27y");
  EXPECT_HAS(wrong, "This value is not valid.");
  EXPECT_HAS(wrong, "3 records");
  EXPECT_HAS(shop.client.get("/admin/books?f.secret=hush&f.secret.min=a"), "3 records");

  App app;
  app.state(shop.database);
  serve_admin(app, "/admin", {.guard = &user_of}).resource<Book>({.per_page = 2});
  TestClient client(app, as_user("ann"));
  const TestResponse second = client.get("/admin/books?page=2&sort=title&q=");
  EXPECT_EQ(count_of(second.body, "<tr>"), 2U) << second.body;
  EXPECT_HAS(second, "rel=\"prev\"");
  EXPECT_EQ(client.get("/admin/books?page=999999999999").status, 200);
  EXPECT_EQ(client.get("/admin/books?page=-1&q=%ff%00").status, 200);
}

TEST(admin, creates_records_and_shows_errors) {
  Shop shop;
  const TestResponse form = shop.client.get("/admin/books/new");
  EXPECT_LACKS(form, "name=\"version\"");
  EXPECT_LACKS(form, "name=\"id\"");
  EXPECT_HAS(form, "In cents.");
  const TestResponse wrong =
      shop.client.submit(form, {{"title", "<u>"}, {"genre", "crime"}, {"price_cents", "0"}});
  EXPECT_EQ(wrong.status, 422);
  EXPECT_HAS(wrong, "price_cents-error");
  EXPECT_HAS(wrong, "&lt;u&gt;");
  const TestResponse done =
      shop.client.submit(wrong, {{"price_cents", "5"}, {"author_id", "2"}, {"notes", "a\r\nb"}});
  const TestResponse list = follow(shop.client, done);
  EXPECT_HAS(list, "“&lt;u&gt;” was created.");
  EXPECT_HAS(list, "4 records");
  EXPECT_EQ(shop.count("books where title = '<u>' and author_id = 2 and price_cents = 5 and "
                       "version = 1 and secret = 'hush'"),
            1);
  const TestResponse log = shop.client.get("/admin/log");
  EXPECT_HAS(log, "ann (ann):</span> create Books <a href=\"/admin/books/record/4\">");
  const TestResponse taken =
      shop.client.submit(shop.client.get("/admin/authors/new"), {{"name", "Zoe"}});
  EXPECT_EQ(taken.status, 422);
  EXPECT_HAS(taken, "Is already taken");
  const TestResponse broken = shop.client.submit(
      shop.client.get("/admin/books/new"),
      {{"title", "x"}, {"genre", "crime"}, {"price_cents", "13"}, {"author_id", "99"}});
  EXPECT_EQ(broken.status, 422) << broken.body;
  EXPECT_EQ(shop.count("books"), 4);
  EXPECT_EQ(shop.count("eider_admin_log"), 1);
}

TEST(admin, shows_a_message_only_to_its_user) {
  Shop shop;
  const TestResponse done =
      shop.client.submit(shop.client.get("/admin/authors/new"), {{"name", "Mo"}});
  const std::string where(done.header("Location").value_or(""));
  EXPECT_HAS(shop.client.get(where), "“Mo” was created.");
  TestClient eve(shop.app, as_user("eve"));
  const TestResponse other = eve.get(where);
  EXPECT_EQ(other.status, 200);
  EXPECT_EQ(count_of(other.body, "was created"), 0U);
}

TEST(admin, changes_records_and_logs_old_and_new_values) {
  Shop shop;
  const TestResponse form = shop.client.get("/admin/books/record/1");
  EXPECT_HAS(form, "value=\"Salt\"");
  EXPECT_HAS(form, "<option value=\"1\" selected>Ada &lt;b&gt;</option>");
  EXPECT_HAS(form, "<a href=\"/admin/reviews?f.book_id=1\">Reviews (2)</a>");
  EXPECT_LACKS(form, "hush");
  const TestResponse same = shop.client.submit(form, {{"title", "Salt"}}, "/admin/books/record/1");
  EXPECT_EQ(same.header("Location"), "/admin/books");
  EXPECT_EQ(shop.count("eider_admin_log"), 0);
  const TestResponse done =
      shop.client.submit(form, {{"title", "Pepper"}, {"author_id", ""}}, "/admin/books/record/1");
  EXPECT_HAS(follow(shop.client, done), "was changed.");
  EXPECT_EQ(shop.count("books where title = 'Pepper' and author_id is null and version = 2"), 1);
  const TestResponse log = shop.client.get("/admin/books/record/1");
  EXPECT_HAS(log, "<li>Title: <del>Salt</del> <ins>Pepper</ins></li>");
  EXPECT_HAS(log, "<li>Author: <del>1</del> <ins></ins></li>");
  EXPECT_LACKS(log, "<li>Genre:");
  for (const char* const key : {"9", "x", "9223372036854775808", "1%27"}) {
    EXPECT_EQ(shop.client.get(std::string("/admin/books/record/") + key).status, 404) << key;
  }
}

TEST(admin, does_not_overwrite_the_changes_of_another_user) {
  Shop shop;
  const TestResponse mine = shop.client.get("/admin/books/record/1");
  const TestResponse theirs = shop.client.get("/admin/books/record/1");
  EXPECT_EQ(shop.client.submit(theirs, {{"price_cents", "7"}}, "/admin/books/record/1").status,
            303);
  const TestResponse conflict =
      shop.client.submit(mine, {{"title", "Mine"}}, "/admin/books/record/1");
  EXPECT_EQ(conflict.status, 409);
  EXPECT_HAS(conflict, "Another user has changed this record");
  EXPECT_HAS(conflict, "The database now contains: 7");
  EXPECT_HAS(conflict, "value=\"Mine\"");
  EXPECT_EQ(shop.count("books where title = 'Mine'"), 0);
  EXPECT_EQ(shop.client.submit(conflict, {{"title", "Mine"}}, "/admin/books/record/1").status, 303);
  EXPECT_EQ(shop.count("books where title = 'Mine' and price_cents = 1000"), 1);
}

TEST(admin, shows_dependents_before_a_deletion) {
  Shop shop;
  const TestResponse ask = shop.client.post_form("/admin/books/delete", {{"key", "1"}});
  EXPECT_EQ(ask.status, 200);
  EXPECT_HAS(ask, "Salt");
  EXPECT_HAS(ask, "<a href=\"/admin/reviews?f.book_id=1\">Reviews</a>: 2, will be deleted, too");
  EXPECT_EQ(shop.count("books"), 3);
  const TestResponse done = shop.client.submit(ask, {{"confirm", "yes"}});
  EXPECT_HAS(follow(shop.client, done), "“Salt” was deleted.");
  EXPECT_EQ(shop.count("reviews"), 0);
  EXPECT_HAS(shop.client.get("/admin/log"), "<li>Title: <del>Salt</del> <ins></ins></li>");
  EXPECT_HAS(shop.client.get("/admin/log"),
             "<li>Reviews: <del>2 records</del> <ins>deleted</ins></li>");

  const TestResponse blocked = shop.client.post_form("/admin/books/delete", {{"key", "2"}});
  EXPECT_HAS(blocked, "Loans</a>: 1, must be changed or deleted first");
  EXPECT_LACKS(blocked, "<button class=\"primary\">");
  const TestResponse forced = confirm_deletion(shop.client, "/admin/books", {{"key", "2"}});
  EXPECT_EQ(forced.status, 409);
  EXPECT_EQ(shop.count("books where id = 2"), 1);

  const TestResponse author = shop.client.post_form("/admin/authors/delete", {{"key", "2"}});
  EXPECT_HAS(author, "will not refer to them any more");
}

TEST(admin, deletes_several_records_or_none) {
  Shop shop;
  const TestResponse none =
      confirm_deletion(shop.client, "/admin/books", {{"key", "3"}, {"key", "2"}});
  EXPECT_EQ(none.status, 409);
  EXPECT_EQ(shop.count("books"), 3);
  EXPECT_EQ(shop.count("eider_admin_log"), 0);
  const TestResponse both =
      confirm_deletion(shop.client, "/admin/books", {{"key", "1"}, {"key", "3"}, {"key", "3"}});
  EXPECT_HAS(follow(shop.client, both), "2 records were deleted.");
  EXPECT_EQ(shop.count("eider_admin_log"), 2);
  EXPECT_EQ(shop.client.post_form("/admin/books/delete", std::vector<TestField>()).status, 422);
  std::vector<TestField> many;
  for (int i = 0; i < 300; ++i) {
    many.push_back({"key", std::to_string(i)});
  }
  EXPECT_EQ(shop.client.post_form("/admin/books/delete", many).status, 422);
}

TEST(admin, marks_records_as_deleted_where_the_table_says_so) {
  Shop shop;
  EXPECT_LACKS(shop.client.get("/admin/notes/new"), "is_gone");
  const TestResponse ask = shop.client.post_form("/admin/notes/delete", {{"key", "1"}});
  EXPECT_HAS(follow(shop.client, shop.client.submit(ask, {{"confirm", "yes"}})), "0 records");
  EXPECT_EQ(shop.count("notes where is_gone and version = 2"), 1);
  EXPECT_EQ(shop.client.get("/admin/notes/record/1").status, 404);
}

TEST(admin, runs_actions_on_selected_records) {
  Shop shop;
  const TestResponse done =
      shop.client.post_form("/admin/books/action/restock", {{"key", "1"}, {"key", "2"}});
  EXPECT_HAS(follow(shop.client, done), "2 books are in print.");
  EXPECT_EQ(shop.count("books where in_print"), 3);
  EXPECT_HAS(shop.client.get("/admin/log"), "restock Books");
  EXPECT_EQ(shop.client.post_form("/admin/books/action/restock", std::vector<TestField>()).status,
            422);
  EXPECT_EQ(shop.count("eider_admin_log"), 2);
  EXPECT_EQ(shop.client.post_form("/admin/books/action/restock", {{"key", "x"}}).status, 422);
  EXPECT_HAS(shop.client.get("/admin/log"), "<li>Result: <ins>status 422</ins></li>");
}

TEST(admin, runs_actions_of_read_only_resources_and_reports_changes) {
  std::vector<std::string> changed;
  const Database database = open_shop();
  App app;
  app.state(database);
  serve_admin(app, "/admin", {.guard = &user_of})
      .resource<Author>({.changed = [its = &changed](std::string key) -> Task<> {
        its->push_back(key);
        if (its->size() == 3) {
          throw std::runtime_error("too much");
        }
        return []() -> Task<> { co_return; }();
      }})
      .resource<Loan>({.read_only = true,
                       .roles = {{"all"}, {"reader", AdminAccess::view}},
                       .actions = {{"end", "End", [](const AdminSelection&) {}}}});
  TestClient client(app, as_user("ann"));
  const TestResponse made = client.submit(client.get("/admin/authors/new"), {{"name", "Mo"}});
  EXPECT_EQ(made.status, 303);
  EXPECT_EQ(client
                .submit(client.get("/admin/authors/record/3"), {{"name", "Moe"}},
                        "/admin/authors/record/3")
                .status,
            303);
  EXPECT_EQ(confirm_deletion(client, "/admin/authors", {{"key", "3"}}).status, 303);
  EXPECT_EQ(changed, (std::vector<std::string>{"3", "3", "3"}));
  EXPECT_HAS(client.get("/admin/loans"), "/admin/loans/action/end");
  EXPECT_HAS(follow(client, client.post_form("/admin/loans/action/end", {{"key", "1"}})),
             "End: done.");
  TestClient reader(app, as_user("rob", "reader"));
  EXPECT_EQ(reader.post_form("/admin/loans/action/end", {{"key", "1"}}).status, 403);
}

TEST(admin, respects_the_permissions_of_roles) {
  Shop reader(as_user("rob", "reader"));
  const TestResponse list = reader.client.get("/admin/books");
  EXPECT_LACKS(list, "/admin/books/new");
  EXPECT_LACKS(list, "formaction");
  EXPECT_LACKS(list, "authors/record");
  const TestResponse record = reader.client.get("/admin/books/record/1");
  EXPECT_HAS(record, "<dt>Title</dt><dd>Salt</dd>");
  EXPECT_LACKS(record, "method=\"post\"");
  EXPECT_EQ(reader.client.get("/admin/authors").status, 403);
  EXPECT_EQ(reader.client.get("/admin/books/new").status, 403);
  for (const char* const path : {"/admin/books/new", "/admin/books/record/1", "/admin/books/delete",
                                 "/admin/books/action/restock"}) {
    EXPECT_EQ(reader.client.post_form(path, {{"key", "1"}, {"confirm", "yes"}}).status, 403)
        << path;
  }
  EXPECT_EQ(reader.count("books"), 3);

  Shop seller(as_user("sue", "seller"));
  EXPECT_HAS(seller.client.get("/admin/books"), "action/restock");
  EXPECT_EQ(seller.client.get("/admin/books/new").status, 403);
  EXPECT_EQ(seller.client.post_form("/admin/books/delete", {{"key", "1"}}).status, 403);
  EXPECT_EQ(seller.client.get("/admin/books/record/1").status, 200);
  EXPECT_LACKS(seller.client.get("/admin/books/record/1"), "<select id=\"author_id\"");
  Shop guest(as_user("noa", "guest"));
  EXPECT_EQ(guest.client.get("/admin/books").status, 403);
  EXPECT_LACKS(guest.client.get("/admin/"), "/admin/books\"");
}

TEST(admin, hides_the_log_of_what_a_user_may_not_view) {
  Shop shop(as_user("ann"), {.log_roles = {"all", "seller"}});
  EXPECT_EQ(shop.client.submit(shop.client.get("/admin/authors/new"), {{"name", "Mo"}}).status,
            303);
  EXPECT_HAS(shop.client.get("/admin/log"), "Mo");
  TestClient seller(shop.app, as_user("sue", "seller"));
  EXPECT_LACKS(seller.get("/admin/log"), "Mo");
  TestClient reader(shop.app, as_user("rob", "reader"));
  EXPECT_EQ(reader.get("/admin/log").status, 403);
}

TEST(admin, changes_nothing_of_a_read_only_resource) {
  Shop shop;
  EXPECT_EQ(shop.client.get("/admin/loans").status, 200);
  EXPECT_EQ(shop.client.get("/admin/loans/new").status, 404);
  EXPECT_EQ(shop.client.post_form("/admin/loans/delete", {{"key", "1"}}).status, 404);
  EXPECT_EQ(shop.client.post_form("/admin/loans/record/1", {{"book_id", "1"}}).status, 405);
  EXPECT_HAS(shop.client.get("/admin/loans/record/1"),
             "<a href=\"/admin/books/record/2\">Tides</a>");
}

TEST(admin, exports_csv_without_formulas) {
  Shop shop;
  const TestResponse csv = shop.client.get("/admin/books/export.csv?f.genre=novel&sort=title");
  EXPECT_EQ(csv.status, 200);
  EXPECT_EQ(csv.header("Content-Disposition"), "attachment; filename=\"books.csv\"");
  EXPECT_EQ(csv.body,
            "id,title,genre,price_cents,in_print,author_id,notes\r\n"
            "1,Salt,novel,1000,true,1,'=1+1\r\n");
  EXPECT_HAS(shop.client.get("/admin/log"), "export Books");
  Shop small(as_user("ann"), {.export_rows_max = 2});
  EXPECT_EQ(small.client.get("/admin/books/export.csv").status, 422);
  EXPECT_EQ(small.client.get("/admin/books/export.csv?f.genre=novel").status, 200);
}

TEST(admin, searches_related_records_if_there_are_many) {
  Shop shop;
  shop.client.run([](Database on) -> Task<> {
    for (int i = 0; i < 300; ++i) {
      co_await on.exec("insert into authors(name) values($1)", "Author " + std::to_string(i));
    }
  }(shop.database));
  const TestResponse form = shop.client.get("/admin/books/record/1");
  EXPECT_HAS(form, "<option value=\"1\" selected>Ada &lt;b&gt;</option>");
  EXPECT_LACKS(form, "Author 12");
  EXPECT_HAS(form, " novalidate");
  const TestResponse found = shop.client.submit(
      form, {{"_search.author_id", "author 29"}, {"title", "New title"}}, "/admin/books/record/1");
  EXPECT_EQ(found.status, 200);
  EXPECT_HAS(found, ">Author 299</option>");
  EXPECT_LACKS(found, ">Author 12</option>");
  EXPECT_HAS(found, "value=\"New title\"");
  EXPECT_EQ(shop.count("books where title = 'New title'"), 0);
  const TestResponse none =
      shop.client.submit(found, {{"_search.author_id", "zzz"}}, "/admin/books/record/1");
  EXPECT_HAS(none, "<option value=\"1\" selected>");
  const TestResponse done =
      shop.client.submit(found, {{"author_id", "302"}}, "/admin/books/record/1");
  EXPECT_EQ(done.status, 303) << done.body;
  EXPECT_EQ(shop.count("books where title = 'New title' and author_id = 302"), 1);
}

TEST(admin, has_links_of_the_mounted_app) {
  const Database database = open_shop();
  App app;
  app.mount("/office", make_shop(database));
  TestClient client(app, as_user("ann"));
  EXPECT_HAS(client.get("/office/admin/"), "<a href=\"/office/admin/books\">");
  const TestResponse list = client.get("/office/admin/books");
  EXPECT_HAS(list, "href=\"/office/admin/style.css\"");
  EXPECT_HAS(list, "<a href=\"/office/admin/authors/record/1\">");
  EXPECT_HAS(list, "formaction=\"/office/admin/books/action/restock\"");
  EXPECT_EQ(count_of(list.body, "\"/admin"), 0U);
  const TestResponse done =
      client.submit(client.get("/office/admin/authors/new"), {{"name", "Mo"}});
  EXPECT_HAS(follow(client, done), "“Mo” was created.");
}

TEST(admin, rejects_requests_of_other_sites) {
  Shop shop;
  for (const char* const path : {"/admin/books/delete", "/admin/books/new", "/admin/books/record/1",
                                 "/admin/books/action/restock"}) {
    const TestResponse response =
        shop.client.send({.method = Method::post,
                          .target = path,
                          .headers = {{"Sec-Fetch-Site", "cross-site"},
                                      {"Content-Type", "application/x-www-form-urlencoded"}},
                          .body = "key=1&confirm=yes"});
    EXPECT_EQ(response.status, 403) << path;
  }
  EXPECT_EQ(shop.count("books"), 3);
}

TEST(admin, sends_the_csrf_token_with_each_form) {
  const Database database = open_shop();
  App app;
  app.state(database);
  app.use(csrf({.is_secure = false}));
  serve_admin(app, "/admin", {.guard = &user_of}).resource<Author>().resource<Book>(book_options());
  TestClient client(app, as_user("ann"));
  EXPECT_EQ(client.submit(client.get("/admin/authors/new"), {{"name", "Mo"}}).status, 303);
  const TestResponse record = client.get("/admin/books/record/3");
  EXPECT_EQ(count_of(record.body, "name=\"csrf_token\""), 2U);
  const TestResponse form = client.get("/admin/books/record/3");
  EXPECT_EQ(client.submit(form, {{"title", "T"}}, "/admin/books/record/3").status, 303);
  EXPECT_EQ(client.post_form("/admin/books/delete", {{"key", "3"}, {"confirm", "yes"}}).status,
            403);
}

TEST(admin, uses_the_templates_of_the_application) {
  AdminOptions options;
  options.templates.list = [](const AdminListPage& page) {
    return "rows: " + std::to_string(page.rows.size()) + " " + page.frame.user;
  };
  options.templates.home = [](const AdminHomePage& page) { return "mine\n" + admin_html(page); };
  Shop shop(as_user("ann"), std::move(options));
  EXPECT_EQ(shop.client.get("/admin/books").body, "rows: 3 ann");
  EXPECT_TRUE(shop.client.get("/admin/").body.starts_with("mine\n<!doctype html>"));
  EXPECT_HAS(shop.client.get("/admin/books/record/1"), "<!doctype html>");
}

TEST(admin, uses_compiled_templates_whose_forms_are_whole) {
  AdminOptions options;
  options.templates.list = admin_view<AdminListPage>();
  options.templates.record = admin_view<AdminRecordPage>();
  Shop shop(as_user("ann"), std::move(options));
  const TestResponse list = shop.client.get("/admin/books?f.author_id=1");
  EXPECT_HAS(list, "<li><a href=\"/admin/books/record/1\">Salt</a> 1 Salt novel");
  EXPECT_HAS(list, " Ada &lt;b&gt;");
  const TestResponse form = shop.client.get("/admin/books/record/1");
  EXPECT_HAS(form, "<option value=\"2\">Zoe</option>");
  EXPECT_HAS(form, "<a href=\"/admin/reviews?f.book_id=1\">Reviews (2)</a>");
  const TestResponse done = shop.client.submit(form, {{"author_id", "2"}}, "/admin/books/record/1");
  EXPECT_HAS(follow(shop.client, done), "“Salt” was changed.");
  EXPECT_EQ(shop.count("books where id = 1 and author_id = 2"), 1);
}

TEST(admin, shows_values_that_do_not_fit) {
  Shop shop;
  shop.client.run([](Database on) -> Task<> {
    co_await on.exec("update books set genre = 'opera <b>' where id = 1");
  }(shop.database));
  EXPECT_HAS(shop.client.get("/admin/books"), "opera &lt;b&gt;");
  const TestResponse form = shop.client.get("/admin/books/record/1");
  EXPECT_HAS(form, "is not valid here: opera &lt;b&gt;");
  const TestResponse done = shop.client.submit(form, {{"genre", "novel"}}, "/admin/books/record/1");
  EXPECT_EQ(done.status, 303) << done.body;
  EXPECT_EQ(shop.count("books where id = 1 and genre = 'novel'"), 1);
}

}  // namespace
}  // namespace eider
