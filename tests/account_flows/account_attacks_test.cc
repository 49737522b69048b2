// Attacks on accounts.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "tests/account_flows/account_case.h"

namespace eider::test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class AccountAttacks : public AccountCase {};

Task<> count_good(Task<Result<AccountLogin>> task, int& good) {
  const auto result = co_await std::move(task);
  good += result ? 1 : 0;
}

/// Calls a function once before or after it inserts a session.
class MeddlingStore final : public SessionStore {
 public:
  explicit MeddlingStore(const Database& database) : kept_(sql_sessions(database)) {}

  [[nodiscard]] Task<> start() override { return kept_->start(); }
  [[nodiscard]] Task<std::unique_ptr<SessionRecord>> find(std::string name) override {
    return kept_->find(std::move(name));
  }
  [[nodiscard]] Task<> insert(std::string name, SessionRecord record) override {
    co_await meddle(ahead_of_insert);
    co_await kept_->insert(std::move(name), std::move(record));
    co_await meddle(behind_insert);
  }
  [[nodiscard]] Task<bool> replace(std::string name, SessionRecord record) override {
    return kept_->replace(std::move(name), std::move(record));
  }
  [[nodiscard]] Task<bool> rename(std::string name, std::string new_name) override {
    return kept_->rename(std::move(name), std::move(new_name));
  }
  [[nodiscard]] Task<> erase(std::string name) override { return kept_->erase(std::move(name)); }
  [[nodiscard]] Task<std::size_t> erase_of(std::string user, std::string but_for) override {
    return kept_->erase_of(std::move(user), std::move(but_for));
  }
  [[nodiscard]] Task<std::vector<KnownSession>> list(std::string user) override {
    return kept_->list(std::move(user));
  }
  [[nodiscard]] Task<> sweep(std::int64_t seen_until) override { return kept_->sweep(seen_until); }

  std::function<Task<>()> ahead_of_insert;
  std::function<Task<>()> behind_insert;

 private:
  static Task<> meddle(std::function<Task<>()>& once) {
    const std::function<Task<>()> meddling = std::exchange(once, nullptr);
    if (meddling) {
      co_await meddling();
    }
  }

  std::shared_ptr<SessionStore> kept_;
};

// A thief logs in with the old password while its owner resets it. The session is stored after the
// handler, when the reset has already ended the existing sessions.
TEST_F(AccountAttacks, NoLoginByTheOldPasswordOutlivesAReset) {
  const auto store = std::make_shared<MeddlingStore>(database);
  App other = make_app(database, mails, options_of(), store);
  Accounts* all = nullptr;
  other.get("/all", [&all](State<Accounts> accounts) { all = &*accounts; });
  TestClient client(other, browser());
  (void)client.get("/all");
  make_account(client, kAnn, kWord);
  std::string password = kWord;
  for (std::function<Task<>()> MeddlingStore::* const when :
       {&MeddlingStore::ahead_of_insert, &MeddlingStore::behind_insert}) {
    (void)client.post("/forgotten", Given{kAnn, ""});
    client.advance(minutes(2));
    const std::string next = password + "!";
    (*store).*when = [&]() -> Task<> {
      EXPECT_TRUE((co_await all->reset(token_of(kAnn), next, ClientInfo())).has_value());
    };
    EXPECT_EQ(client.post("/log-in", Given{kAnn, password}).status, 401);
    EXPECT_EQ(client.get("/me").status, 401);
    EXPECT_EQ(client.get("/session-count").body, "0");
    password = next;
    client.advance(minutes(2));
  }
  EXPECT_EQ(client.post("/log-in", Given{kAnn, password}).status, 204);
  EXPECT_EQ(client.get("/me").body, kAnn);
}

TEST_F(AccountAttacks, ALoginByAPasswordThatChangesWhileItIsHashedIsNone) {
  app.post("/late",
           [](Json<GivenToken> given, ClientInfo client, Session<> session,
              State<Accounts> all) -> Task<Result<void>> {
             const auto login = co_await all->log_in(kAnn, kWord, client);
             EXPECT_TRUE((co_await all->reset(given->token, kOther, client)).has_value());
             EXPECT_TRUE(login.has_value());
             all->begin(session, login.value_or(AccountLogin()));
             co_return Result<void>();
           });
  TestClient client(app, browser());
  make_account(client, kAnn, kWord);
  (void)client.post("/forgotten", Given{kAnn, ""});
  client.advance(seconds(3));
  EXPECT_EQ(client.post("/late", GivenToken{token_of(kAnn), ""}).status, 401);
  EXPECT_EQ(client.get("/me").status, 401);
}

