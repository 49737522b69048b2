// Sessions where features meet: two applications, guards and handlers, a logout and later failures
// or disconnects, a revocation and a renewal, responses and caches.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/auth/session/session.h"
#include "eider/auth/session/test_faulty_store.h"
#include "eider/auth/session/test_visits.h"
#include "eider/auth/session/users.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/sha256.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"
#include "eider/web/middleware/caching.h"
#include "eider/web/middleware/limits.h"
#include "eider/web/middleware/response_cache.h"

namespace eider {
namespace {

using detail::session::Entry;
using detail::session::MemoryStore;
using detail::session::test::cookie_of;
using detail::session::test::FaultyStore;
using detail::session::test::Visit;
using detail::session::test::VisitApp;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using Fault = FaultyStore::Fault;

std::string value_of(const std::string& cookie) {
  return cookie.substr(cookie.find('=') + 1);
}

TEST(SessionSeams, OnOneStoreOneApplicationsOpenNothingOfAnothers) {
  const auto store = memory_sessions();
  VisitApp shop({.store = store, .cookie = "__Host-shop"});
  VisitApp office({.store = store, .cookie = "__Host-office"});
  VisitApp blog({.store = store, .cookie = "__Host-shop", .space = "blog"});
  VisitApp second_shop({.store = store, .cookie = "__Host-shop"});
  const std::string ada = shop.log_in("ada");
  EXPECT_EQ(shop.get("/me", ada).body, "ada");
  EXPECT_EQ(second_shop.get("/me", ada).body, "ada");
  EXPECT_EQ(blog.get("/me", ada).body, "nobody");
  EXPECT_EQ(office.get("/me", "__Host-office=" + value_of(ada)).body, "nobody");
  EXPECT_EQ(office.post("/end-all/ada").body, "0");
  EXPECT_EQ(blog.post("/end-all/ada").body, "0");
  EXPECT_EQ(shop.get("/me", ada).body, "ada");
  EXPECT_EQ(second_shop.post("/end-all/ada").body, "1");
  EXPECT_THROW(VisitApp({.space = "a b"}), Failure);
}

TEST(SessionSeams, WithOneKeyOneApplicationsCookieIsNoneOfAnothers) {
  const SignedSessions cookies = {{std::string(32, 'k')}};
  VisitApp shop({.store = cookies});
  VisitApp blog({.store = cookies, .space = "blog"});
  const std::string ada = shop.log_in("ada");
  EXPECT_EQ(shop.get("/me", ada).body, "ada");
  EXPECT_EQ(blog.get("/me", ada).body, "nobody");
}

App make_mounted_app() {
  App inner;
  (void)add_sessions<Visit>(inner, {.cookie = "__Host-inner"});
  detail::session::test::add_visit_routes(inner);
  return inner;
}

TEST(SessionSeams, ALoginToAMountedAppIsNoneToTheOuterOne) {
  App app;
  const Sessions outer = add_sessions<Visit>(app, {.cookie = "__Host-outer"});
  app.get("/me", [](Session<> session) { return session.user(); });
  app.guard([](Session<const Visit>) {});  // so that both are loaded
  app.mount("/inner", make_mounted_app());
  TestClient client(app);
  const TestResponse reply = client.send({.method = Method::post, .target = "/inner/login/ada"});
  const std::string cookie = cookie_of(reply);
  EXPECT_TRUE(cookie.starts_with("__Host-inner=u")) << cookie;
  for (const auto& [name, value] : reply.headers) {
    EXPECT_FALSE(value.contains("__Host-outer")) << value;
  }
  const TestResponse me =
      client.send({.target = "/me", .headers = {{"Cookie", "__Host-outer=" + value_of(cookie)}}});
  EXPECT_EQ(me.body, "");
}

TEST(SessionSeams, WhatIsEndedDoesNotComeBackWithAStructThatIsAskedForLater) {
  const std::string data = R"({"cart":[1,2],"language":"de"})";
  for (const bool is_ended : {true, false}) {
    Entry entry(Entry::Origin{});
    entry.open("uA", {.user = "ada", .data = data, .flashes = {}});
    if (is_ended) {
      entry.end();
    } else {
      entry.log_in("bob");
    }
    EXPECT_TRUE(entry.attach<Visit>()->cart.empty());
    EXPECT_EQ(entry.next().data, "");
  }
  Entry entry(Entry::Origin{});
  entry.open("uA", {.user = "ada", .data = data, .flashes = {}});
  entry.log_in("ada");
  EXPECT_EQ(entry.attach<Visit>()->cart.size(), 2U);
}

TEST(SessionSeams, AUseThatCannotBeNotedFailsNoReader) {
  for (const Fault fault : {Fault::overtaken, Fault::throws, Fault::hangs}) {
    const auto store = std::make_shared<FaultyStore>();
    VisitApp app({.store = store});
    const std::string ada = app.log_in("ada");
    app.client().advance(minutes(10));
    store->fault = fault;
    store->only_in = "replace";
    const TestResponse read = app.get("/me", ada);
    EXPECT_EQ(read.status, 200);
    EXPECT_EQ(read.body, "ada");
    EXPECT_EQ(app.post("/cart/1", ada).status, 503);  // lost changes are reported
    store->fault = Fault::none;
    EXPECT_EQ(app.get("/cart", ada).body, "[]");
  }
}

TEST(SessionSeams, AStoreThatThrowsAheadOfItsTaskIsA503) {
  const auto store = std::make_shared<FaultyStore>();
  VisitApp app({.store = store});
  const std::string ada = app.log_in("ada");
  store->fault = Fault::throws_at_once;
  const TestResponse reply = app.get("/me", ada);
  EXPECT_EQ(reply.status, 503);
  EXPECT_FALSE(reply.body.contains("disk")) << reply.body;
}

/// Handlers that renew a session which another request ends in the meantime.
void add_renewals(VisitApp& app) {
  app.app().post("/renew-late", [](Session<Visit> session, State<Sessions> all) -> Task<void> {
    session->cart.push_back(1);
    (void)co_await all->log_out_all("ada");  // from another browser of the user
    session.log_in("ada");
  });
  app.app().post("/renew-early", [](Session<> session, State<Sessions> all) -> Task<void> {
    session.log_in(session.user());
    (void)co_await all->log_out_all("ada");
  });
  app.app().post("/others-late", [](Session<> session, State<Sessions> all) -> Task<void> {
    (void)co_await all->log_out_others(session);
    (void)co_await all->log_out_all("ada");
  });
  app.app().post("/others", [](Session<> session, State<Sessions> all) -> Task<std::string> {
    const std::size_t count = co_await all->log_out_others(session);
    co_return std::to_string(count);
  });
}

TEST(SessionSeams, ARenewalDoesNotBringBackWhatWasEndedMeanwhile) {
  VisitApp app;
  add_renewals(app);
  for (const char* target : {"/renew-late", "/renew-early", "/others-late"}) {
    const std::string ada = app.log_in("ada");
    const TestResponse reply = app.post(target, ada);
    EXPECT_EQ(reply.header("Set-Cookie"), std::nullopt) << target;
    EXPECT_EQ(app.get("/me", ada).body, "nobody") << target;
    EXPECT_EQ(app.post("/end-all/ada").body, "0") << target;
  }
}

TEST(SessionSeams, AllButTheOneThatAsksAreEndedAndThatHasANewId) {
  VisitApp app;
  add_renewals(app);
  const std::string ada = app.log_in("ada");
  const std::string thief = app.log_in("ada");
  const std::string bob = app.log_in("bob");
  (void)app.post("/cart/1", ada);
  const TestResponse reply = app.post("/others", ada);
  EXPECT_EQ(reply.body, "1");
  const std::string renewed = cookie_of(reply);
  EXPECT_EQ(app.get("/me", renewed).body, "ada");
  EXPECT_EQ(app.get("/cart", renewed).body, "[1]");
  EXPECT_EQ(app.get("/me", ada).body, "nobody");
  EXPECT_EQ(app.get("/me", thief).body, "nobody");
  EXPECT_EQ(app.get("/me", bob).body, "bob");
  EXPECT_EQ(app.post("/others").status, 500);  // without a user
  EXPECT_EQ(app.get("/me", bob).body, "bob");
}

// A new password ends the existing sessions, but not one that is just being stored.
TEST(SessionSeams, ALoginWhoseProofIsRevokedMeanwhileGetsNoSession) {
  const auto store = std::make_shared<MemoryStore>(MemorySessions{});
  VisitApp visits({.store = store});
  bool is_good = true;
  visits.app().post("/prove/{user}", [&](std::string user, Session<> session) {
    session.log_in(std::move(user), [&]() -> Task<bool> {
      EXPECT_EQ(store->size(), 1U);  // a later revocation finds it
      co_return is_good;
    });
    return "in";
  });
  is_good = false;
  const TestResponse late = visits.post("/prove/ada");
  EXPECT_EQ(late.status, 401);
  EXPECT_EQ(cookie_of(late), "");
  EXPECT_EQ(store->size(), 0U);
  is_good = true;
  const TestResponse reply = visits.post("/prove/ada");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(visits.get("/me", cookie_of(reply)).body, "ada");
}

TEST(SessionSeams, AProofThatCannotBeAskedForGivesNoSession) {
  VisitApp visits;
  visits.app().post("/prove/{user}", [](std::string user, Session<> session) {
    session.log_in(std::move(user), []() -> Task<bool> {
      throw Failure(Error::unavailable("The database is away."));
      co_return true;
    });
    return "in";
  });
  const TestResponse reply = visits.post("/prove/ada");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(cookie_of(reply), "");
}

// A reset ends all sessions and logs its browser in: the old session is gone, the check is current.
TEST(SessionSeams, ALoginWithAProofGetsASessionWhereItsBrowsersWasEnded) {
  VisitApp visits;
  const auto is_good = std::make_shared<bool>(true);
  visits.app().post("/reset", [is_good](Session<> session, State<Sessions> all) -> Task<void> {
    (void)co_await all->log_out_all("ada");
    session.log_in("ada", [is_good]() -> Task<bool> { co_return *is_good; });
    session.flash("info", "You have a new password.");
  });
  visits.app().get("/told", [](Session<> session) { return session.take_flashes().at(0).text; });
  const std::string old = visits.log_in("ada");
  const std::string renewed = cookie_of(visits.post("/reset", old));
  EXPECT_NE(renewed, "");
  EXPECT_EQ(visits.get("/me", old).body, "nobody");
  EXPECT_EQ(visits.get("/me", renewed).body, "ada");
  EXPECT_EQ(visits.get("/told", renewed).body, "You have a new password.");
  *is_good = false;
  const TestResponse late = visits.post("/reset", renewed);
  EXPECT_EQ(late.status, 401);
  EXPECT_EQ(cookie_of(late), "");
  EXPECT_EQ(visits.post("/end-all/ada").body, "0");
}

TEST(SessionSeams, AProofIsAskedForAlsoWhereTheLoginEndsAllOthers) {
  VisitApp visits;
  const auto is_good = std::make_shared<bool>(true);
  visits.app().post("/alone", [is_good](Session<> session, State<Sessions> all) -> Task<void> {
    session.log_in("ada", [is_good]() -> Task<bool> { co_return *is_good; });
    (void)co_await all->log_out_others(session);
  });
  EXPECT_EQ(visits.get("/me", cookie_of(visits.post("/alone"))).body, "ada");
  *is_good = false;
  EXPECT_EQ(visits.post("/alone").status, 401);
  EXPECT_EQ(visits.post("/end-all/ada").body, "0");
}

TEST(SessionSeams, AProofIsCheckedAlsoIfTheUserIsLoggedInAlready) {
  const SignedSessions cookies = {{std::string(32, 'k')}};
  for (const SessionOptions& options : {SessionOptions{}, SessionOptions{.store = cookies}}) {
    VisitApp visits(options);
    const auto is_good = std::make_shared<bool>(false);
    visits.app().post("/prove", [is_good](Session<> session) {
      session.log_in("ada", [is_good]() -> Task<bool> { co_return *is_good; });
      return "in";
    });
    const TestResponse late = visits.post("/prove", visits.log_in("ada"));
    EXPECT_EQ(late.status, 401);
    EXPECT_EQ(cookie_of(late), "");
    *is_good = true;
    const TestResponse reply = visits.post("/prove", visits.log_in("ada"));
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(visits.get("/me", cookie_of(reply)).body, "ada");
  }
}

TEST(SessionSeams, ARenewalGivesNoMoreTime) {
  const SignedSessions cookies = {{std::string(32, 'k')}};
  for (const SessionOptions& options : {SessionOptions{.absolute = hours(1)},
                                        SessionOptions{.store = cookies, .absolute = hours(1)}}) {
    VisitApp app(options);
    std::string ada = app.log_in("ada");
    for (int i = 0; i < 5; ++i) {
      app.client().advance(minutes(11));
      ada = app.log_in("ada", ada);
      EXPECT_EQ(app.get("/me", ada).body, "ada") << i;
    }
    app.client().advance(minutes(10));
    EXPECT_EQ(app.get("/me", ada).body, "nobody");
  }
}

TEST(SessionSeams, ALogoutStandsWhateverFailsBehindIt) {
  const auto store = std::make_shared<FaultyStore>();
  VisitApp app({.store = store, .data_bytes_max = 1000});
  app.app().post("/bye/{bytes}", [](std::size_t bytes, Session<> session) {
    session.log_out();
    session.flash("info", std::string(bytes, 'x'));
  });
  const std::string one = app.log_in("ada");
  EXPECT_EQ(app.post("/bye/2000", one).status, 500);
  EXPECT_EQ(app.get("/me", one).body, "nobody");
  const std::string two = app.log_in("ada");
  store->fault = Fault::throws;
  store->only_in = "insert";
  EXPECT_EQ(app.post("/bye/1", two).status, 503);
  EXPECT_EQ(app.get("/me", two).body, "nobody");
}

TEST(SessionSeams, ALogoutStandsWhereItsRequestIsGivenUp) {
  VisitApp app;
  const auto end_slowly = [](Session<> session) -> Task<void> {
    session.log_out();
    co_await sleep_for(hours(1));
  };
  const auto change_slowly = [](Session<Visit> session) -> Task<void> {
    session->cart.push_back(1);
    co_await sleep_for(hours(1));
  };
  app.app().post("/slow-end", end_slowly).use(timeout(seconds(2)));
  app.app().post("/slow-change", change_slowly).use(timeout(seconds(2)));
  const std::string ada = app.log_in("ada");
  EXPECT_EQ(app.post("/slow-change", ada).status, 503);
  EXPECT_EQ(app.get("/cart", ada).body, "[]");
  EXPECT_EQ(app.get("/me", ada).body, "ada");
  EXPECT_EQ(app.post("/slow-end", ada).status, 503);
  EXPECT_EQ(app.get("/me", ada).body, "nobody");
}

TEST(SessionSeams, AResponseMadeFromASessionIsForOneUnlessItsHandlerSaysSo) {
  VisitApp app;
  Routes shared = app.app().group("/shared");
  shared.use(cache_control({.max_age = hours(1), .is_public = true}));
  shared.get("/me", [](Session<> session) { return session.user(); });
  shared.get("/plain", [] { return "plain"; });
  app.app().get("/said", [](Session<const Visit>) {
    return Response::text("all").add_header("Cache-Control", "public, max-age=60");
  });
  for (const char* target : {"/me", "/cart", "/shared/me"}) {
    const TestResponse reply = app.get(target);
    EXPECT_EQ(reply.header("Cache-Control"), "private") << target;
    EXPECT_EQ(reply.header("Vary"), "Cookie") << target;
  }
  EXPECT_EQ(app.get("/said").header("Cache-Control"), "public, max-age=60");
  EXPECT_EQ(app.get("/said").header("Vary"), "Cookie");
  EXPECT_EQ(app.get("/plain").header("Vary"), std::nullopt);
  EXPECT_TRUE(app.get("/shared/plain").header("Cache-Control")->contains("public"));
  const std::string ada = app.log_in("ada");
  EXPECT_EQ(app.post("/logout", ada).header("Cache-Control"), "no-store");
}

TEST(SessionSeams, ACacheKeepsAStrangersPageForNobody) {
  VisitApp app;
  Routes cached = app.app().group("/cached");
  cached.use(response_cache({.ttl = minutes(1)}));
  cached.get("/", [](Session<> session) { return "of " + session.user(); });
  const std::string ada = app.log_in("ada");
  EXPECT_EQ(app.get("/cached/").body, "of ");
  EXPECT_EQ(app.get("/cached/", ada).body, "of ada");
  EXPECT_EQ(app.get("/cached/").body, "of ");
  EXPECT_EQ(app.get("/cached/").header("Age"), std::nullopt);
}

void add_messages(VisitApp& app) {
  app.app().post("/tell/{text}", [](std::string text, Session<> session) {
    session.flash("info", std::move(text));
  });
  app.app().get("/told", [](Session<> session) {
    std::string all;
    for (const Flash& flash : session.take_flashes()) {
      all += flash.text + ";";
    }
    return all;
  });
}

TEST(SessionSeams, OfMessagesThatNobodyTakesTheLastAreKept) {
  const SignedSessions cookies = {{std::string(32, 'k')}};
  for (const SessionOptions& options : {SessionOptions(), SessionOptions{.store = cookies}}) {
    VisitApp app(options);
    add_messages(app);
    std::string cookie;
    const auto tell = [&](const std::string& text) {
      const TestResponse reply = app.post("/tell/" + text, cookie);
      EXPECT_EQ(reply.status, 204) << text;
      cookie = cookie_of(reply).empty() ? cookie : cookie_of(reply);
    };
    for (int i = 0; i < 100; ++i) {
      tell(std::to_string(i));
    }
    const std::string told = app.get("/told", cookie).body;
    EXPECT_TRUE(told.starts_with("80;81;") && told.ends_with("98;99;")) << told;
    for (int i = 0; i < 100; ++i) {
      tell(std::string(700, static_cast<char>('a' + i % 26)));
    }
    EXPECT_EQ(app.get("/told", cookie).body.size(), 2U * 701);
    cookie.clear();
    tell(std::string(1700, 'x'));  // one alone is kept
    EXPECT_EQ(app.get("/told", cookie).body.size(), 1701U);
  }
}

TEST(SessionSeams, AHeadTakesNoMessages) {
  VisitApp app;
  add_messages(app);
  const std::string cookie = cookie_of(app.post("/tell/saved"));
  EXPECT_EQ(app.send(Method::head, "/told", cookie).status, 200);
  EXPECT_EQ(app.get("/told", cookie).body, "saved;");
  EXPECT_EQ(app.get("/told", cookie).body, "");
}

TEST(SessionSeams, OneAccountLogsNobodyElseOutOfAStoreInMemory) {
  const auto store = std::make_shared<MemoryStore>(
      MemorySessions{.count_max = 100, .user_count_max = 4, .bytes_max = 100'000});
  VisitApp app({.store = store});
  const std::string bob = app.log_in("bob");
  const std::string stranger = cookie_of(app.post("/cart/1"));
  const std::string first = app.log_in("ada");
  app.client().advance(minutes(1));
  std::string last;
  for (int i = 0; i < 100; ++i) {
    last = app.log_in("ada");
    (void)app.post("/language/" + std::string(5'000, 'x'), last);
  }
  EXPECT_EQ(store->size(), 6U);
  EXPECT_EQ(app.get("/me", bob).body, "bob");
  EXPECT_EQ(app.get("/cart", stranger).body, "[1]");
  EXPECT_EQ(app.get("/me", first).body, "nobody");
  EXPECT_EQ(app.get("/me", last).body, "ada");
}

TEST(SessionSeams, AMereUseIsNotedInACookieOnceHalfOfItsTimeIsOver) {
  VisitApp app({.store = SignedSessions{{std::string(32, 'k')}}});
  const std::string ada = app.log_in("ada");
  app.client().advance(minutes(14));
  EXPECT_EQ(app.get("/me", ada).header("Set-Cookie"), std::nullopt);
  app.client().advance(minutes(2));
  EXPECT_NE(app.get("/me", ada).header("Set-Cookie"), std::nullopt);
}

/// Stores a session as if by a process whose clock is ahead.
void put_ahead(SessionStore& store, std::int64_t now, std::int64_t ahead_s, const std::string& id) {
  auto inserting = store.insert(to_base64(to_view(sha256("__Host-session " + id))),
                                {.user = "__Host-session ada",
                                 .began = now + ahead_s,
                                 .seen = now + ahead_s,
                                 .data = {},
                                 .flashes = {}});
  inserting.start();
  inserting.take();
}

TEST(SessionSeams, OneOfATimeToComeIsNoneAndAClockThatIsALittleBehindEndsNone) {
  const auto store = std::make_shared<MemoryStore>(MemorySessions{});
  VisitApp app({.store = store});
  app.app().get("/now", [] { return Loop::current().wall_seconds(); });
  const std::int64_t now = std::stoll(app.get("/now").body);
  const std::string far = "u" + std::string(32, 'F');
  const std::string near = "u" + std::string(32, 'N');
  put_ahead(*store, now, 1'000'000, far);
  put_ahead(*store, now, 5, near);
  EXPECT_EQ(app.get("/me", "__Host-session=" + far).body, "nobody");
  EXPECT_EQ(app.get("/me", "__Host-session=" + near).body, "ada");
  const std::string ada = app.log_in("ada");
  app.client().advance(minutes(45));
  EXPECT_EQ(store->size(), 1U);  // a time in the future does not prevent expiry
}

}  // namespace
}  // namespace eider
