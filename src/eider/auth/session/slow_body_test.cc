// Sessions that end while a client still sends the body of its request.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/app.h"
#include "eider/auth/session/session.h"
#include "eider/auth/session/test_faulty_store.h"
#include "eider/auth/session/test_visits.h"
#include "eider/auth/session/users.h"
#include "eider/server/connections.h"
#include "eider/server/context.h"
#include "eider/server/limits.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"

namespace eider {
namespace {

using detail::session::test::FaultyStore;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// An app on simulated connections; clients send the parts of a request at different times.
class SlowBody : public ::testing::Test, public detail::server::ConnectionCounter {
 protected:
  SlowBody() {
    detail::session::test::add_visit_routes(app_);
    app_.post("/keys",
              [this](const UserKey& user, const Request& request) {
                ++keys_made_;
                return user.text + " " + std::string(request.body());
              })
        .guard(require_recent_login(seconds(600)));
    app_.post("/notes", [this](const UserKey& user, const Request& request) {
      ++notes_made_;
      return user.text + " " + std::string(request.body());
    });
    add_users(app_, sessions_, [](const UserKey& key) -> Result<std::string> { return key.text; });
    service_ = app_.make_service().value();
    connections_ = std::make_unique<detail::server::Connections>(
        context_.emplace(loop_, *service_, limits_), *this);
    loop_.call([this] { service_->begin(); });
    const std::string reply = exchange("POST /login/ada HTTP/1.1\r\nHost: a\r\n", "");
    const std::size_t at = reply.find("__Host-session=");
    cookie_ = "Cookie: " + reply.substr(at, reply.find(';', at) - at) + "\r\n";
  }
  ~SlowBody() override {
    loop_.call([this] { service_->drain(); });
    loop_.call([this] { connections_->close_all(); });
    kernel_.run_until_idle();
  }

  void on_connection_ended() noexcept override {}

  SimClient connect() {
    SimPair pair = kernel_.connect_pair();
    loop_.call([this, &pair] { connections_->open(std::move(pair.server)); });
    return std::move(pair.client);
  }
  std::string exchange(std::string head, std::string_view body) {
    SimClient client = connect();
    begin(client, std::move(head), body.size());
    return finish(client, body);
  }
  void begin(SimClient& client, std::string head, std::size_t body_bytes) {
    client.send(head.append("Content-Length: ").append(std::to_string(body_bytes)) + "\r\n\r\n");
    kernel_.run_until_idle();
  }
  std::string finish(SimClient& client, std::string_view body) {
    client.send(body);
    kernel_.run_until_idle();
    return client.take_received();
  }
  /// Sends the request for a key, and its body after this time.
  std::string make_key_after(Duration time, bool ends_all) {
    SimClient client = connect();
    begin(client, "POST /keys HTTP/1.1\r\nHost: a\r\n" + cookie_, 4);
    if (ends_all) {
      EXPECT_TRUE(exchange("POST /end-all/ada HTTP/1.1\r\nHost: a\r\n", "").ends_with("\r\n\r\n1"));
    }
    kernel_.advance(time);
    return finish(client, "name");
  }
  /// Sends the request for a note, which needs no recent login, and its body after that time.
  std::string make_note_after(Duration time) {
    SimClient client = connect();
    begin(client, "POST /notes HTTP/1.1\r\nHost: a\r\n" + cookie_, 4);
    kernel_.advance(time);
    return finish(client, "text");
  }