// If the process is killed after the commit, or the session store fails, the stored account request
// ends the sessions later.
TEST_F(AccountAttacks, AnotherPasswordEndsOtherSessionsAlsoWhereThatFailsAtFirst) {
  TestClient client(app);
  make_account(client, kAnn, kWord);
  const std::string thief = log_in(client, kAnn, kWord);
  const std::string ann = log_in(client, kAnn, kWord);
  const auto is_in = [&](const std::string& cookie) {
    return client.send({.target = "/me", .headers = {{"Cookie", cookie}}}).status == 200;
  };
  const std::size_t begun = faults->asked.size();
  (void)post_as(ann, client, "/password", Given{kWord, kOther});
  const auto ended = std::ranges::find_if(
      faults->asked.begin() + static_cast<std::ptrdiff_t>(begun), faults->asked.end(),
      [](const std::string& sql) { return sql.starts_with("delete from eider_sessions"); });
  ASSERT_NE(ended, faults->asked.end());
  const auto behind = static_cast<std::size_t>(ended - faults->asked.begin()) - begun;
  EXPECT_TRUE(!is_in(thief));
  const std::string second_thief = log_in(client, kAnn, kOther);
  const std::string second_ann = log_in(client, kAnn, kOther);
  faults->fail_behind(behind);
  EXPECT_EQ(post_as(second_ann, client, "/password", Given{kOther, kWord}).status, 503);
  EXPECT_TRUE(is_in(second_thief));
  client.advance(seconds(15));
  EXPECT_FALSE(is_in(second_thief));
}

TEST_F(AccountAttacks, OfTwoThatUseALinkAtOnceOneAloneHasIt) {
  app.post("/race",
           [](Json<GivenToken> given, ClientInfo client, State<Accounts> all) -> Task<int> {
             int good = 0;
             Scope both;
             for (int turn = 0; turn < 2; ++turn) {
               both.start(count_good(all->confirm(given->token, kOther), good));
               both.start(count_good(all->reset(given->token, kOther, client), good));
             }
             co_await both.join();
             co_return good;
           });
  TestClient client(app);
  (void)client.post("/sign-up", Given{kAnn, ""});
  client.advance(seconds(3));
  EXPECT_EQ(client.post("/race", GivenToken{token_of(kAnn), ""}).body, "1");
  (void)client.post("/forgotten", Given{kAnn, ""});
  client.advance(seconds(3));
  EXPECT_EQ(client.post("/race", GivenToken{token_of(kAnn), ""}).body, "1");
}

TEST_F(AccountAttacks, WhoeverSignsUpWithAnothersAddressGetsNothing) {
  TestClient client(app);
  make_account(client, kAnn, kWord);
  EXPECT_EQ(client.post("/sign-up", Given{kAnn, "hacked hacked"}).status, 204);
  client.advance(seconds(3));
  EXPECT_EQ(field_of(mails->last_to(kAnn), "Subject"), "Shop: You already have an account");
  EXPECT_EQ(client.post("/log-in", Given{kAnn, "hacked hacked"}).status, 401);
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kWord}).status, 204);
}

TEST_F(AccountAttacks, NobodyKnowsThePasswordOfAnAccountThatItsOwnerHasConfirmed) {
  TestClient mallory(app);
  (void)mallory.post("/sign-up", Given{kAnn, "hacked hacked"});
  mallory.advance(seconds(3));
  const std::string asked_by_mallory = token_of(kAnn);
  EXPECT_EQ(mallory.post("/confirm", GivenToken{asked_by_mallory, kWord}).status, 200);
  EXPECT_EQ(mallory.post("/log-in", Given{kAnn, "hacked hacked"}).status, 401);
  EXPECT_EQ(mallory.post("/log-in", Given{kAnn, kWord}).status, 204);
}

TEST_F(AccountAttacks, OfTwoLinksForOneAddressTheOneThatIsUsedEndsTheOther) {
  TestClient client(app);
  (void)client.post("/sign-up", Given{kAnn, ""});
  client.advance(seconds(3));
  const std::string first = token_of(kAnn);
  (void)client.post("/sign-up", Given{kAnn, ""});
  client.advance(seconds(3));
  EXPECT_EQ(client.post("/confirm", GivenToken{token_of(kAnn), kWord}).status, 200);
  EXPECT_EQ(client.post("/confirm", GivenToken{first, kOther}).status, 410);
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kOther}).status, 401);
}

TEST_F(AccountAttacks, ALinkThatAnotherHasAskedForGivesThatAccountNoAddress) {
  TestClient client(app);
  make_account(client, "mallory@example.org", kWord);
  make_account(client, kBob, kOther);
  const std::string mallory = log_in(client, "mallory@example.org", kWord);
  const std::string bob = log_in(client, kBob, kOther);
  EXPECT_EQ(post_as(mallory, client, "/new-address", Given{kAnn, kWord}).status, 204);
  client.advance(seconds(3));
  const GivenToken given{token_of(kAnn), ""};
  EXPECT_EQ(client.post("/address", given).status, 401);
  EXPECT_EQ(post_as(bob, client, "/address", given).status, 403);
  EXPECT_EQ(client.post("/log-in", Given{kBob, kOther}).status, 204);
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kWord}).status, 401);
  // The attempts have not used up the link: the account that requested it can still use it.
  EXPECT_EQ(post_as(mallory, client, "/address", given).status, 204);
}

