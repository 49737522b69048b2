// Sessions over HTTP/2, with concurrent requests of one session.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/app.h"
#include "eider/auth/session/memory_sessions.h"
#include "eider/auth/session/session.h"
#include "eider/auth/session/test_visits.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/sha256.h"
#include "eider/io/runtime/sleep.h"
#include "tests/sim/sim_app.h"
#include "tests/support/h2_server.h"

namespace eider::detail::http2 {
namespace {

using session::MemoryStore;
using session::test::Visit;
using std::chrono::milliseconds;

const std::string kId = "u" + std::string(32, 'A');

std::shared_ptr<MemoryStore> h2_sessions;

void add_session_routes(App& app) {
  h2_sessions = std::make_shared<MemoryStore>(MemorySessions{});
  (void)add_sessions<Visit>(app, {.store = h2_sessions});
  session::test::add_visit_routes(app);
  app.post("/slow/{id}", [](int id, Session<Visit> session) -> Task<std::string> {
    session->cart.push_back(id);
    co_await sleep_for(milliseconds(100));
    co_return "slow";
  });
}

void add_slow_logout(App& app) {
  app.post("/slow-logout", [](Session<> session) -> Task<std::string> {
    session.log_out();
    co_await sleep_for(milliseconds(100));
    co_return "slow";
  });
}

void add_slow_login(App& app) {
  app.post("/slow-login", [](Session<> session) -> Task<std::string> {
    session.log_in(session.user());
    co_await sleep_for(milliseconds(100));
    co_return "slow";
  });
}

void add_all_session_routes(App& app) {
  add_session_routes(app);
  add_slow_logout(app);
  add_slow_login(app);
}

using SessionH2Server = test::H2ServerOf<SimApp<&add_all_session_routes>>;

/// A session of ada, whose ID a client knows.
struct SessionH2 {
  SessionH2() : client(server.connect()) {
    const std::int64_t now =  // the time of the simulated loop
        1'700'000'000 +
        std::chrono::duration_cast<std::chrono::seconds>(server.kernel.now().time_since_epoch())
            .count();
    auto inserting = h2_sessions->insert(
        to_base64(to_view(sha256("__Host-session " + kId))),
        {.user = "__Host-session ada", .began = now, .seen = now, .data = {}, .flashes = {}});
    inserting.start();
    inserting.take();
  }
  void send(std::uint32_t stream, std::string_view method, std::string_view path) {
    client.send(
        test::frame(test::Type::headers, test::kEndHeaders | test::kEndStream, stream,
                    test::head(method, path) + test::literal("cookie", "__Host-session=" + kId)));
    server.kernel.run_until_idle();
  }
  std::string content(std::uint32_t stream) {
    server.kernel.advance(milliseconds(1));
    received += client.take_received();
    return test::received_on(received, stream).content;
  }

  SessionH2Server server;
  SimClient client;
  std::string received;
};

TEST(SessionsH2, AreReadAndWritten) {
  SessionH2 all;
  all.send(1, "GET", "/me");
  EXPECT_EQ(all.content(1), "ada");
  all.send(3, "POST", "/cart/3");
  EXPECT_EQ(all.content(3), "[3]");
  all.send(5, "GET", "/cart");
  EXPECT_EQ(all.content(5), "[3]");
}

TEST(SessionsH2, ARequestThatIsOvertakenByALogoutDoesNotBringTheSessionBack) {
  SessionH2 all;
  all.send(1, "POST", "/slow/1");
  all.send(3, "POST", "/logout");
  EXPECT_EQ(all.content(3), "out");
  EXPECT_EQ(h2_sessions->size(), 0U);
  all.server.kernel.advance(milliseconds(200));
  EXPECT_EQ(all.content(1), "slow");
  EXPECT_EQ(h2_sessions->size(), 0U);
  all.send(5, "GET", "/me");
  EXPECT_EQ(all.content(5), "nobody");
}

TEST(SessionsH2, OfTwoRequestsAtOnceTheMembersThatEachHasChangedAreKept) {
  SessionH2 all;
  all.send(1, "POST", "/slow/1");
  all.send(3, "POST", "/language/de");
  all.send(5, "POST", "/language/fr");
  all.server.kernel.advance(milliseconds(200));
  EXPECT_EQ(all.content(1), "slow");
  all.send(7, "GET", "/look");
  EXPECT_EQ(all.content(7), R"({"cart":[1],"language":"fr"})");
}

TEST(SessionsH2, OfOneMemberThatBothChangeTheLastOneIsKept) {
  SessionH2 all;
  all.send(1, "POST", "/slow/1");
  all.send(3, "POST", "/cart/3");
  all.server.kernel.advance(milliseconds(200));
  all.send(5, "GET", "/cart");
  EXPECT_EQ(all.content(5), "[1]");
}

TEST(SessionsH2, AClientThatLeavesBehindItsLogoutIsLoggedOut) {
  SessionH2 all;
  all.send(1, "POST", "/slow-logout");
  EXPECT_EQ(h2_sessions->size(), 1U);
  all.client.send(test::frame(test::Type::rst_stream, 0, 1, test::word(8)));
  all.server.kernel.run_until_idle();
  EXPECT_EQ(h2_sessions->size(), 0U);
  all.send(3, "GET", "/me");
  EXPECT_EQ(all.content(3), "nobody");
}

TEST(SessionsH2, OfTwoRenewalsAtOnceOneSessionIsLeft) {
  SessionH2 all;
  all.send(1, "POST", "/slow-login");
  all.send(3, "POST", "/login/ada");
  EXPECT_EQ(all.content(3), "in");
  all.server.kernel.advance(milliseconds(200));
  EXPECT_EQ(all.content(1), "slow");
  EXPECT_EQ(h2_sessions->size(), 1U);
}

TEST(SessionsH2, AServerThatEndsAmidALogoutDoesSoInOrder) {
  SessionH2 all;
  all.send(1, "POST", "/slow-logout");
}

TEST(SessionsH2, AClientThatLeavesAmidChangesNothing) {
  SessionH2 all;
  all.send(1, "POST", "/slow/1");
  all.client.send(test::frame(test::Type::rst_stream, 0, 1, test::word(8)));
  all.server.kernel.advance(milliseconds(200));
  all.send(3, "GET", "/cart");
  EXPECT_EQ(all.content(3), "[]");
}

}  // namespace
}  // namespace eider::detail::http2
