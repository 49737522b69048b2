// The time since the user of a session authenticated, and guards that require a recent login.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/redact_query.h"
#include "eider/auth/session/test_faulty_store.h"
#include "eider/auth/session/test_visits.h"
#include "eider/auth/session/users.h"
#include "eider/core/base/failure.h"

namespace eider {
namespace {

using detail::session::Entry;
using detail::session::test::cookie_of;
using detail::session::test::FaultyStore;
using detail::session::test::VisitApp;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kStale =
    "Cookie cookie-name=\"__Host-session\", error=\"insufficient_user_authentication\", "
    "max_age=600";

struct Reader {
  std::string name;

  static constexpr bool kIsInjectable = true;
};

/// Headers that a browser sends in addition to its cookie.
std::vector<TestHeader> by_browser(const std::string& cookie) {
  return {{"Cookie", cookie}, {"Accept", "text/html"}};
}

class FreshLogin : public ::testing::Test {
 protected:
  explicit FreshLogin(SessionOptions options = {}) : visits(std::move(options)) {
    App& app = visits.app();
    add_users(app, *app.find_state<Sessions>(), [](const UserKey& key) { return Reader{key.text}; },
              {.login_page = "/login"});
    const auto show = [](const Reader& reader) { return reader.name; };
    app.get("/password", show).guard(require_recent_login(minutes(10)));
    app.post("/password", show).guard(require_recent_login(minutes(10)));
    app.get("/link", show).guard(require_recent_login(minutes(10))).use(redact_query());
    app.post("/recall/{user}", [](std::string user, Session<> session) {
      session.log_in_remembered(std::move(user));
    });
    app.post("/fails/{user}", [](std::string user, Session<> session) {
      session.log_in(std::move(user));
      throw std::runtime_error("the disk is full");
    });
    app.post("/end-others", [](Session<> session, State<Sessions> all) -> Task<void> {
      (void)co_await all->log_out_others(session);
    });
  }

  int ask(const std::string& cookie) { return visits.get("/password", cookie).status; }
  std::string sent_to(const TestRequest& request) {
    return std::string(visits.client().send(request).header("Location").value_or("nowhere"));
  }

  VisitApp visits;
};

TEST_F(FreshLogin, is_one_of_late_however_much_the_session_is_used) {
  const std::string ada = visits.log_in("ada");
  EXPECT_EQ(ask(ada), 200);
  visits.client().advance(minutes(9));
  EXPECT_EQ(ask(ada), 200);
  EXPECT_EQ(visits.post("/cart/1", ada).status, 200);
  visits.client().advance(minutes(1));
  const TestResponse late = visits.get("/password", ada);
  EXPECT_EQ(late.status, 401);
  EXPECT_EQ(late.header("WWW-Authenticate"), kStale);
  EXPECT_EQ(visits.get("/me", ada).body, "ada") << "who stays logged in";
  EXPECT_EQ(visits.get("/password").header("WWW-Authenticate"),
            "Cookie cookie-name=\"__Host-session\"");
}

TEST_F(FreshLogin, sends_a_browser_to_the_login_and_back_to_its_page) {
  const std::string ada = visits.log_in("ada");
  visits.client().advance(minutes(11));
  EXPECT_EQ(sent_to({.target = "/password?a=1&b", .headers = by_browser(ada)}),
            "/login?next=%2Fpassword%3Fa%3D1%26b");
  EXPECT_EQ(sent_to({.target = "/link?token=secret", .headers = by_browser(ada)}),
            "/login?next=%2Flink");
}

TEST_F(FreshLogin, leads_back_to_the_page_of_a_form_and_to_no_other_site) {
  const std::string ada = visits.log_in("ada");
  visits.client().advance(minutes(11));
  const struct {
    std::vector<TestHeader> said;
    std::string to;
  } cases[] = {
      {{{"Origin", "http://test"}, {"Referer", "http://test/form?token=x"}}, "/login?next=%2Fform"},
      {{{"Sec-Fetch-Site", "same-origin"}, {"Referer", "http://test/"}}, "/login?next=%2F"},
      {{{"Referer", "http://test//evil.example/x"}}, "/login"},
      {{{"Referer", "http://evil.example/x"}}, "/login"},
      {{{"Origin", "http://evil.example"}, {"Referer", "http://evil.example/x"}}, "/login"},
      {{{"Sec-Fetch-Site", "cross-site"}, {"Referer", "http://test/form"}}, "/login"},
      {{{"Origin", "http://test"}, {"Referer", "form"}}, "/login"},
      {{{"Origin", "http://test"}}, "/login"}};
  for (const auto& [said, to] : cases) {
    TestRequest sent{.method = Method::post, .target = "/password", .headers = by_browser(ada)};
    sent.headers.insert(sent.headers.end(), said.begin(), said.end());
    EXPECT_EQ(sent_to(sent), to) << said.back().value;
  }
}

TEST_F(FreshLogin, comes_of_the_same_users_login_with_another_id_and_all_that_was_kept) {
  const std::string old = visits.log_in("ada");
  visits.post("/cart/7", old);
  visits.client().advance(minutes(11));
  const std::string ada = visits.log_in("ada", old);
  EXPECT_NE(ada, old);
  EXPECT_EQ(ask(ada), 200);
  EXPECT_EQ(visits.get("/cart", ada).body, "[7]");
  EXPECT_EQ(visits.get("/me", old).body, "nobody") << "a planted or stolen id gains nothing";
  visits.client().advance(minutes(11));
  EXPECT_EQ(ask(ada), 401);
}

TEST_F(FreshLogin, of_another_user_inherits_nothing) {
  const std::string ada = visits.log_in("ada");
  visits.post("/cart/7", ada);
  visits.client().advance(minutes(11));
  const std::string bob = visits.log_in("bob", ada);
  EXPECT_EQ(visits.get("/password", bob).body, "bob");
  EXPECT_EQ(visits.get("/cart", bob).body, "[]");
  EXPECT_EQ(visits.get("/me", ada).body, "nobody");
}

TEST_F(FreshLogin, is_not_that_of_who_was_recognised) {
  const std::string ada = cookie_of(visits.post("/recall/ada"));
  EXPECT_EQ(visits.get("/me", ada).body, "ada");
  EXPECT_EQ(ask(ada), 401);
  const std::string shown = visits.log_in("ada", ada);
  EXPECT_EQ(ask(shown), 200);
  EXPECT_EQ(cookie_of(visits.post("/recall/ada", shown)), "");
  EXPECT_EQ(ask(shown), 200) << "who is recognised beside his login loses nothing";
  const std::string bob = cookie_of(visits.post("/recall/bob", shown));
  EXPECT_EQ(visits.get("/me", bob).body, "bob");
  EXPECT_EQ(ask(bob), 401) << "that was another's";
}

TEST_F(FreshLogin, is_none_that_came_to_nothing_and_no_other_renewal) {
  const std::string ada = visits.log_in("ada");
  visits.client().advance(minutes(11));
  EXPECT_EQ(visits.post("/fails/ada", ada).status, 500);
  EXPECT_EQ(ask(ada), 401);
  const std::string renewed = cookie_of(visits.post("/end-others", ada));
  EXPECT_EQ(visits.get("/me", renewed).body, "ada");
  EXPECT_EQ(ask(renewed), 401);
}

TEST_F(FreshLogin, is_told_by_the_document) {
  for (const Operation& operation : visits.app().operations()) {
    if (operation.pattern == "/password") {
      std::string told;
      for (const Operation::Response& response : operation.responses) {
        told += std::to_string(response.status) + " ";
      }
      EXPECT_TRUE(told.contains("401") && told.contains("303")) << told;
    }
  }
}

class FreshLoginInCookies : public FreshLogin {
 protected:
  FreshLoginInCookies() : FreshLogin({.store = SignedSessions{{std::string(32, 'k')}}}) {}
};

TEST_F(FreshLoginInCookies, is_kept_there) {
  const std::string old = visits.log_in("ada");
  visits.client().advance(minutes(11));
  EXPECT_EQ(ask(old), 401);
  EXPECT_EQ(ask(visits.log_in("ada", old)), 200);
}

class FreshLoginInFaultyStore : public FreshLogin {
 protected:
  FreshLoginInFaultyStore() : FreshLoginInFaultyStore(std::make_shared<FaultyStore>()) {}
  explicit FreshLoginInFaultyStore(const std::shared_ptr<FaultyStore>& faulty)
      : FreshLogin({.store = faulty}), store(faulty) {}

