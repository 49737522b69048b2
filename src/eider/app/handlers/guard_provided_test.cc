// Values from guards and providers, and startup errors if a value has no provider.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/app/handlers/guard.h"
#include "eider/testkit/test_client.h"
#include "tests/support/guards_app.h"

namespace eider {
namespace {

using ProvidingServer = SimAppServer<&set_up_guards>;

const std::vector<std::string> kGuardedGroups = {"/plain", "/waiting"};

std::string response_to(ProvidingServer& server, const std::string& target,
                        const std::string& who) {
  SimClient client = server.connect();
  client.send("GET " + target + " HTTP/1.1\r\nHost: a\r\nWho: " + who + "\r\n\r\n");
  server.kernel.advance(std::chrono::milliseconds(50));
  return client.take_received();
}

// Values are provided on demand.

TEST(Provided, is_made_once_for_all_who_ask) {
  App app;
  int made = 0;
  int others = 0;
  app.provide([&made](const Request&) {
    ++made;
    return Account{"ann"};
  });
  app.provide([&others] { return static_cast<long>(++others); });
  app.guard([](Extension<Account>) {});
  app.guard([](std::optional<Extension<Account>>) {});
  app.get("/both",
          [](Extension<Account> one, Extension<Account> two) { return one->owner + two->owner; });
  TestClient client(app);
  EXPECT_EQ(client.get("/both").body, "annann");
  EXPECT_EQ(made, 1);
  EXPECT_EQ(others, 0);
}

struct Guest {
  std::string name;
  static constexpr bool kIsInjectable = true;
};
struct Member : Guest {};

TEST(Provided, is_taken_by_its_type_where_that_says_so) {
  App app;
  app.provide([](Header<"who"> who) { return Guest{std::string(*who)}; });
  app.provide([](const Guest& guest) -> Result<Member> {
    return guest.name == "ann" ? Result<Member>(Member{guest})
                               : fail(Error::forbidden("Members only."));
  });
  app.get("/", [](const Guest& guest, std::optional<Member> member) {
    return guest.name + (member ? "!" : "");
  });
  app.get("/members", [](Member member) { return member.name; });
  TestClient client(app);
  const auto ask = [&client](std::string target, std::string who) {
    return client.send({.target = std::move(target), .headers = {{"who", std::move(who)}}});
  };
  EXPECT_EQ(ask("/", "ann").body, "ann!");
  EXPECT_EQ(ask("/", "bob").body, "bob");
  EXPECT_EQ(ask("/members", "ann").body, "ann");
  EXPECT_EQ(ask("/members", "bob").status, 403);
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
  app.get("/perhaps", [](std::optional<Extension<Account>> account) {
    return account ? (*account)->owner : std::string("nobody");
  });
  app.get("/must", [](Extension<Account> account) { return account->owner; });
  app.get("/either", [](std::optional<Extension<Account>>, Extension<Account> account) {
    return account->owner;
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/perhaps").body, "nobody");
  EXPECT_EQ(client.get("/must").status, 401);
  EXPECT_EQ(client.get("/either").status, 401);
  const auto ask = [&client](std::string target, std::string who) {
    return client.send({.target = std::move(target), .headers = {{"Who", std::move(who)}}});
  };
  EXPECT_EQ(ask("/perhaps", "ann").body, "ann");
  EXPECT_EQ(ask("/must", "ann").body, "ann");
  EXPECT_EQ(ask("/perhaps", "down").status, 503);  // an unknown user is not "no user"
}

struct Ledger {
  std::string of;
};

TEST(Provided, is_nothing_too_where_what_it_is_made_of_is_refused) {
  App app;
  app.provide([](Header<"who", std::optional<std::string_view>> who) -> Result<Account> {
    return *who ? Result<Account>(Account{std::string(**who)})
                : Result<Account>(fail(Error::unauthorized("Who are you?")));
  });
  app.provide([](Extension<Account> account) -> Result<Ledger> { return Ledger{account->owner}; });
  app.get("/perhaps", [](std::optional<Extension<Ledger>> ledger) {
    return ledger ? (*ledger)->of : std::string("nobody's");
  });
  app.get("/must", [](Extension<Ledger> ledger) { return ledger->of; });
  app.get("/either",
          [](std::optional<Extension<Ledger>>, Extension<Ledger> ledger) { return ledger->of; });
  app.get("/of", [](std::optional<Extension<Ledger>>, Extension<Account> account) {
    return account->owner;
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/perhaps").body, "nobody's");
  for (const char* target : {"/must", "/either", "/of"}) {
    EXPECT_EQ(client.get(target).status, 401) << target;
  }
  for (const char* target : {"/perhaps", "/must", "/either", "/of"}) {
    EXPECT_EQ(client.send({.target = target, .headers = {{"Who", "ann"}}}).body, "ann") << target;
  }
}

TEST(Provided, by_the_innermost_group_is_taken) {
  App app;
  app.provide([] { return Account{"app's"}; });
  Routes group = app.group("/in");
  group.provide([] { return Account{"earlier"}; });
  group.provide([] { return Account{"group's"}; });
  group.get("/", [](Extension<Account> account) { return account->owner; });
  app.get("/", [](Extension<Account> account) { return account->owner; });
  TestClient client(app);
  EXPECT_EQ(client.get("/in/").body, "group's");
  EXPECT_EQ(client.get("/").body, "app's");
}

// Otherwise a group, such as a mounted app, would change the decisions of guards around it.
TEST(Provided, within_a_group_is_not_for_the_guards_around_it) {
  App app;
  std::vector<std::string> seen;
  app.provide([] { return Account{"app's"}; });
  app.provide([](Extension<Account> account) { return "of the " + account->owner; });
  app.guard([&seen](Extension<Account> account, Extension<std::string> made) {
    seen.push_back(account->owner + ", " + *made);
  });
  Routes group = app.group("/in");
  group.provide([] { return Account{"group's"}; });
  group.get("/", [](Extension<Account> account) { return account->owner; });
  Routes guarded = app.group("/guarded");
  guarded.provide([] { return Account{"group's"}; });
  guarded.guard([&seen](Extension<Account> account) { seen.push_back(account->owner); });
  guarded.get("/", [](Extension<Account> account) { return account->owner; });
  App mounted;
  mounted.provide([] { return Account{"mounted app's"}; });
  mounted.get("/", [](Extension<Account> account) { return account->owner; });
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
  app.guard([](Extension<Account>) {});
  Routes group = app.group("/in");
  group.provide([] { return Account{"group's"}; });
  group.get("/", [] { return "x"; });
  EXPECT_TRUE(start_error_of(app).contains("GET /in/: a guard needs a eider::Account"))
      << start_error_of(app);
}

TEST(Provided, gives_way_to_what_a_hook_has_put) {
  App app;
  app.provide([]() -> Account { throw std::runtime_error("not in a test"); });
  app.on_request([](Request& request) { request.set(Account{"a test's"}); });
  app.get("/", [](Extension<Account> account) { return account->owner; });
  TestClient client(app);
  EXPECT_EQ(client.get("/").body, "a test's");
}

TEST(ExtractorsOfOnesOwn, may_wait_and_are_made_once) {
  ProvidingServer server;
  EXPECT_TRUE(response_to(server, "/basket", "ann").starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(response_to(server, "/perhaps", "ann").ends_with("none"));
  EXPECT_TRUE(response_to(server, "/perhaps", "ann\r\nBasket: broken").starts_with("HTTP/1.1 503"));
  (void)take_steps();
  EXPECT_TRUE(response_to(server, "/basket", "ann\r\nBasket: ann's").ends_with("ann's"));
  EXPECT_EQ(take_steps(), (std::vector<std::string>{"hook", "basket", "content hook"}));
}

TEST(ExtractorsOfOnesOwn, go_with_a_websocket) {
  ProvidingServer server;
  for (const std::string& group : kGuardedGroups) {
    const std::string response =
        response_to(server, group + "/socket",
                    "ann\r\nBasket: ann's\r\nUpgrade: websocket\r\nConnection: "
                    "Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                    "dGhlIHNhbXBsZSBub25jZQ==");
    EXPECT_TRUE(response.starts_with("HTTP/1.1 101")) << response;
    EXPECT_TRUE(response.contains("ann's")) << response;
  }
}

// Errors at startup.

TEST(GuardsAtStart, what_nobody_puts_is_told_by_route_and_type) {
  App app;
  app.get("/me", [](Extension<Asking> asking) { return asking->name; });
  app.group("/in").guard([] { return Asking{}; });
  const std::string wrong = start_error_of(app);
  EXPECT_TRUE(wrong.starts_with("GET /me needs a eider::Asking, but no guard, provider or hook"))
      << wrong;
  app.extension<Asking>();
  EXPECT_EQ(start_error_of(app), "it starts");
}

TEST(GuardsAtStart, what_a_guard_lacks_is_told_too) {
  App app;
  app.guard([](Extension<Asking>, State<Account>) { return Account{}; });
  app.get("/x", [] { return "x"; }).guard([] { return Asking{}; });
  const std::string wrong = start_error_of(app);
  EXPECT_TRUE(wrong.contains("GET /x: the provider of eider::Account needs a eider::Asking"))
      << wrong;
  EXPECT_TRUE(wrong.contains("needs State<eider::Account>, which was never registered")) << wrong;
}

TEST(GuardsAtStart, what_may_be_missing_has_to_be_taken_so) {
  App app;
  app.guard([]() -> std::optional<Asking> { return std::nullopt; });
  app.get("/perhaps", [](std::optional<Extension<Asking>> asking) { return asking.has_value(); });
  EXPECT_EQ(start_error_of(app), "it starts");
  EXPECT_EQ(TestClient(app).get("/perhaps").body, "false");
  app.get("/must", [](Extension<Asking>) {});
  const std::string wrong = start_error_of(app);
  EXPECT_TRUE(wrong.contains(
      "GET /must needs a eider::Asking, but the provider of that type may return none"))
      << wrong;
}

TEST(GuardsAtStart, what_asks_for_itself_is_told) {
  App app;
  app.provide([](Extension<Account>) { return Asking{}; });
  app.provide([](Extension<Asking>) { return Account{}; });
  app.get("/x", [](Extension<Asking>) {});
  const std::string wrong = start_error_of(app);
  EXPECT_TRUE(wrong.contains(
      "Circular dependency: the provider of eider::Asking depends on itself (route GET /x)"))
      << wrong;
}

// Providers that a test replaces.

App app_with_accounts() {
  App app;
  app.guard([](Header<"who"> who) -> Result<Account> {
    return *who == "ann" ? Result<Account>(Account{"ann"}) : fail(Error::unauthorized("Who?"));
  });
  Routes group = app.group("/group");
  group.provide([] { return 7L; });
  group.get("/x", [](Extension<Account> account, Extension<long> number) {
    return account->owner + std::to_string(*number);
  });
  app.get("/owner", [](std::optional<Extension<Account>> account) { return (*account)->owner; });
  return app;
}

TEST(OverriddenProvided, StandsForGuardsAndForWhatGroupsProvide) {
  App app = app_with_accounts();
  EXPECT_EQ(TestClient(app).get("/group/x").status, 400);  // no provider for the user
  App tested = app_with_accounts();
  tested.override_provided([] { return Account{"test"}; });
  tested.override_provided(
      [](Extension<Account> account) { return static_cast<long>(account->owner.size()); });
  TestClient client(tested);
  EXPECT_EQ(client.get("/group/x").body, "test4");
  EXPECT_EQ(client.get("/owner").body, "test");
}

TEST(OverriddenProvided, ReachesMountedAppsAndGoesAheadOfTheirOwn) {
  App inner = app_with_accounts();
  inner.override_provided([] { return Account{"inner"}; });
  inner.override_provided([] { return 1L; });
  App app;
  app.override_provided([] { return Account{"first"}; });
  app.override_provided([] { return Account{"second"}; });
  app.mount("/in", std::move(inner));
  EXPECT_EQ(TestClient(app).get("/in/group/x").body, "second1");
}

TEST(OverriddenProvided, OfAMountedAppStaysThere) {
  App inner = app_with_accounts();
  inner.override_provided([] { return Account{"inner"}; });
  App app = app_with_accounts();
  app.mount("/in", std::move(inner));
  TestClient client(app);
  EXPECT_EQ(client.get("/in/owner").status, 400);  // the outer guard still needs the header
  const auto ask = [&client](std::string target) {
    return client.send({.target = std::move(target), .headers = {{"who", "ann"}}}).body;
  };
  EXPECT_EQ(ask("/in/owner"), "inner");
  EXPECT_EQ(ask("/owner"), "ann");
}

TEST(OverriddenProvided, MayRefuseAndMayWait) {
  App app = app_with_accounts();
  app.override_provided([](Header<"token"> token) -> Task<Result<Account>> {
    if (*token != "t") {
      co_return fail(Error::forbidden("No."));
    }
    co_return Account{"waited"};
  });
  TestClient client(app);
  EXPECT_EQ(client.send({.target = "/owner", .headers = {{"token", "x"}}}).status, 403);
  EXPECT_EQ(client.send({.target = "/owner", .headers = {{"token", "t"}}}).body, "waited");
}

TEST(OverriddenProvided, ThatAsksForItselfIsTold) {
  App app = app_with_accounts();
  app.override_provided([](Extension<Account> account) { return Account{account->owner + "!"}; });
  const std::string wrong = start_error_of(app);
  EXPECT_TRUE(wrong.contains("depends on itself")) << wrong;
}

}  // namespace
}  // namespace eider
