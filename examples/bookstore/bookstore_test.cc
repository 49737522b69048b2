// Tests of the shop without a socket: validates responses against its own OpenAPI document.
#include "bookstore.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include "catalogue/book.h"
#include "eider/accounts.h"
#include "eider/languages.h"
#include "eider/runtime.h"
#include "eider/sqlite.h"
#include "eider/testing.h"
#include "eider/text.h"
#include "orders/order.h"
#include "people/passkey_logins.h"
#include "people/people.h"

namespace bookstore {
namespace {

using eider::App;
using eider::TestClient;
using eider::TestResponse;

const std::vector<eider::TestField> kHome = {
    {"name", "Ada"}, {"street", "Side Street 1"}, {"city", "Town"}};

/// Sends a form like a browser, with the token of the current page.
TestResponse send_form(TestClient& browser, const std::string& target,
                       std::vector<eider::TestField> fields = {}) {
  const std::string page = browser.get("/").body;
  const std::string_view before = "name=\"csrf_token\" value=\"";
  const std::size_t begin = page.find(before) + before.size();
  fields.push_back({"csrf_token", page.substr(begin, page.find('"', begin) - begin)});
  return browser.post_form(target, fields);
}

/// Returns the action of the form for the checkout.
std::string checkout_of(const TestResponse& page) {
  const std::size_t begin = page.body.find("/checkout?");
  std::string found = page.body.substr(begin, page.body.find('"', begin) - begin);
  for (std::size_t at = 0; (at = found.find("&amp;", at)) != std::string::npos;) {
    found.replace(at, 5, "&");
  }
  return found;
}

constexpr const char* kPeople = R"(
  insert or ignore into users(id, account, name, mail, role) values
    (1, '1', 'Admin', 'admin@example.org', 'admin'),
    (2, '2', 'Ada', 'ada@example.org', 'customer'), (3, '3', 'Sam', 'sam@example.org', 'staff'))";

/// Finds a user by a key of the test's table, or like the shop.
eider::Task<User> find_user(const eider::UserKey& key, eider::State<eider::Database> database,
                            eider::State<eider::Accounts> accounts, eider::State<People> people) {
  auto user = co_await database->one<User>(
      "select id, name, mail, role from users where account = $1", key.text);
  if (!user) {
    const auto account = co_await accounts->find(key);
    user = co_await people->find(account.value());
  }
  co_return std::move(*user);
}

const std::vector<eider::TestHeader> kOfBrowser = {{"Sec-Fetch-Site", "same-origin"}};

struct GivenBook {
  std::string title = "Tides";
  std::string author = "Mara Quill";
  std::string isbn = "978-3-16-148410-0";
  std::string genre = "novel";
  int year = 2020;
  int price_cents = 1000;
  int stock = 3;
  std::string summary = "Of the sea.";
};

using Books = eider::PageBody<Book>;

struct Login {
  std::string email;
  std::string password;
};

struct GivenAddress {
  std::string name = "Ada";
  std::string street = "Side Street 1";
  std::string city = "Town";
};

struct GivenOrder {
  GivenAddress address = {};
  std::vector<NewOrderLine> lines;
  std::optional<std::string> checkout = {};
  std::optional<std::int64_t> total_cents = {};
};

eider::Database in_memory(std::string schema = {}) {
  return eider::open_sqlite(
      ":memory:", {.runs_on = eider::SqliteOptions::RunsOn::loop, .schema = std::move(schema)});
}

class Bookstore : public ::testing::Test {
 protected:
  App make_app_over(eider::Database database, const Settings& settings = {}) {
    App made;
    made.log_to(std::make_shared<eider::LogLines>());
    add_bookstore(made, settings, std::move(database), {.cost = {64, 1, 1}, .threads = 0}, mails);
    return made;
  }
  App make_app(const Settings& settings = {}) {
    App made = make_app_over(in_memory(), settings);
    made.override_provided(find_user);
    made.on_start("people", [](eider::State<eider::Database> db) -> eider::Task<> {
      co_await db->script(kPeople);
    });
    return made;
  }

  /// The book as a signed-in customer sees it.
  int stock_of(std::int64_t id) {
    return client.get("/api/books/" + std::to_string(id)).json<Book>().stock;
  }

