// Sessions under attack: forged, truncated and old cookies, concurrent requests, stores that fail
// or hang, and floods.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "eider/auth/session/memory_sessions.h"
#include "eider/auth/session/session.h"
#include "eider/auth/session/signed_cookie.h"
#include "eider/auth/session/test_faulty_store.h"
#include "eider/auth/session/test_visits.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/sha256.h"
#include "eider/io/runtime/sleep.h"
#include "eider/web/middleware/csrf.h"
#include "eider/web/middleware/response_cache.h"

namespace eider {
namespace {

using detail::session::MemoryStore;
using detail::session::SignedCookie;
using detail::session::test::cookie_of;
using detail::session::test::FaultyStore;
using detail::session::test::Visit;
using detail::session::test::VisitApp;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const std::string kKey(32, 'k');
const std::string kOtherKey(32, 'o');

SessionOptions signed_by(std::vector<std::string> keys) {
  return {.store = SignedSessions{std::move(keys)}};
}

TEST(SignedSessions, AreKeptInTheirCookieAlone) {
  VisitApp app(signed_by({kKey}));
  const std::string one = cookie_of(app.post("/cart/1"));
  const std::string two = cookie_of(app.post("/cart/2", one));
  EXPECT_EQ(app.get("/cart", two).body, "[1,2]");
  EXPECT_EQ(app.get("/cart", two).header("Set-Cookie"), std::nullopt);
  const std::string ada = app.log_in("ada", two);
  EXPECT_EQ(app.get("/me", ada).body, "ada");
  EXPECT_EQ(cookie_of(app.post("/logout", ada)), "__Host-session=");
}

TEST(SignedSessions, AForgedOrCutCookieIsNobodysWhateverByteIsWrong) {
  VisitApp app(signed_by({kKey}));
  const std::string cookie = app.log_in("ada");
  ASSERT_EQ(app.get("/me", cookie).body, "ada");
  const std::size_t begin = cookie.find('=') + 1;
  for (std::size_t at = begin; at < cookie.size(); ++at) {
    std::string forged = cookie;
    forged[at] = forged[at] == 'A' ? 'B' : 'A';
    EXPECT_EQ(app.get("/me", forged).body, "nobody") << at;
    EXPECT_EQ(app.get("/me", cookie.substr(0, at)).body, "nobody") << at;
  }
  EXPECT_EQ(app.get("/me", cookie + "A").body, "nobody");
  EXPECT_EQ(app.get("/me", cookie + "=").body, "nobody");
}

TEST(SignedSessions, OfAnotherKeyOrAnotherCookieAreNone) {
  VisitApp app(signed_by({kKey}));
  VisitApp other(signed_by({kOtherKey}));
  const std::string cookie = other.log_in("ada");
  EXPECT_EQ(other.get("/me", cookie).body, "ada");
  EXPECT_EQ(app.get("/me", cookie).body, "nobody");

  const SessionRecord record = {.user = "ada", .began = 0, .seen = 0, .data = {}, .flashes = {}};
  const SignedCookie one("one", {kKey});
  EXPECT_TRUE(one.open(one.seal("uA", record)).has_value());
  EXPECT_FALSE(SignedCookie("two", {kKey}).open(one.seal("uA", record)).has_value());
}

TEST(SignedSessions, AnOldKeyIsTakenAndTheNewOneSigns) {
  VisitApp before(signed_by({kOtherKey}));
  VisitApp during(signed_by({kKey, kOtherKey}));
  VisitApp after(signed_by({kKey}));
  const std::string old = before.log_in("ada");
  EXPECT_EQ(during.get("/me", old).body, "ada");
  EXPECT_EQ(after.get("/me", old).body, "nobody");
  const std::string renewed = cookie_of(during.post("/cart/1", old));
  EXPECT_EQ(after.get("/me", renewed).body, "ada");
  EXPECT_EQ(before.get("/me", renewed).body, "nobody");
}

TEST(SignedSessions, EndByTheClockWhateverTheBrowserKeeps) {
  VisitApp app(signed_by({kKey}));
  const std::string cookie = app.log_in("ada");
  app.client().advance(minutes(20));
  const std::string noted = cookie_of(app.get("/me", cookie));
  EXPECT_NE(noted, "");
  app.client().advance(minutes(20));
  EXPECT_EQ(app.get("/me", cookie).body, "nobody");
  EXPECT_EQ(app.get("/me", noted).body, "ada");
}

TEST(SignedSessions, OneTooLargeForACookieIsA500AndTheOldOneStays) {
  VisitApp app(signed_by({kKey}));
  const std::string cookie = cookie_of(app.post("/language/de"));
  const TestResponse large = app.post("/language/" + std::string(4000, 'x'), cookie);
  EXPECT_EQ(large.status, 500);
  EXPECT_EQ(large.header("Set-Cookie"), std::nullopt);
  EXPECT_TRUE(app.get("/look", cookie).body.contains("\"de\""));
}

TEST(SignedSessions, CannotBeEndedFromHere) {
  VisitApp app(signed_by({kKey}));
  EXPECT_EQ(app.post("/end-all/ada").status, 500);
}

TEST(SessionAttacks, AReaderOfTheStoreHasNothingThatOpensASession) {
  const auto store = std::make_shared<MemoryStore>(MemorySessions{});
  VisitApp app({.store = store});
  const std::string cookie = app.log_in("ada");
  const std::string id = cookie.substr(cookie.find('=') + 1);
  auto finding = store->find(id);
  finding.start();
  EXPECT_EQ(finding.take(), nullptr);
  const std::string name = to_base64(to_view(sha256("__Host-session " + id)));
  auto by_name = store->find(name);
  by_name.start();
  EXPECT_NE(by_name.take(), nullptr);
  EXPECT_EQ(app.get("/me", "__Host-session=" + name).body, "nobody");
}

TEST(SessionAttacks, IdsAreAllDifferentAndLong) {
  VisitApp app;
  std::set<std::string> ids;
  for (int i = 0; i < 200; ++i) {
    ids.insert(app.log_in("ada"));
  }
  EXPECT_EQ(ids.size(), 200U);
  EXPECT_EQ(ids.begin()->size(), std::string("__Host-session=u").size() + 32);
}

TEST(SessionAttacks, AFloodOfNewSessionsIsBoundedAndDrivesOutNoUsers) {
  const auto store =
      std::make_shared<MemoryStore>(MemorySessions{.count_max = 10, .bytes_max = 100'000});
  VisitApp app({.store = store});
  const std::string ada = app.log_in("ada");
  const std::string first = cookie_of(app.post("/cart/1"));
  for (int i = 0; i < 100; ++i) {
    (void)app.post("/cart/1");
    EXPECT_LE(store->size(), 10U);
  }
  EXPECT_EQ(app.get("/me", ada).body, "ada");
  EXPECT_EQ(app.get("/cart", first).body, "[]");
  const std::string large(20'000, 'x');
  for (int i = 0; i < 20; ++i) {
    (void)app.post("/language/" + large.substr(0, 5'000));
    EXPECT_LE(store->bytes(), 100'000U);
  }
  EXPECT_EQ(app.get("/me", ada).body, "ada");
  for (int i = 0; i < 20; ++i) {
    (void)app.log_in("bob");
  }
  EXPECT_EQ(store->size(), 10U);
  EXPECT_EQ(app.get("/me", ada).body, "nobody");
}

TEST(SessionAttacks, AStoreThatFailsIsA503AndNobodyBecomesAStranger) {
  const auto store = std::make_shared<FaultyStore>();
  VisitApp app({.store = store});
  const std::string cookie = app.log_in("ada");
  (void)app.post("/cart/1", cookie);
  store->fault = FaultyStore::Fault::throws;
  for (const Method method : {Method::get, Method::head}) {
    EXPECT_EQ(app.send(method, "/me", cookie).status, 503);
  }
  const TestResponse reply = app.post("/cart/2", cookie);
  EXPECT_EQ(reply.status, 503);
  EXPECT_FALSE(reply.body.contains("disk")) << reply.body;
  EXPECT_EQ(reply.header("Set-Cookie"), std::nullopt);
  EXPECT_EQ(app.post("/login/eve").status, 503);
  EXPECT_EQ(app.get("/plain", cookie).status, 200);
  EXPECT_EQ(app.get("/me").body, "nobody");  // without a cookie, the store is not needed
  store->fault = FaultyStore::Fault::none;
  EXPECT_EQ(app.get("/me", cookie).body, "ada");
  EXPECT_EQ(app.get("/cart", cookie).body, "[1]");
}

TEST(SessionAttacks, AValueThatTheStoreRejectsIsAnErrorOfTheClient) {
  const auto store = std::make_shared<FaultyStore>();
  VisitApp app({.store = store});
  store->fault = FaultyStore::Fault::rejects;
  EXPECT_EQ(app.post("/login/eve").status, 422);
}

TEST(SessionAttacks, AStoreThatHangsIsA503WithinItsDeadline) {
  const auto store = std::make_shared<FaultyStore>();
  VisitApp app({.store = store, .store_within = seconds(2)});
  const std::string cookie = app.log_in("ada");
  store->fault = FaultyStore::Fault::hangs;
  EXPECT_EQ(app.get("/me", cookie).status, 503);
  EXPECT_EQ(app.post("/login/eve").status, 503);
  store->fault = FaultyStore::Fault::none;
  EXPECT_EQ(app.get("/me", cookie).body, "ada");
}

TEST(SessionAttacks, ARequestAtWorkDoesNotBringBackASessionThatIsEnded) {
  VisitApp app;
  app.app().post("/slow", [](Session<Visit> session, State<Sessions> all) -> Task<std::string> {
    session->cart.push_back(1);
    // From another browser of the user.
    const std::size_t count = co_await all->log_out_all("ada");
    session->cart.push_back(2);
    co_return std::to_string(count);
  });
  const std::string cookie = app.log_in("ada");
  const TestResponse reply = app.post("/slow", cookie);
  EXPECT_EQ(reply.body, "1");
  EXPECT_EQ(reply.header("Set-Cookie"), std::nullopt);
  EXPECT_EQ(app.get("/me", cookie).body, "nobody");
  EXPECT_EQ(app.get("/cart", cookie).body, "[]");
}

TEST(SessionAttacks, AResponseThatSetsTheCookieIsNotKeptForOthers) {
  VisitApp app;
  Routes cached = app.app().group("/cached");
  cached.use(response_cache({.ttl = minutes(1)}));
  cached.get("/", [](Session<Visit> session) {
    session->cart.push_back(1);
    return json::to_text(session->cart);
  });
  const std::string one = cookie_of(app.get("/cached/"));
  const std::string two = cookie_of(app.get("/cached/"));
  EXPECT_NE(one, "");
  EXPECT_NE(two, "");
  EXPECT_NE(one, two);
}

TEST(SessionAttacks, APasswordThatIsChangedEndsAllButTheOneThatBeginsAnew) {
  VisitApp app;
  app.app().post("/password", [](Session<> session, State<Sessions> all) -> Task<void> {
    (void)co_await all->log_out_others(session);
  });
  const std::string ada = app.log_in("ada");
  const std::string thief = app.log_in("ada");
  const std::string renewed = cookie_of(app.post("/password", ada));
  EXPECT_EQ(app.get("/me", renewed).body, "ada");
  EXPECT_EQ(app.get("/me", ada).body, "nobody");
  EXPECT_EQ(app.get("/me", thief).body, "nobody");
}

TEST(SessionAttacks, AllOthersCanBeEndedWithoutANewIdAndNeverThoseOfNobody) {
  VisitApp app;
  app.app().post("/others", [](Session<> session, State<Sessions> all) -> Task<std::string> {
    const std::size_t count = co_await all->end_others(session);
    co_return std::to_string(count);
  });
  const std::string nobody = cookie_of(app.post("/cart/7"));
  const std::string ada = app.log_in("ada");
  const std::string thief = app.log_in("ada");
  const std::string bob = app.log_in("bob");
  const TestResponse reply = app.post("/others", ada);
  EXPECT_EQ(reply.body, "1");
  EXPECT_EQ(cookie_of(reply), "") << "tokens of forms belong to the id";
  EXPECT_EQ(app.get("/me", ada).body, "ada");
  EXPECT_EQ(app.get("/me", thief).body, "nobody");
  EXPECT_EQ(app.get("/me", bob).body, "bob");
  EXPECT_EQ(app.post("/others", cookie_of(app.post("/cart/1"))).status, 500);
  EXPECT_EQ(app.get("/cart", nobody).body, "[7]");
}

/// Requests a form, and sends it with its own or another session's cookie.
class CsrfApp {
 public:
  explicit CsrfApp(SessionOptions options) {
    const Sessions visits = add_sessions<Visit>(app_, std::move(options));
    app_.use(csrf({.key = kKey, .session = visits.csrf_binding()}));
    detail::session::test::add_visit_routes(app_);
    app_.get("/form", [](const CsrfToken& token) { return token.text(); });
    app_.post("/write", [](Body) { return "written"; });
    client_ = std::make_unique<TestClient>(app_);
  }
  std::string token(const std::string& cookie) {
    return client_->send({.target = "/form", .headers = {{"Cookie", cookie}}}).body;
  }
  int write(const std::string& cookie, const std::string& token) {
    return client_
        ->send({.method = Method::post,
                .target = "/write",
                .headers = {{"Content-Type", "application/x-www-form-urlencoded"},
                            {"Cookie", cookie + "; __Host-csrf=" + token},
                            {"X-CSRF-Token", token}},
                .body = "a=b"})
        .status;
  }
  std::string log_in(const std::string& user) {
    return cookie_of(client_->send({.method = Method::post,
                                    .target = "/login/" + user,
                                    .headers = {{"Content-Type", "application/json"}}}));
  }
  std::string visit(const std::string& cookie) {
    return cookie_of(
        client_->send({.method = Method::post,
                       .target = "/cart/1",
                       .headers = {{"Content-Type", "application/json"}, {"Cookie", cookie}}}));
  }

 private:
  App app_;
  std::unique_ptr<TestClient> client_;
};

TEST(SessionAttacks, AFormsTokenBelongsToTheSessionOfItsUser) {
  for (const SessionOptions& options : {SessionOptions(), signed_by({kKey})}) {
    CsrfApp app(options);
    const std::string ada = app.log_in("ada");
    const std::string eve = app.log_in("eve");
    ASSERT_TRUE(ada.starts_with("__Host-session=")) << ada;
    const std::string of_ada = app.token(ada);
    EXPECT_EQ(app.write(ada, of_ada), 200);
    EXPECT_EQ(app.write(eve, of_ada), 403);
    EXPECT_EQ(app.write(ada, app.token(eve)), 403);
    EXPECT_EQ(app.write(ada, app.token("other=1")), 403);
    EXPECT_EQ(app.write("other=1", of_ada), 403);
    // The page that creates a session contains a valid form.
    const std::string of_nobody = app.token("other=1");
    const std::string nobody = app.visit("other=1");
    ASSERT_TRUE(nobody.starts_with("__Host-session=")) << nobody;
    EXPECT_EQ(app.write(nobody, of_nobody), 200);
    // With SignedSessions, each write changes the cookie, but it is the same session.
    const std::string changed = app.visit(ada);
    EXPECT_EQ(app.write(changed.empty() ? ada : changed, of_ada), 200);
  }
}

}  // namespace
}  // namespace eider