TEST_F(AccountAttacks, AnAddressThatWasAskedForAheadOfAResetIsNotTakenBehindIt) {
  app.post("/later", [database = database]() -> Task<> {
    co_await database.exec(
        "update eider_account_requests set due = due + 60 where purpose = 'address'");
  });
  TestClient client(app, browser());
  make_account(client, kAnn, kWord);
  (void)client.post("/forgotten", Given{kAnn, ""});
  client.advance(seconds(3));
  const std::string reset = token_of(kAnn);
  (void)client.post("/log-in", Given{kAnn, kWord});
  (void)client.post("/new-address", Given{"mallory@example.org", kWord});
  (void)client.post("/later", Given{});
  EXPECT_EQ(client.post("/reset", GivenToken{reset, kOther}).status, 204);
  client.advance(minutes(2));
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kOther}).status, 204);
  EXPECT_EQ(client.post("/address", GivenToken{token_of("mallory@example.org"), ""}).status, 410);
  EXPECT_EQ(client.get("/me").body, kAnn);
}

TEST_F(AccountAttacks, NoResponseSaysWhetherThereIsAnAccount) {
  TestClient client(app);
  make_account(client, kAnn, kWord);
  const auto same = [&](const char* path) {
    const TestResponse there = client.post(path, Given{kAnn, "wrong wrong"});
    const TestResponse none = client.post(path, Given{"eve@example.org", "wrong wrong"});
    EXPECT_EQ(there.status, none.status) << path;
    EXPECT_EQ(there.body, none.body) << path;
    EXPECT_EQ(there.headers.size(), none.headers.size()) << path;
  };
  same("/log-in");
  same("/forgotten");
  same("/sign-up");
  client.advance(seconds(3));
  EXPECT_EQ(field_of(mails->last_to("eve@example.org"), "Subject"), "Shop: Confirm your address");
}

TEST_F(AccountAttacks, TheWorkAheadOfAResponseIsTheSameForEveryAddress) {
  TestClient client(app);
  make_account(client, kAnn, kWord);
  // Before the response, only the request is stored. Lookups and other writes come after it.
  const std::string before = client.get("/dump").body;
  (void)client.post("/forgotten", Given{kAnn, ""});
  (void)client.post("/sign-up", Given{kAnn, "other words"});
  EXPECT_EQ(client.get("/dump").body, before);
  (void)client.post("/forgotten", Given{"eve@example.org", ""});
  EXPECT_EQ(client.get("/dump").body, before);
}

TEST_F(AccountAttacks, ATokenIsNowhereOnceItsMailIsSent) {
  TestClient client(app);
  make_account(client, kAnn, kWord);
  (void)client.post("/forgotten", Given{kAnn, ""});
  client.advance(seconds(3));
  const std::string token = token_of(kAnn);
  const std::string dump = client.get("/dump").body;
  EXPECT_TRUE(dump.contains("reset")) << dump;
  EXPECT_FALSE(dump.contains(token)) << dump;
  EXPECT_FALSE(dump.contains(kWord)) << dump;
}

TEST_F(AccountAttacks, MailsAreAskedForNoFasterThanIsGoodWhoeverHasAnAccount) {
  for (const char* const email : {kAnn, "eve@example.org"}) {
    TestClient client(app);
    std::vector<int> statuses;
    for (int turn = 0; turn < 5; ++turn) {
      statuses.push_back(client.post("/forgotten", Given{email, ""}).status);
    }
    EXPECT_EQ(statuses.front(), 204);
    EXPECT_EQ(statuses.back(), 429);
    client.advance(hours(2));
  }
}

TEST_F(AccountAttacks, GuessedPasswordsAreSlowedDown) {
  TestClient client(app);
  make_account(client, kAnn, kWord);
  int status = 0;
  for (int turn = 0; turn < 8 && status != 429; ++turn) {
    status = client.post("/log-in", Given{kAnn, "wrong wrong"}).status;
  }
  EXPECT_EQ(status, 429);
}

TEST_F(AccountAttacks, WhatIsNoAddressIsRefused) {
  TestClient client(app);
  const TestResponse reply = client.post("/sign-up", Given{"ann\r\nBcc: eve@example.org", kWord});
  EXPECT_EQ(reply.status, 422);
  EXPECT_TRUE(reply.body.contains("\"/email\"")) << reply.body;
  for (const char* const email :
       {"ann", "änn@example.org", "ann@exämple.org", "ann@example.org\n"}) {
    EXPECT_EQ(client.post("/sign-up", Given{email, ""}).status, 422) << email;
    EXPECT_EQ(client.post("/forgotten", Given{email, ""}).status, 422) << email;
  }
}

}  // namespace
}  // namespace eider::test