  /// Returns the token after the # in the link of the last mail to that address.
  [[nodiscard]] std::string token_to(const std::string& address) const {
    const std::string mail = eider::text_of(mails->last_to(address));
    const std::size_t token = mail.find('#') + 1;
    return mail.substr(token, mail.find('\n', token) - token);
  }

  std::shared_ptr<eider::TestMailbox> mails = std::make_shared<eider::TestMailbox>();
  App app = make_app();
  TestClient client{app,
                    {.document = eider::DocumentCheck{.below = "/api"}, .headers = kOfBrowser}};
};

TEST_F(Bookstore, finds_books_by_words_genre_price_and_order) {
  const Books all = client.get("/api/books?sort=cheapest&per_page=3").json<Books>();
  EXPECT_EQ(all.total, 14);
  ASSERT_EQ(all.items.size(), 3U);
  EXPECT_LE(all.items[0].price_cents, all.items[1].price_cents);
  EXPECT_EQ(client.get("/api/books?q=glacier").json<Books>().total, 1);
  EXPECT_EQ(client.get("/api/books?q=%25").json<Books>().total, 0);
  EXPECT_EQ(client.get("/api/books?genre=poetry&price_max=10").json<Books>().total, 1);
  EXPECT_EQ(client.get("/api/books?in_stock=true&genre=crime").json<Books>().total, 1);
  EXPECT_EQ(client.get("/api/books?page=5&per_page=3").json<Books>().items.size(), 2U);
  EXPECT_EQ(client.get("/api/books?genre=gossip").status, 400);
  EXPECT_EQ(client.get("/api/books?fbclid=x").status, 400);
}

TEST_F(Bookstore, shows_pages_whose_links_have_more_parameters) {
  for (const char* target : {"/?fbclid=x", "/?page=1&utm_source=news", "/?gclid=%", "/login?a=b"}) {
    EXPECT_EQ(client.get(target).status, 200) << target;
  }
}

TEST_F(Bookstore, lets_staff_alone_keep_the_books) {
  EXPECT_EQ(client.post("/api/books", GivenBook()).status, 401);
  EXPECT_EQ(client.as("2").post("/api/books", GivenBook()).status, 403);
  TestClient& staff = client.as("3");
  const TestResponse made = staff.post("/api/books", GivenBook());
  ASSERT_EQ(made.status, 201);
  EXPECT_EQ(made.json<Book>().isbn.digits(), "9783161484100");
  const std::string address(made.header("Location").value());
  EXPECT_EQ(staff.post("/api/books", GivenBook()).status, 409);
  EXPECT_EQ(staff.put(address, GivenBook{.stock = 5}).status, 428);
  EXPECT_EQ(staff.post("/api/books", GivenBook{.isbn = "9783161484101"}).problem().errors.size(),
            1U);
  EXPECT_EQ(staff.del(address).status, 204);
  EXPECT_EQ(staff.del(address).status, 404);
}

TEST_F(Bookstore, takes_an_order_off_the_shelf_wholly_or_not_at_all) {
  TestClient& ada = client.as("2");
  const int first = stock_of(1);
  const int second = stock_of(2);
  const TestResponse placed = ada.post("/api/orders", GivenOrder{.lines = {{1, 2}, {2, 1}}});
  ASSERT_EQ(placed.status, 201);
  EXPECT_EQ(placed.json<Order>().total_cents, 2 * 1890 + 1650);
  EXPECT_EQ(stock_of(1), first - 2);
  EXPECT_EQ(ada.post("/api/orders", GivenOrder{.lines = {{1, 1}, {2, 90}}}).status, 409);
  EXPECT_EQ(stock_of(1), first - 2);
  EXPECT_EQ(stock_of(2), second - 1);
  EXPECT_EQ(ada.post("/api/orders", GivenOrder{.lines = {{999, 1}}}).status, 409);
  EXPECT_EQ(ada.get("/api/orders").json<std::vector<Order>>().size(), 1U);
}

TEST_F(Bookstore, asks_for_a_login_of_late_ahead_of_another_password_or_address) {
  TestClient browser(app, {.headers = {{"Accept", "text/html"}, kOfBrowser[0]}});
  browser.as("2").advance(std::chrono::minutes(11));
  EXPECT_EQ(browser.get("/password").header("Location"), "/login?next=%2Fpassword");
  EXPECT_EQ(browser.get("/new-address").header("Location"), "/login?next=%2Fnew-address");
  EXPECT_TRUE(browser.get("/login?next=%2Fpassword").body.contains("Please confirm"));
  EXPECT_EQ(browser.get("/orders").status, 200) << "who stays logged in";
}

TEST_F(Bookstore, confirms_an_order_that_was_placed_and_no_other) {
  TestClient& ada = client.as("2");
  EXPECT_EQ(ada.post("/api/orders", GivenOrder{.lines = {{1, 1}, {2, 90}}}).status, 409);
  client.advance(std::chrono::seconds(2));
  EXPECT_TRUE(mails->all().empty());
  EXPECT_EQ(ada.post("/api/orders", GivenOrder{.lines = {{1, 1}}}).status, 201);
  client.advance(std::chrono::seconds(2));
  EXPECT_EQ(eider::text_of(mails->last_to("ada@example.org")),
            "Thank you, your order is placed.\n\n"
            "1 × The Lighthouse Keeper's Atlas: €18.90\nTotal: €18.90\n");
}

TEST_F(Bookstore, writes_its_mails_in_the_language_of_who_has_ordered) {
  TestClient german(app, {.headers = {{"Accept-Language", "de"}, kOfBrowser[0]}});
  ASSERT_EQ(german.as("2").post("/api/orders", GivenOrder{.lines = {{1, 1}}}).status, 201);
  client.advance(std::chrono::seconds(2));  // mails are jobs, and jobs run with the first client
  EXPECT_TRUE(eider::text_of(mails->last_to("ada@example.org")).contains("Summe: 18,90\u00a0€"));
}

TEST_F(Bookstore, places_an_order_once_however_often_it_is_asked_for) {
  TestClient& ada = client.as("2");
  const GivenOrder order{.lines = {{1, 1}}, .checkout = "mine"};
  const int before = stock_of(1);
  EXPECT_EQ(ada.post("/api/orders", order).json<Order>().id, 1);
  EXPECT_EQ(ada.post("/api/orders", order).json<Order>().id, 1);
  EXPECT_EQ(stock_of(1), before - 1);
  EXPECT_EQ(client.as("3").post("/api/orders", order).json<Order>().id, 2);
  client.advance(std::chrono::seconds(2));
  EXPECT_EQ(mails->all().size(), 2U);
}

TEST_F(Bookstore, sells_nothing_at_another_price_than_was_seen) {
  TestClient& ada = client.as("2");
  const int before = stock_of(1);
  EXPECT_EQ(ada.post("/api/orders", GivenOrder{.lines = {{1, 2}}, .total_cents = 3779}).status,
            409);
  EXPECT_EQ(stock_of(1), before);
  EXPECT_EQ(ada.post("/api/orders", GivenOrder{.lines = {{1, 2}}, .total_cents = 3780}).status,
            201);
}

TEST_F(Bookstore, sells_no_other_books_than_were_seen_for_the_same_sum) {
  TestClient ada(app, {.keeps_cookies = true, .headers = kOfBrowser});
  ada.as("2");
  ASSERT_EQ(send_form(ada, "/cart/3/more", {{"count", "1"}}).status, 303);
  const std::string seen = checkout_of(ada.get("/checkout"));
  ASSERT_EQ(send_form(ada, "/cart/3", {{"count", "0"}}).status, 303);
  ASSERT_EQ(send_form(ada, "/cart/14/more", {{"count", "1"}}).status, 303);
  const TestResponse told = send_form(ada, seen, kHome);
  ASSERT_EQ(told.status, 422);
  EXPECT_TRUE(told.body.contains("Your cart has changed."));
  EXPECT_EQ(send_form(ada, checkout_of(told), kHome).status, 303);
  EXPECT_EQ(ada.get("/api/orders/1").json<Order>().lines.at(0).book_id, 14);
}

TEST_F(Bookstore, takes_no_name_of_a_checkout_that_says_more_in_the_next_form) {
  TestClient ada(app, {.keeps_cookies = true, .headers = kOfBrowser});
  ada.as("2");
  ASSERT_EQ(send_form(ada, "/cart/3/more", {{"count", "1"}}).status, 303);
  const std::string rest = "&total_cents=1290&cart=3x1";
  const std::vector<eider::TestField> bad = {{"name", ""}, {"street", ""}, {"city", ""}};
  EXPECT_EQ(send_form(ada, "/checkout?checkout=a%26b" + rest, bad).status, 400);
  EXPECT_EQ(send_form(ada, "/checkout?checkout=ab2" + rest, bad).status, 422);
}

TEST_F(Bookstore, replaces_a_book_that_is_as_it_was_seen_and_tells_followers) {
  TestClient& staff = client.as("3");
  std::string tag(staff.get("/api/books/2").header("ETag").value());
  const auto put = [&staff, &tag](int stock) {
    const std::string body = eider::json::to_text(GivenBook{.stock = stock});
    return staff.send({.method = eider::Method::put,
                       .target = "/api/books/2",
                       .headers = {{"If-Match", tag}, {"Content-Type", "application/json"}},
                       .body = body});
  };
  ASSERT_EQ(staff.post("/api/orders", GivenOrder{.lines = {{2, 1}}}).status, 201);
  EXPECT_EQ(put(50).status, 412);
  EXPECT_EQ(stock_of(2), 5);
  eider::TestWebSocket follower = client.websocket("/live/stock");
  tag = staff.get("/api/books/2").header("ETag").value();
  EXPECT_EQ(put(50).json<Book>().stock, 50);
  EXPECT_EQ(follower.receive()->bytes, R"({"book_id":2,"stock":50})");
  ASSERT_EQ(staff.del("/api/books/2").status, 204);
  EXPECT_EQ(follower.receive()->bytes, R"({"book_id":2,"stock":0})");
}

TEST_F(Bookstore, shows_nobody_the_orders_of_another) {
  TestClient& ada = client.as("2");
  ASSERT_EQ(ada.post("/api/orders", GivenOrder{.lines = {{1, 1}}}).status, 201);
  EXPECT_EQ(ada.get("/api/orders/1").status, 200);
  EXPECT_EQ(client.as("3").get("/api/orders/1").status, 404);
  TestClient nobody(app);
  EXPECT_EQ(nobody.get("/api/orders/1").status, 401);
}

TEST_F(Bookstore, keeps_one_review_of_each_reader) {
  TestClient& ada = client.as("2");
  struct Given {
    int stars;
    std::string text;
  };
  EXPECT_EQ(ada.post("/api/books/1/reviews", Given{2, "Wet."}).status, 201);
  EXPECT_EQ(ada.post("/api/books/1/reviews", Given{5, "Better dry."}).status, 201);
  EXPECT_EQ(ada.post("/api/books/1/reviews", Given{6, ""}).problem().errors.size(), 2U);
  EXPECT_EQ(ada.post("/api/books/999/reviews", Given{5, "What?"}).status, 404);
  EXPECT_EQ(client.get("/api/books/1/reviews").json<std::vector<Review>>().size(), 1U);
  EXPECT_EQ(client.get("/api/books/1").json<Book>().rating, 5.0);
}

TEST_F(Bookstore, tells_followers_what_is_left) {
  eider::TestWebSocket follower = client.websocket("/live/stock");
  const int before = stock_of(3);
  ASSERT_EQ(client.as("2").post("/api/orders", GivenOrder{.lines = {{3, 2}}}).status, 201);
  EXPECT_EQ(follower.receive()->bytes,
            "{\"book_id\":3,\"stock\":" + std::to_string(before - 2) + "}");
}

struct Bob {
  std::string email = "bob@example.org";
};
struct Confirmed {
  std::string name = "Bob";
  std::string password;
  std::string token;
};

TEST_F(Bookstore, signs_up_by_mail_logs_in_and_out) {
  TestClient bob(app, {.keeps_cookies = true, .headers = kOfBrowser});
  EXPECT_EQ(bob.post("/api/users", Bob{.email = "bob"}).status, 422);
  EXPECT_EQ(bob.post("/api/users", Bob()).status, 204);
  bob.advance(std::chrono::seconds(3));
  client.advance(std::chrono::seconds(3));
  Confirmed given{.password = "short", .token = token_to("bob@example.org")};
  EXPECT_EQ(bob.post("/api/users/confirmed", given).status, 422);
  given.password = "long enough";
  EXPECT_EQ(bob.post("/api/users/confirmed", given).json<User>().name, "Bob");
  EXPECT_EQ(bob.post("/api/users/confirmed", given).status, 410);
  EXPECT_EQ(bob.get("/api/me").status, 200);
  EXPECT_EQ(bob.del("/api/session").status, 204);
  EXPECT_EQ(bob.get("/api/me").status, 401);
  EXPECT_EQ(bob.post("/api/session", Login{"bob@example.org", "something else"}).status, 401);
  EXPECT_EQ(bob.post("/api/session", Login{"BOB@example.org", "long enough"}).status, 200);
}

TEST_F(Bookstore, writes_letters_in_the_language_that_they_were_asked_for_in) {
  TestClient german(app,
                    {.headers = {{"Sec-Fetch-Site", "same-origin"}, {"Accept-Language", "de"}}});
  EXPECT_EQ(german.post("/api/users", Bob()).status, 204);
  german.advance(std::chrono::seconds(3));
  client.advance(std::chrono::seconds(3));
  const eider::MailMessage& letter = mails->last_to("bob@example.org");
  EXPECT_TRUE(eider::text_of(letter).contains("vermutlich Sie")) << eider::text_of(letter);
  EXPECT_TRUE(eider::text_of(letter).contains("Sie gilt 24 h.")) << eider::text_of(letter);
}

TEST_F(Bookstore, tells_followers_of_a_stock_that_staff_have_changed) {
  TestClient staff(app, {.keeps_cookies = true, .headers = kOfBrowser});
  eider::TestWebSocket follower = client.websocket("/live/stock");
  const TestResponse form = staff.as("3").get("/admin/books/record/2");
  EXPECT_TRUE(form.body.contains("In cents of a euro.")) << form.body;
  EXPECT_EQ(staff.submit(form, {{"stock", "77"}}, "/admin/books/record/2").status, 303);
  EXPECT_EQ(follower.receive()->bytes, R"({"book_id":2,"stock":77})");
}

TEST(BookstoreLetters, have_all_their_words_in_german) {
  const auto languages = eider::Languages::open({.directory = Settings().languages});
  ASSERT_TRUE(languages) << languages.error();
  const eider::Translator german = languages->translator("de-AT");
  for (int kind = 0; kind <= static_cast<int>(eider::AccountMailKind::api_key_added); ++kind) {
    const eider::AccountMail letter{.kind = static_cast<eider::AccountMailKind>(kind),
                                    .to = "bob@example.org",
                                    .link = "https://shop.example/reset#x"};
    (void)eider::plain_account_mail(letter, "shop@example.org", "", [&](std::string_view english) {
      EXPECT_TRUE(english.empty() || german(english) != english) << english;
      return std::string(english);
    });
  }
}

class BookstoreLogins : public Bookstore {
 protected:
  App make_app_with_code() {
    Settings settings;
    settings.two_factor_key = eider::Secret(std::string(32, 'k'));
    App made = make_app(settings);
    made.get("/now", [] { return eider::Loop::current().wall_seconds(); });
    return made;
  }
  /// Signs Bob up.
  void sign_up(TestClient& browser) {
    ASSERT_EQ(browser.post("/api/users", Bob()).status, 204);
    browser.advance(std::chrono::seconds(3));
    const Confirmed given{.password = "long enough", .token = token_to("bob@example.org")};
    ASSERT_EQ(browser.post("/api/users/confirmed", given).status, 201);
  }
  static std::string between(const std::string& text, const std::string& before, char end) {
    const std::size_t begin = text.find(before) + before.size();
    return text.substr(begin, text.find(end, begin) - begin);
  }
  std::string code_at(TestClient& browser) const {
    return eider::totp_code(secret, browser.get("/now").json<std::int64_t>());
  }
  /// Returns the page with the recovery codes.
  std::string turn_on(TestClient& browser) {
    const TestResponse page = browser.get("/account/two-factor");
    EXPECT_TRUE(page.body.contains("<svg")) << page.body;
    EXPECT_EQ(page.header("Cache-Control"), "no-store");
    std::string letters = between(page.body, "<code id=\"secret\">", '<');
    std::erase(letters, ' ');
    secret = eider::from_base32(letters).value_or("");
    EXPECT_EQ(browser.submit(page, {{"code", "000000"}}).status, 422);
    std::string on = browser.submit(page, {{"code", code_at(browser)}}).body;
    browser.advance(std::chrono::seconds(31));
    return on;
  }
  TestResponse log_in(TestClient& browser, const std::string& next = "/orders") {
    return browser.submit(browser.get("/login?next=" + next),
                          {{"email", "bob@example.org"}, {"password", "long enough"}});
  }