  SimKernel kernel_;
  SimLoop loop_{kernel_};
  const std::shared_ptr<FaultyStore> store_ = std::make_shared<FaultyStore>();
  App app_;
  Sessions sessions_ = add_sessions<detail::session::test::Visit>(app_, {.store = store_});
  std::unique_ptr<RequestService> service_;
  Limits limits_{.body = minutes(30)};
  std::optional<detail::server::LoopContext> context_;
  std::unique_ptr<detail::server::Connections> connections_;
  std::string cookie_;
  int keys_made_ = 0;
  int notes_made_ = 0;
};

TEST_F(SlowBody, OfAnEndedSessionDoesNotReachItsHandler) {
  const std::string reply = make_key_after(seconds(5), true);
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 401 ")) << reply;
  EXPECT_TRUE(reply.contains("The session ended before the request was complete.")) << reply;
  EXPECT_TRUE(reply.contains("\r\nWWW-Authenticate: Cookie cookie-name=")) << reply;
  EXPECT_EQ(keys_made_, 0);
}

TEST_F(SlowBody, OfASessionThatGoesOnReachesItsHandler) {
  EXPECT_TRUE(make_key_after(seconds(5), false).ends_with("ada name"));
  EXPECT_EQ(keys_made_, 1);
}

TEST_F(SlowBody, IsTheOnlyOneForWhichTheSessionIsLookedUpAgain) {
  int before = store_->finds;
  EXPECT_TRUE(make_key_after(milliseconds(0), false).ends_with("ada name"));
  EXPECT_TRUE(make_key_after(seconds(1), false).ends_with("ada name"));
  EXPECT_EQ(store_->finds - before, 2);
  before = store_->finds;
  EXPECT_TRUE(make_key_after(milliseconds(1001), false).ends_with("ada name"));
  EXPECT_EQ(store_->finds - before, 2);
}

/// The default of `idle` is 30 minutes.
TEST_F(SlowBody, CountsAsAUseOfTheSessionFromItsHeaders) {
  kernel_.advance(minutes(29));
  SimClient client = connect();
  begin(client, "POST /notes HTTP/1.1\r\nHost: a\r\n" + cookie_, 4);
  kernel_.advance(minutes(10));
  Task<> sweep;
  loop_.call([&] {
    sweep = store_->sweep(Loop::current().wall_seconds() - 1800);
    sweep.start();
  });
  EXPECT_TRUE(finish(client, "text").ends_with("ada text"));
  EXPECT_EQ(notes_made_, 1);
}

TEST_F(SlowBody, DoesNotExtendTheMaximumAgeOfASession) {
  for (int i = 0; i < 26; ++i) {  // 11 hours and 55 minutes of 12 hours
    kernel_.advance(i == 0 ? minutes(15) : minutes(28));
    EXPECT_TRUE(exchange("GET /me HTTP/1.1\r\nHost: a\r\n" + cookie_, "").ends_with("ada")) << i;
  }
  const std::string reply = make_note_after(minutes(10));
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 401 ")) << reply;
  EXPECT_EQ(notes_made_, 0);
}

TEST_F(SlowBody, IsNotedInTheStoreOnce) {
  kernel_.advance(minutes(10));
  const int before = store_->replaces;
  EXPECT_TRUE(make_note_after(minutes(0)).ends_with("ada text"));
  EXPECT_EQ(store_->replaces - before, 1);
  EXPECT_TRUE(make_note_after(minutes(0)).ends_with("ada text"));
  EXPECT_EQ(store_->replaces - before, 1);
}

TEST_F(SlowBody, ThatIsNotSlowNeedsNoFurtherWrite) {
  kernel_.advance(minutes(10));
  const int before = store_->replaces;
  SimClient client = connect();
  client.send("POST /cart/7 HTTP/1.1\r\nHost: a\r\n" + cookie_ + "Content-Length: 4\r\n\r\nname");
  kernel_.run_until_idle();
  EXPECT_TRUE(client.take_received().ends_with("[7]"));
  EXPECT_EQ(store_->replaces - before, 1);
}

TEST_F(SlowBody, LosesNoChangeAfterItsUseWasNoted) {
  kernel_.advance(minutes(10));
  SimClient client = connect();
  begin(client, "POST /cart/7 HTTP/1.1\r\nHost: a\r\n" + cookie_, 4);
  EXPECT_TRUE(exchange("POST /cart/8 HTTP/1.1\r\nHost: a\r\n" + cookie_, "").ends_with("[8]"));
  EXPECT_TRUE(finish(client, "name").ends_with("[7]"));
  EXPECT_TRUE(exchange("GET /cart HTTP/1.1\r\nHost: a\r\n" + cookie_, "").ends_with("[7]"));
}

TEST_F(SlowBody, IsReadThoughItsUseCannotBeNoted) {
  kernel_.advance(minutes(10));
  store_->fault = FaultyStore::Fault::throws;
  store_->only_in = "replace";
  EXPECT_TRUE(make_note_after(minutes(0)).ends_with("ada text"));
}

TEST_F(SlowBody, IsRejectedIfTheStoreFails) {
  SimClient client = connect();
  begin(client, "POST /keys HTTP/1.1\r\nHost: a\r\n" + cookie_, 4);
  kernel_.advance(seconds(5));
  store_->fault = FaultyStore::Fault::throws;
  EXPECT_TRUE(finish(client, "name").starts_with("HTTP/1.1 503 "));
  EXPECT_EQ(keys_made_, 0);
}

}  // namespace
}  // namespace eider