  std::shared_ptr<FaultyStore> store;
};

TEST_F(FreshLoginInFaultyStore, is_none_by_an_old_id_where_the_store_fails_in_between) {
  for (const std::string only_in : {"rename", "replace"}) {
    const std::string ada = visits.log_in("ada");
    visits.client().advance(minutes(11));
    store->fault = FaultyStore::Fault::throws;
    store->only_in = only_in;
    EXPECT_EQ(visits.post("/login/ada", ada).status, 503) << only_in;
    store->fault = FaultyStore::Fault::none;
    EXPECT_EQ(ask(ada), 401) << only_in;
  }
}

TEST(FreshLoginRecord, counts_from_the_last_proof_and_never_from_a_time_to_come) {
  constexpr std::int64_t kNow = 1'000'000;
  const struct {
    std::int64_t began;
    std::int64_t authenticated;
    bool is_fresh;
  } cases[] = {{kNow - 5, 0, true},
               {kNow - 600, 0, false},
               {kNow - 5000, kNow - 599, true},
               {kNow - 5000, kNow - 600, false},
               {kNow - 5, -1, false},
               {kNow - 5, kNow - 700, false},
               {kNow - 5, kNow + 60, true},
               {kNow - 5, kNow + 61, false},
               {kNow + 3600, 0, false},
               {0, 0, false}};
  for (const auto& [began, authenticated, is_fresh] : cases) {
    Entry entry{{}};
    SessionRecord record;
    record.user = "ada";
    record.began = began;
    record.authenticated = authenticated;
    entry.open("id", record);
    EXPECT_EQ(entry.was_proven_within(minutes(10), kNow), is_fresh)
        << began << " " << authenticated;
    EXPECT_TRUE(entry.was_proven_within(Duration::max(), kNow));
  }
}

TEST(FreshLoginGuards, that_let_nobody_in_are_told_at_once) {
  EXPECT_THROW((void)require_recent_login(seconds(0)), Failure);
  EXPECT_THROW((void)require_recent_login(minutes(-1)), Failure);
  App app;
  (void)add_sessions(app);
  app.get("/", [] { return "x"; }).guard(require_recent_login(minutes(1)));
  EXPECT_FALSE(app.make_service().has_value()) << "nobody has said who users are";
}

}  // namespace
}  // namespace eider