  std::string secret;
};

TEST_F(BookstoreLogins, have_a_second_step_by_forms_alone) {
  App own = make_app_with_code();
  TestClient bob(own, {.keeps_cookies = true, .headers = kOfBrowser});
  sign_up(bob);
  const std::string on = turn_on(bob);
  EXPECT_TRUE(on.contains("Recovery codes left: 10")) << on;
  const std::string recovery = between(on, "<li><code>", '<');
  TestClient other(own, {.keeps_cookies = true, .headers = kOfBrowser});
  other.advance(std::chrono::minutes(2));  // each client has its own clock
  const TestResponse first = log_in(other);
  EXPECT_EQ(first.header("Location"), "/two-factor?next=%2Forders");
  EXPECT_EQ(other.get("/api/me").status, 401);
  const TestResponse step = other.get(std::string(*first.header("Location")));
  EXPECT_EQ(other.submit(step, {{"code", "123456"}}).status, 422);
  const TestResponse done = other.submit(step, {{"code", code_at(other)}});
  EXPECT_EQ(done.header("Location"), "/orders") << done.body;
  EXPECT_EQ(other.get("/api/me").status, 200);
  EXPECT_EQ(other.get("/two-factor").header("Location"), "/login");
  TestClient third(own, {.keeps_cookies = true, .headers = kOfBrowser});
  third.advance(std::chrono::minutes(4));
  (void)log_in(third);
  EXPECT_EQ(third.submit(third.get("/two-factor"), {{"code", recovery}}).status, 303);
  EXPECT_TRUE(third.get("/account/two-factor").body.contains("Recovery codes left: 9"));
  EXPECT_EQ(send_form(third, "/account/two-factor/off").status, 303);
  TestClient last(own, {.keeps_cookies = true, .headers = kOfBrowser});
  last.advance(std::chrono::minutes(6));
  EXPECT_EQ(log_in(last).header("Location"), "/orders");
}

TEST_F(BookstoreLogins, of_programs_have_a_second_step) {
  App own = make_app_with_code();
  TestClient bob(own, {.keeps_cookies = true, .headers = kOfBrowser});
  sign_up(bob);
  (void)turn_on(bob);
  TestClient program(own, {.keeps_cookies = true, .headers = kOfBrowser});
  program.advance(std::chrono::minutes(2));
  const auto refused = program.post("/api/session", Login{"bob@example.org", "long enough"});
  EXPECT_EQ(refused.status, 401);
  EXPECT_TRUE(refused.body.contains("/problems/code-needed")) << refused.body;
  struct Code {
    std::string code;
  };
  EXPECT_EQ(program.post("/api/session/code", Code{code_at(program)}).status, 204);
  EXPECT_EQ(program.get("/api/me").status, 200);
}

TEST_F(BookstoreLogins, by_mail_need_the_button) {
  App own = make_app_with_code();
  TestClient bob(own, {.keeps_cookies = true, .headers = kOfBrowser});
  sign_up(bob);
  TestClient other(own, {.keeps_cookies = true, .headers = kOfBrowser});
  other.advance(std::chrono::minutes(1));
  const TestResponse asked = other.submit(other.get("/login/mail"), {{"email", "bob@example.org"}});
  EXPECT_EQ(asked.header("Location"), "/login");
  other.advance(std::chrono::seconds(3));
  bob.advance(std::chrono::minutes(2));  // each client has its own clock
  const std::string mail = eider::text_of(mails->last_to("bob@example.org"));
  const std::string link = "/login/link?token=" + between(mail, "token=", '\n');
  EXPECT_TRUE(other.get(link).body.contains("bob@example.org"));
  const TestResponse page = other.get(link);
  EXPECT_EQ(other.get("/api/me").status, 401) << "to look is not to log in";
  EXPECT_EQ(page.header("Referrer-Policy"), "strict-origin");
  const std::string token = between(page.body, "name=\"link\" value=\"", '"');
  const std::size_t at = page.body.find(token);
  EXPECT_EQ(page.body.find(token, at + 1), std::string::npos)
      << "in no link, which would get into the access log: " << page.body;
  EXPECT_EQ(other.submit(page, {{"link", token}}).header("Location"), "/account");
  EXPECT_EQ(other.get("/api/me").status, 200);
  EXPECT_EQ(other.get(link).status, 410);
}

TEST_F(BookstoreLogins, are_not_needed_by_programs_with_a_key) {
  App own = make_app_with_code();
  TestClient bob(own, {.keeps_cookies = true, .headers = kOfBrowser});
  sign_up(bob);
  const TestResponse created = bob.submit(bob.get("/account/api-keys"), {{"name", "till"}});
  ASSERT_EQ(created.status, 200) << created.body;
  const std::string key = between(created.body, "<code id=\"api-key\">", '<');
  TestClient program(own, {.document = eider::DocumentCheck{.below = "/api"},
                           .headers = {{"Authorization", "Bearer " + key}}});
  EXPECT_EQ(program.get("/api/me").json<User>().mail, "bob@example.org");
  EXPECT_EQ(program.get("/api/orders").status, 200);
  EXPECT_EQ(program.post("/api/orders", GivenOrder{.lines = {{1, 1}}}).status, 403);
  EXPECT_EQ(program.get("/account").status, 401);
  const TestResponse page = bob.get("/account/api-keys");
  EXPECT_FALSE(page.body.contains(key));
  const std::string id = between(page.body, "/account/api-keys/", '/');
  EXPECT_EQ(send_form(bob, "/account/api-keys/" + id + "/revoke").status, 303);
  EXPECT_EQ(program.get("/api/me").status, 401);
}

TEST_F(BookstoreLogins, with_a_key_end_with_another_password) {
  App own = make_app_with_code();
  TestClient bob(own, {.keeps_cookies = true, .headers = kOfBrowser});
  sign_up(bob);
  const TestResponse created = bob.submit(bob.get("/account/api-keys"), {{"name", "till"}});
  const std::string key = between(created.body, "<code id=\"api-key\">", '<');
  bob.advance(std::chrono::seconds(3));
  const eider::MailMessage notice = mails->last_to("bob@example.org");
  EXPECT_TRUE(eider::text_of(notice).contains("created an API key")) << eider::text_of(notice);
  TestClient program(own, {.headers = {{"Authorization", "Bearer " + key}}});
  EXPECT_EQ(program.get("/api/me").status, 200);
  EXPECT_EQ(bob.submit(bob.get("/forgotten"), {{"email", "bob@example.org"}}).status, 303);
  bob.advance(std::chrono::seconds(3));
  const TestResponse reset = bob.submit(bob.get("/reset"), {{"token", token_to("bob@example.org")},
                                                            {"password", "another password"}});
  EXPECT_EQ(reset.status, 303) << reset.body;
  EXPECT_EQ(program.get("/api/me").status, 401);
}

TEST_F(BookstoreLogins, of_other_browsers_end_when_the_second_step_is_turned_on) {
  App own = make_app_with_code();
  TestClient bob(own, {.keeps_cookies = true, .headers = kOfBrowser});
  sign_up(bob);
  TestClient other(own, {.keeps_cookies = true, .headers = kOfBrowser});
  EXPECT_EQ(log_in(other).status, 303);
  EXPECT_EQ(other.get("/api/me").status, 200);
  (void)turn_on(bob);
  EXPECT_EQ(other.get("/api/me").status, 401);
  EXPECT_EQ(bob.get("/api/me").status, 200);
  EXPECT_EQ(send_form(bob, "/account/two-factor/recovery-codes").status, 200);
  bob.advance(std::chrono::seconds(3));
  EXPECT_TRUE(eider::text_of(mails->last_to("bob@example.org")).contains("new recovery codes"));
}

TEST_F(Bookstore, ends_the_other_sessions_of_whoever_removes_a_passkey) {
  App own = make_app();
  own.get("/add-passkey",
          [](const eider::Account& account, eider::State<PasskeyLogins> logins) -> eider::Task<> {
            eider::Passkey lost{};
            lost.id = "lost";
            lost.user = account.key;
            static_cast<void>(co_await logins->store->insert(lost, 9));
          });
  TestClient here(own, {.keeps_cookies = true, .headers = kOfBrowser});
  ASSERT_EQ(here.post("/api/users", Bob()).status, 204);
  here.advance(std::chrono::seconds(3));
  const Confirmed given{.password = "long enough", .token = token_to("bob@example.org")};
  ASSERT_EQ(here.post("/api/users/confirmed", given).status, 201);
  TestClient there(own, {.keeps_cookies = true, .headers = kOfBrowser});
  ASSERT_EQ(there.post("/api/session", Login{"bob@example.org", "long enough"}).status, 200);
  ASSERT_EQ(here.get("/add-passkey").status, 204);
  EXPECT_EQ(send_form(here, "/account/passkeys/none/remove").status, 303);
  EXPECT_EQ(there.get("/api/me").status, 200);
  EXPECT_EQ(send_form(here, "/account/passkeys/lost/remove").status, 303);
  EXPECT_EQ(there.get("/api/me").status, 401);
  EXPECT_EQ(here.get("/api/me").status, 200);
}

TEST_F(Bookstore, throttles_an_account_however_its_address_is_spelled) {
  TestClient stranger(make_app(), {.headers = kOfBrowser});
  int throttled = 0;
  for (std::size_t turn = 0; turn < 12; ++turn) {
    std::string mail = "ada@example.org";
    mail[turn] = mail[turn] >= 'a' ? static_cast<char>(mail[turn] - 'a' + 'A') : mail[turn];
    const int status = stranger.post("/api/session", Login{mail, "a wrong one"}).status;
    throttled += status == 429 ? 1 : 0;
  }
  EXPECT_GT(throttled, 0);
}

TEST_F(Bookstore, speaks_english_and_german) {
  EXPECT_TRUE(client.get("/").body.contains("<h1>Books</h1>"));
  TestClient german(app, {.headers = {{"Accept-Language", "de-AT"}}});
  const std::string page = german.get("/books/1").body;
  EXPECT_TRUE(page.contains("lang=\"de\""));
  EXPECT_TRUE(page.contains("18,90\u00a0€"));
}

TEST_F(Bookstore, shows_text_of_others_as_text) {
  struct Given {
    int stars;
    std::string text;
  };
  ASSERT_EQ(
      client.as("2").post("/api/books/1/reviews", Given{1, "<script>{{ x }}</script>"}).status,
      201);
  const std::string page = client.get("/books/1").body;
  EXPECT_TRUE(page.contains("&lt;script&gt;{{ x }}&lt;/script&gt;"));
}

TEST_F(Bookstore, makes_the_named_address_administrator_though_its_user_came_first) {
  Settings settings;
  settings.admin_mail = "SAM@Example.org";
  App own = make_app(settings);
  own.on_start("nobody", [](eider::State<eider::Database> db) -> eider::Task<> {
    co_await db->script("update users set role = 'customer' where id = 1");
  });
  {
    TestClient first(own);
    EXPECT_EQ(first.as("3").get("/admin/users").status, 403);
  }
  TestClient next(own);
  EXPECT_EQ(next.as("3").get("/admin/users").status, 200);
}

TEST_F(Bookstore, tells_at_once_of_a_database_of_an_older_shop) {
  const App own = make_app_over(in_memory("create table users(id integer, name text)"));
  try {
    const TestClient refused(own);
    FAIL() << "it started";
  } catch (const std::exception& failure) {
    EXPECT_TRUE(std::string_view(failure.what()).contains("0001_shop.sql:")) << failure.what();
    EXPECT_TRUE(std::string_view(failure.what()).contains("u.account")) << failure.what();
  }
}

TEST_F(Bookstore, takes_over_a_database_of_before_there_were_migrations) {
  const App own = make_app_over(
      in_memory("create table openid_links(identity text primary key, account text not null);"
                "insert into openid_links values('who', 'ada')"));
  TestClient first(own);
  EXPECT_EQ(first.get("/api/books").json<Books>().total, 14);
}

TEST_F(Bookstore, guards_each_page_by_role) {
  const eider::TestClientOptions of_browser{.headers = {{"Accept", "text/html"}}};
  TestClient nobody(app, of_browser);
  EXPECT_EQ(nobody.get("/checkout").header("Location"), "/login?next=%2Fcheckout");
  EXPECT_EQ(client.as("2").get("/admin/books").status, 403);
  EXPECT_EQ(client.as("3").get("/admin/books").status, 200);
  EXPECT_EQ(client.as("3").get("/admin/users").status, 403);
  EXPECT_EQ(client.as("1").get("/admin/users").status, 200);
}

}  // namespace
}  // namespace bookstore
