#include "eider/auth/session/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "eider/app/handlers/producing.h"
#include "eider/app/handlers/websocket.h"
#include "eider/auth/session/memory_sessions.h"
#include "eider/auth/session/test_visits.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/sleep.h"

namespace eider {
namespace {

using detail::session::MemoryStore;
using detail::session::test::cookie_of;
using detail::session::test::Visit;
using detail::session::test::VisitApp;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

/// The Visit of an earlier version of the application.
struct Old {
  std::vector<int> cart = {};
  int language = 7;
  bool is_gone = false;
};

const std::string kPlanted = "__Host-session=u" + std::string(32, 'A');

TEST(Sessions, AStructIsKeptFromRequestToRequest) {
  VisitApp app;
  const TestResponse first = app.post("/cart/1");
  EXPECT_EQ(first.body, "[1]");
  const std::string cookie = cookie_of(first);
  EXPECT_TRUE(cookie.starts_with("__Host-session=a")) << cookie;
  EXPECT_EQ(app.post("/cart/2", cookie).body, "[1,2]");
  EXPECT_EQ(app.get("/cart", cookie).body, "[1,2]");
  EXPECT_EQ(app.get("/cart").body, "[]");
}

TEST(Sessions, TheCookieIsForThisHostOverTlsAndNotForScripts) {
  VisitApp app;
  const TestResponse reply = app.post("/cart/1");
  const std::string set(reply.header("Set-Cookie").value_or(""));
  EXPECT_EQ(set.substr(set.find(';')), "; Path=/; SameSite=Lax; Secure; HttpOnly");
  EXPECT_EQ(reply.header("Cache-Control"), "no-store");

  VisitApp kept({.cookie = "visit", .is_secure = false, .outlasts_browser = true});
  const std::string in_the_clear(kept.post("/cart/1").header("Set-Cookie").value_or(""));
  EXPECT_TRUE(in_the_clear.starts_with("visit=")) << in_the_clear;
  EXPECT_TRUE(in_the_clear.contains("Max-Age=43200")) << in_the_clear;
  EXPECT_FALSE(in_the_clear.contains("Secure")) << in_the_clear;
}

TEST(Sessions, AreCalledAsBrowsersAllowWhereNobodySaysHow) {
  EXPECT_TRUE(VisitApp().log_in("ada").starts_with("__Host-session="));
  EXPECT_TRUE(VisitApp({.is_secure = false}).log_in("ada").starts_with("session="));
}

TEST(Sessions, KnowTheirUserWithoutAStruct) {
  App app;
  (void)add_sessions(app);
  app.get("/me", [](Session<> session) { return session.user(); });
  app.post("/login", [](Session<> session) {
    session.log_in("ada");
    session.flash("info", "in");
  });
  app.get("/flash", [](Session<> session) { return session.take_flashes().at(0).text; });
  TestClient client(app, {.keeps_cookies = true});
  client.post("/login", json::Value());
  EXPECT_EQ(client.get("/me").body, "ada");
  EXPECT_EQ(client.get("/flash").body, "in");
}

TEST(Sessions, NothingIsStoredAndNoCookieSetBeforeSomethingIsWritten) {
  const auto store = std::make_shared<MemoryStore>(MemorySessions{});
  VisitApp app({.store = store});
  for (const char* target : {"/plain", "/cart", "/look", "/me"}) {
    const TestResponse reply = app.get(target);
    EXPECT_EQ(reply.status, 200) << target;
    EXPECT_EQ(reply.header("Set-Cookie"), std::nullopt) << target;
    EXPECT_EQ(app.get(target, kPlanted).header("Set-Cookie"), std::nullopt) << target;
  }
  EXPECT_EQ(app.post("/language/en").header("Set-Cookie"), std::nullopt);  // equal to the default
  EXPECT_EQ(store->size(), 0U);
}

TEST(Sessions, AnIdThatTheServerHasNotMadeIsNeverTaken) {
  VisitApp app;
  const std::string made = cookie_of(app.post("/cart/1", kPlanted));
  EXPECT_NE(made, kPlanted);
  EXPECT_EQ(app.get("/cart", kPlanted).body, "[]");
  EXPECT_EQ(app.get("/cart", made).body, "[1]");
  for (const std::string id :
       {"", "u", "a", "../../etc/passwd", "'; drop table eider_sessions;--"}) {
    EXPECT_EQ(app.get("/me", "__Host-session=" + id).body, "nobody") << id;
  }
  EXPECT_EQ(app.get("/me", "__Host-session=" + std::string(7000, 'u')).body, "nobody");
}

TEST(Sessions, ALoginChangesTheIdSoThatAPlantedOneOpensNothing) {
  VisitApp app;
  const std::string before = cookie_of(app.post("/cart/1"));  // known to an attacker
  const std::string after = app.log_in("ada", before);
  EXPECT_NE(after, before);
  EXPECT_TRUE(after.starts_with("__Host-session=u")) << after;
  EXPECT_EQ(app.get("/me", after).body, "ada");
  EXPECT_EQ(app.get("/cart", after).body, "[1]");  // the contents stay
  EXPECT_EQ(app.get("/me", before).body, "nobody");
  EXPECT_EQ(app.get("/cart", before).body, "[]");
  const std::string again = app.log_in("ada", after);
  EXPECT_NE(again, after);
  EXPECT_EQ(app.get("/me", after).body, "nobody");
}

TEST(Sessions, WhatOneUserHasKeptIsNotTheNextOnes) {
  VisitApp app;
  const std::string ada = app.log_in("ada");
  (void)app.post("/cart/1", ada);
  const std::string bob = app.log_in("bob", ada);
  EXPECT_EQ(app.get("/me", bob).body, "bob");
  EXPECT_EQ(app.get("/cart", bob).body, "[]");
}

TEST(Sessions, AStolenCookieIsWorthNothingBehindTheLogout) {
  VisitApp app;
  const std::string cookie = app.log_in("ada");
  const TestResponse out = app.post("/logout", cookie);
  EXPECT_TRUE(out.header("Set-Cookie")->contains("Max-Age=0")) << *out.header("Set-Cookie");
  EXPECT_EQ(cookie_of(out), "__Host-session=");
  EXPECT_EQ(app.get("/me", cookie).body, "nobody");
  EXPECT_EQ(app.post("/logout").header("Set-Cookie"), std::nullopt);  // no user is logged in
}

TEST(Sessions, AllOfAUsersAreEndedAndNobodyElses) {
  VisitApp app;
  const std::string at_home = app.log_in("ada");
  const std::string at_work = app.log_in("ada");
  const std::string bob = app.log_in("bob");
  EXPECT_EQ(app.post("/end-all/ada", at_home).body, "2");
  EXPECT_EQ(app.get("/me", at_home).body, "nobody");
  EXPECT_EQ(app.get("/me", at_work).body, "nobody");
  EXPECT_EQ(app.get("/me", bob).body, "bob");
  EXPECT_EQ(app.post("/end-all/ada").body, "0");
  EXPECT_EQ(app.post("/end-all/ad").body, "0");
}

TEST(Sessions, AUserSeesHisOwnAndEndsOneByItsName) {
  VisitApp app;
  app.app().get("/sessions", [](Session<> session, State<Sessions> all) -> Task<std::string> {
    const std::vector<KnownSession> known = co_await all->list(session.user());
    co_return json::to_text(known);
  });
  app.app().del(
      "/sessions",
      [](Session<> session, Header<"name", std::string> name, State<Sessions> all) -> Task<bool> {
        const bool is_ended = co_await all->end(session.user(), *name);
        co_return is_ended;
      });
  const std::string ada = app.log_in("ada");
  app.client().advance(minutes(1));
  const std::string other = app.log_in("ada");
  const std::string bob = app.log_in("bob");
  const auto known = app.get("/sessions", ada).json<std::vector<KnownSession>>();
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(std::abs(known[0].began - known[1].began), 60);
  const auto newer = std::ranges::max(known, {}, &KnownSession::began);
  EXPECT_EQ(app.get("/me", "__Host-session=" + newer.name).body, "nobody");  // it grants no access
  const auto end = [&](const std::string& cookie) {
    return app.client()
        .send({.method = Method::delete_,
               .target = "/sessions",
               .headers = {{"Cookie", cookie}, {"Name", newer.name}}})
        .body;
  };
  EXPECT_EQ(end(bob), "false");
  EXPECT_EQ(app.get("/me", other).body, "ada");
  EXPECT_EQ(end(ada), "true");
  EXPECT_EQ(app.get("/me", other).body, "nobody");
  EXPECT_EQ(app.get("/me", ada).body, "ada");
}

TEST(Sessions, OneThatNobodyUsesEndsByTheClockAndOneThatIsUsedDoesNot) {
  VisitApp app;
  const std::string used = app.log_in("ada");
  const std::string unused = app.log_in("ada");
  for (int i = 0; i < 4; ++i) {
    app.client().advance(minutes(14));
    EXPECT_EQ(app.get("/me", used).body, "ada") << i;
  }
  EXPECT_EQ(app.get("/me", unused).body, "nobody");
  app.client().advance(minutes(30));
  EXPECT_EQ(app.get("/me", used).body, "nobody");
}

TEST(Sessions, OneEndsInTheEndHoweverMuchItIsUsed) {
  VisitApp app({.idle = minutes(30), .absolute = hours(1)});
  const std::string cookie = app.log_in("ada");
  for (int i = 0; i < 2; ++i) {
    app.client().advance(minutes(25));
    EXPECT_EQ(app.post("/cart/1", cookie).status, 200);
    EXPECT_EQ(app.get("/me", cookie).body, "ada");
  }
  app.client().advance(minutes(10));
  EXPECT_EQ(app.get("/me", cookie).body, "nobody");
}

TEST(Sessions, OldOnesAreForgotten) {
  const auto store = std::make_shared<MemoryStore>(MemorySessions{});
  VisitApp app({.store = store});
  (void)app.log_in("ada");
  (void)app.post("/cart/1");
  EXPECT_EQ(store->size(), 2U);
  app.client().advance(minutes(29));
  EXPECT_EQ(store->size(), 2U);
  app.client().advance(minutes(20));
  EXPECT_EQ(store->size(), 0U);
  EXPECT_EQ(store->bytes(), 0U);
}

TEST(Sessions, AFailureKeepsNothingButALogout) {
  VisitApp app;
  app.app().post("/broken", [](Session<Visit> session) -> Result<void> {
    session->cart.push_back(9);
    session.flash("info", "done");
    session.log_in("eve");
    throw std::runtime_error("broken");
  });
  app.app().post("/broken-logout", [](Session<> session) {
    session.log_out();
    session.log_in("eve");
    throw std::runtime_error("broken");
  });
  const std::string cookie = app.log_in("ada");
  (void)app.post("/cart/1", cookie);
  const TestResponse broken = app.post("/broken", cookie);
  EXPECT_EQ(broken.status, 500);
  EXPECT_EQ(broken.header("Set-Cookie"), std::nullopt);
  EXPECT_EQ(app.get("/me", cookie).body, "ada");
  EXPECT_EQ(app.get("/cart", cookie).body, "[1]");
  app.client().advance(minutes(5));  // the use must be recorded, and nothing else
  EXPECT_EQ(app.post("/broken", cookie).status, 500);
  EXPECT_EQ(app.get("/cart", cookie).body, "[1]");
  EXPECT_EQ(cookie_of(app.post("/broken-logout", cookie)), "__Host-session=");
  EXPECT_EQ(app.get("/me", cookie).body, "nobody");
}

TEST(Sessions, ARefusalBelow500KeepsWhatWasChanged) {
  VisitApp app;
  app.app().post("/refused", [](Session<Visit> session) -> Result<void> {
    session->cart.push_back(9);
    return fail(Error::conflict("no"));
  });
  const TestResponse reply = app.post("/refused");
  EXPECT_EQ(reply.status, 409);
  EXPECT_EQ(app.get("/cart", cookie_of(reply)).body, "[9]");
}

TEST(Sessions, AMessageIsShownOnceBehindARedirect) {
  VisitApp app;
  app.app().post("/save", [](Session<> session) {
    session.flash("info", "Saved.");
    session.flash(Error::invalid({{"/starts", "is taken"}}));
    session.flash("error", "\"Not\" all.");
    return Redirect("/shown");
  });
  app.app().get("/shown", [](Session<> session) {
    std::string all;
    for (const Flash& flash : session.take_flashes()) {
      all += flash.kind + ":" + flash.text + ";";
    }
    return all;
  });
  const std::string cookie = cookie_of(app.post("/save"));
  EXPECT_EQ(app.get("/me", cookie).body, "nobody");  // a page that does not show them keeps them
  EXPECT_EQ(app.get("/shown", cookie).body,
            "info:Saved.;error:Starts: is taken.;error:\"Not\" all.;");
  EXPECT_EQ(app.get("/shown", cookie).body, "");
}

TEST(Sessions, AMessageIsLeftBehindALogout) {
  VisitApp app;
  app.app().post("/bye", [](Session<> session) {
    session.log_out();
    session.flash("info", "Bye.");
  });
  app.app().get("/shown", [](Session<> session) { return session.take_flashes().size(); });
  const std::string cookie = app.log_in("ada");
  const std::string after = cookie_of(app.post("/bye", cookie));
  EXPECT_TRUE(after.starts_with("__Host-session=a")) << after;
  EXPECT_EQ(app.get("/me", after).body, "nobody");
  EXPECT_EQ(app.get("/shown", after).body, "1");
  EXPECT_EQ(app.get("/me", cookie).body, "nobody");
}

TEST(Sessions, AreChangedUntilTheHeadLeavesAndNotLater) {
  VisitApp app;
  app.app().get("/streamed", [](Session<Visit> session) {
    session->cart.push_back(1);
    return Streamed("text/plain", [session](ResponseStream out) -> Task<> {
      bool is_too_late = false;
      try {
        session->cart.push_back(2);
      } catch (const std::logic_error&) {
        is_too_late = true;
      }
      co_await out.write(is_too_late ? "too late" : "");
    });
  });
  app.app().get("/told", [](Session<const Visit> session, ResponseStream out) -> Task<> {
    const std::string text = json::to_text(session->cart);
    co_await out.write(text);
  });
  const TestResponse reply = app.get("/streamed");
  EXPECT_EQ(reply.body, "too late");
  EXPECT_EQ(app.get("/cart", cookie_of(reply)).body, "[1]");
  EXPECT_EQ(app.get("/told", cookie_of(reply)).body, "[1]");
}

TEST(Sessions, AWebSocketReadsWhatWasThereWhenItWasOpened) {
  VisitApp app;
  app.app().ws("/socket", [](Session<const Visit> session, WebSocket socket) -> Task<> {
    const std::string text = session.user() + json::to_text(session->cart);
    co_await socket.send(text);
  });
  const std::string cookie = app.log_in("ada");
  (void)app.post("/cart/7", cookie);
  auto socket = app.client().websocket("/socket", {{"Cookie", cookie}});
  EXPECT_EQ(socket.receive().value().bytes, "ada[7]");
}

TEST(Sessions, ABlockingHandlerHasThemToo) {
  VisitApp app;
  app.app().post("/blocking", blocking([](Session<Visit> session) {
                   session->cart.push_back(5);
                   return "ok";
                 }));
  EXPECT_EQ(app.get("/cart", cookie_of(app.post("/blocking"))).body, "[5]");
}

TEST(Sessions, AMemberThatTheStructOfTodayDoesNotHaveTakesTheOthersNotAway) {
  const auto store = memory_sessions();
  std::string cookie;
  {
    App app;
    const Sessions old = add_sessions<Old>(app, {.store = store});
    app.post("/", [](Session<Old> session) {
      session->cart = {1, 2};
      session->is_gone = true;
      session.log_in("ada");
    });
    TestClient client(app);
    cookie = cookie_of(client.send({.method = Method::post, .target = "/"}));
  }
  VisitApp app({.store = store});
  EXPECT_EQ(app.get("/look", cookie).body, "{\"cart\":[1,2],\"language\":\"en\"}");
  EXPECT_EQ(app.get("/me", cookie).body, "ada");
}

TEST(Sessions, OneThatIsTooLargeIsA500ThatSaysSoInTheLog) {
  VisitApp app({.data_bytes_max = 100});
  EXPECT_EQ(app.post("/language/" + std::string(200, 'x')).status, 500);
  EXPECT_EQ(app.post("/language/de").status, 200);
}

TEST(Sessions, WhatCannotBeIsToldAtOnce) {
  const auto told = [](SessionOptions options) {
    try {
      App app;
      (void)add_sessions<Visit>(app, std::move(options));
    } catch (const Failure& failure) {
      return std::string(failure.what());
    }
    return std::string();
  };
  EXPECT_EQ(told({}), "");
  EXPECT_NE(told({.idle = Duration(0)}), "");
  EXPECT_NE(told({.absolute = std::chrono::milliseconds(999)}), "");
  EXPECT_NE(told({.cookie = "__Host-session", .is_secure = false}), "");
  EXPECT_NE(told({.cookie = "a b"}), "");
  EXPECT_NE(told({.store = SignedSessions{}}), "");
  EXPECT_NE(told({.store = SignedSessions{{std::string(31, 'k')}}}), "");
}

TEST(Sessions, OfAnAppWithoutThemAreToldAtStart) {
  App app;
  app.get("/", [](Session<Visit>) { return "x"; });
  const auto service = app.make_service();
  ASSERT_FALSE(service.has_value());
  EXPECT_TRUE(service.error().cause().contains("GET / needs a")) << service.error().cause();
}

}  // namespace
}  // namespace eider
