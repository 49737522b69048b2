// What guards and providers make for handlers, and what the app says at its start where nobody
// does.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/app/guard.h"
#include "eider/testkit/test_client.h"
#include "tests/support/guards_app.h"

namespace eider {
namespace {

using ProvidingServer = SimAppServer<&set_up_guards>;

const std::vector<std::string> kGuardedGroups = {"/plain", "/waiting"};

std::string answer_to(ProvidingServer& server, const std::string& target, const std::string& who) {
  SimClient client = server.connect();
  client.send("GET " + target + " HTTP/1.1\r\nHost: a\r\nWho: " + who + "\r\n\r\n");
  server.kernel.advance(std::chrono::milliseconds(50));
  return client.take_received();
}

// What is made where it is asked for.

TEST(Provided, is_made_once_for_all_who_ask) {
  App app;
  int made = 0;
  int others = 0;
  app.provide([&made](const Request&) {
    ++made;
    return Account{"ann"};
  });
  app.provide([&others] { return static_cast<long>(++others); });
  app.guard([](Slot<Account>) {});
  app.guard([](std::optional<Slot<Account>>) {});
  app.get("/both", [](Slot<Account> one, Slot<Account> two) { return one->owner + two->owner; });
  TestClient client(app);
  EXPECT_EQ(client.get("/both").body, "annann");
  EXPECT_EQ(made, 1);
  EXPECT_EQ(others, 0);
}

TEST(Provided, is_nothing_in_place_of_a_refusal_where_a_handler_does_without) {
  App app;
  app.provide([](Header<"who", std::optional<std::string_view>> who) -> Result<Account> {
    if (who->value_or("") == "down") {
      return fail(Error::unavailable("The accounts are away."));
    }
    if (!*who) {
      throw Failure(Error::unauthorized("Who are you?"));
    }
    return Account{std::string(**who)};
  });
  app.get("/perhaps", [](std::optional<Slot<Account>> account) {
    return account ? (*account)->owner : std::string("nobody");
  });
  app.get("/must", [](Slot<Account> account) { return account->owner; });
  app.get("/either",
          [](std::optional<Slot<Account>>, Slot<Account> account) { return account->owner; });
  TestClient client(app);
  EXPECT_EQ(client.get("/perhaps").body, "nobody");
  EXPECT_EQ(client.get("/must").status, 401);
  EXPECT_EQ(client.get("/either").status, 401);
  const auto ask = [&client](std::string target, std::string who) {
    return client.send({.target = std::move(target), .headers = {{"Who", std::move(who)}}});
  };
  EXPECT_EQ(ask("/perhaps", "ann").body, "ann");
  EXPECT_EQ(ask("/must", "ann").body, "ann");
  EXPECT_EQ(ask("/perhaps", "down").status, 503);  // that nobody knows is not "nobody"
}

TEST(Provided, by_the_innermost_group_is_taken) {
  App app;
  app.provide([] { return Account{"app's"}; });
  Routes group = app.group("/in");
  group.provide([] { return Account{"earlier"}; });
  group.provide([] { return Account{"group's"}; });
  group.get("/", [](Slot<Account> account) { return account->owner; });
  app.get("/", [](Slot<Account> account) { return account->owner; });
  TestClient client(app);
  EXPECT_EQ(client.get("/in/").body, "group's");
  EXPECT_EQ(client.get("/").body, "app's");
}

// Or a group, such as a mounted app, would decide whom the guards around it let in.
TEST(Provided, within_a_group_is_not_for_the_guards_around_it) {
  App app;
  std::vector<std::string> seen;
  app.provide([] { return Account{"app's"}; });
  app.provide([](Slot<Account> account) { return "of the " + account->owner; });
  app.guard([&seen](Slot<Account> account, Slot<std::string> made) {
    seen.push_back(account->owner + ", " + *made);
  });
  Routes group = app.group("/in");
  group.provide([] { return Account{"group's"}; });
  group.get("/", [](Slot<Account> account) { return account->owner; });
  Routes guarded = app.group("/guarded");
  guarded.provide([] { return Account{"group's"}; });
  guarded.guard([&seen](Slot<Account> account) { seen.push_back(account->owner); });
  guarded.get("/", [](Slot<Account> account) { return account->owner; });
  App mounted;
  mounted.provide([] { return Account{"mounted app's"}; });
  mounted.get("/", [](Slot<Account> account) { return account->owner; });
  app.mount("/mounted", std::move(mounted));
  TestClient client(app);
  EXPECT_EQ(client.get("/in/").body, "group's");
  EXPECT_EQ(seen, std::vector<std::string>{"app's, of the app's"});
  EXPECT_EQ(client.get("/mounted/").body, "mounted app's");
  EXPECT_EQ(seen.back(), "app's, of the app's");
  EXPECT_EQ(client.get("/guarded/").body, "group's");
  EXPECT_EQ(seen.back(), "group's");
}

TEST(Provided, nothing_within_a_group_is_told_to_a_guard_around_it) {
  App app;
  app.guard([](Slot<Account>) {});
  Routes group = app.group("/in");
  group.provide([] { return Account{"group's"}; });
  group.get("/", [] { return "x"; });
  EXPECT_TRUE(start_error_of(app).contains("GET /in/: a guard takes a eider::Account"))
      << start_error_of(app);
}

TEST(Provided, gives_way_to_what_a_hook_has_put) {
  App app;
  app.provide([]() -> Account { throw std::runtime_error("not in a test"); });
  app.before([](Request& request) { request.put(Account{"a test's"}); });
  app.get("/", [](Slot<Account> account) { return account->owner; });
  TestClient client(app);
  EXPECT_EQ(client.get("/").body, "a test's");
}

TEST(ExtractorsOfOnesOwn, may_wait_and_are_made_once) {
  ProvidingServer server;
  EXPECT_TRUE(answer_to(server, "/basket", "ann").starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(answer_to(server, "/perhaps", "ann").ends_with("none"));
  EXPECT_TRUE(answer_to(server, "/perhaps", "ann\r\nBasket: broken").starts_with("HTTP/1.1 503"));
  (void)take_steps();
  EXPECT_TRUE(answer_to(server, "/basket", "ann\r\nBasket: ann's").ends_with("ann's"));
  EXPECT_EQ(take_steps(), (std::vector<std::string>{"hook", "basket", "content hook"}));
}

TEST(ExtractorsOfOnesOwn, go_with_a_websocket) {
  ProvidingServer server;
  for (const std::string& group : kGuardedGroups) {
    const std::string answer =
        answer_to(server, group + "/socket",
                  "ann\r\nBasket: ann's\r\nUpgrade: websocket\r\nConnection: "
                  "Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                  "dGhlIHNhbXBsZSBub25jZQ==");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 101")) << answer;
    EXPECT_TRUE(answer.contains("ann's")) << answer;
  }
}

// What is told at the start.

TEST(GuardsAtStart, what_nobody_puts_is_told_by_route_and_type) {
  App app;
  app.get("/me", [](Slot<Asking> asking) { return asking->name; });
  app.group("/in").guard([] { return Asking{}; });
  const std::string wrong = start_error_of(app);
  EXPECT_TRUE(wrong.starts_with("GET /me takes a eider::Asking, which nobody on its way puts"))
      << wrong;
  app.puts<Asking>();
  EXPECT_EQ(start_error_of(app), "it starts");
}

TEST(GuardsAtStart, what_a_guard_lacks_is_told_too) {
  App app;
  app.guard([](Slot<Asking>, State<Account>) { return Account{}; });
  app.get("/x", [] { return "x"; }).guard([] { return Asking{}; });
  const std::string wrong = start_error_of(app);
  EXPECT_TRUE(wrong.contains("GET /x: what makes a eider::Account takes a eider::Asking")) << wrong;
  EXPECT_TRUE(wrong.contains("takes State<eider::Account>, which the app was never given"))
      << wrong;
}

TEST(GuardsAtStart, what_may_be_missing_has_to_be_taken_so) {
  App app;
  app.guard([]() -> std::optional<Asking> { return std::nullopt; });
  app.get("/perhaps", [](std::optional<Slot<Asking>> asking) { return asking.has_value(); });
  EXPECT_EQ(start_error_of(app), "it starts");
  EXPECT_EQ(TestClient(app).get("/perhaps").body, "false");
  app.get("/must", [](Slot<Asking>) {});
  const std::string wrong = start_error_of(app);
  EXPECT_TRUE(wrong.contains("GET /must takes a eider::Asking, which may be missing")) << wrong;
}

TEST(GuardsAtStart, what_asks_for_itself_is_told) {
  App app;
  app.provide([](Slot<Account>) { return Asking{}; });
  app.provide([](Slot<Asking>) { return Account{}; });
  app.get("/x", [](Slot<Asking>) {});
  const std::string wrong = start_error_of(app);
  EXPECT_TRUE(wrong.contains("what makes a eider::Asking asks for itself, on the way of GET /x"))
      << wrong;
}

}  // namespace
}  // namespace eider
