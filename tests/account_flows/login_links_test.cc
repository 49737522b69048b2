// Logins with mailed links, and attacks on them.
#include <string>
#include <vector>

#include "tests/account_flows/second_step_case.h"

namespace eider::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class LoginLinks : public SecondStepCase {
 protected:
  /// Requests a link and returns its token.
  std::string link_for(Tab& client, const std::string& email) {
    EXPECT_EQ(client.post("/login-link", Given{email, ""}).status, 204);
    client.advance(seconds(3));
    return login_token(email);
  }
};

TEST_F(LoginLinks, LogInOnceWhenTheButtonIsPressed) {
  Tab client(line());
  make_account(client.client(), kAnn, kWord);
  const std::string token = link_for(client, kAnn);
  EXPECT_EQ(field_of(mails->last_to(kAnn), "Subject"), "Shop: Log in");
  EXPECT_TRUE(text_of(mails->last_to(kAnn)).contains("15 min"));
  EXPECT_EQ(client.post("/log-in/link", GivenToken{token, ""}).body, "/next");
  EXPECT_EQ(client.get("/me").body, kAnn);
  Tab other(line());
  EXPECT_EQ(other.post("/log-in/link", GivenToken{token, ""}).status, 410);
  EXPECT_EQ(other.get("/me").status, 401);
}

TEST_F(LoginLinks, AreNotUsedUpByScannersThatOpenThem) {
  Tab client(line());
  make_account(client.client(), kAnn, kWord);
  const std::string token = link_for(client, kAnn);
  Tab scanner(line());
  for (int turn = 0; turn < 5; ++turn) {
    const TestResponse page = scanner.get("/log-in/link?token=" + token);
    EXPECT_EQ(page.body, kAnn) << "the page shows whose account it is";
    EXPECT_EQ(page.header("Set-Cookie"), std::nullopt);
  }
  EXPECT_EQ(scanner.get("/me").status, 401);
  EXPECT_EQ(client.post("/log-in/link", GivenToken{token, ""}).status, 200);
  EXPECT_EQ(scanner.get("/log-in/link?token=" + token).status, 410);
}

TEST_F(LoginLinks, EndAfterFifteenMinutesAndWithAnotherPassword) {
  Tab client(line());
  make_account(client.client(), kAnn, kWord);
  const std::string late = link_for(client, kAnn);
  client.advance(minutes(15));
  EXPECT_EQ(client.post("/log-in/link", GivenToken{late, ""}).status, 410);
  const std::string before = link_for(client, kAnn);
  (void)client.post("/log-in", Given{kAnn, kWord});
  EXPECT_EQ(client.post("/password", Given{kWord, kOther}).status, 204);
  EXPECT_EQ(client.post("/log-in/link", GivenToken{before, ""}).status, 410);
}

TEST_F(LoginLinks, OfOneAccountEndTogether) {
  Tab client(line());
  make_account(client.client(), kAnn, kWord);
  const std::string first = link_for(client, kAnn);
  const std::string next = link_for(client, kAnn);
  EXPECT_EQ(client.post("/log-in/link", GivenToken{next, ""}).status, 200);
  EXPECT_EQ(client.post("/log-in/link", GivenToken{first, ""}).status, 410);
}

TEST_F(LoginLinks, OfSeveralRequestsWithOneLinkOneLogsIn) {
  second.post("/race",
              [](Json<GivenToken> given, ClientInfo client, State<Accounts> all) -> Task<int> {
                int good = 0;
                const auto use = [](Task<Result<AccountLogin>> task, int& count) -> Task<> {
                  const auto login = co_await std::move(task);
                  count += login ? 1 : 0;
                };
                Scope requests;
                for (int turn = 0; turn < 4; ++turn) {
                  requests.start(use(all->log_in_by_link(given->token, client), good));
                }
                co_await requests.join();
                co_return good;
              });
  Tab client(line());
  make_account(client.client(), kAnn, kWord);
  EXPECT_EQ(client.post("/race", GivenToken{link_for(client, kAnn), ""}).body, "1");
}

TEST_F(LoginLinks, SayNothingOfWhetherThereIsAnAccount) {
  Tab client(line());
  make_account(client.client(), kAnn, kWord);
  const std::string before = client.get("/dump").body;
  const TestResponse there = client.post("/login-link", Given{kAnn, ""});
  const TestResponse none = client.post("/login-link", Given{"eve@example.org", ""});
  EXPECT_EQ(there.status, none.status);
  EXPECT_EQ(there.body, none.body);
  EXPECT_EQ(there.headers.size(), none.headers.size());
  EXPECT_EQ(client.get("/dump").body, before) << "the work begins after the response";
  const std::size_t sent = mails->all().size();
  client.advance(seconds(3));
  EXPECT_EQ(mails->all().size(), sent + 1) << "only to the account";
}

TEST_F(LoginLinks, AreRequestedNoFasterThanIsGoodWhoeverHasAnAccount) {
  for (const char* const email : {kAnn, "eve@example.org"}) {
    Tab client(line());
    std::vector<int> statuses;
    for (int turn = 0; turn < 5; ++turn) {
      statuses.push_back(client.post("/login-link", Given{email, ""}).status);
    }
    EXPECT_EQ(statuses.front(), 204);
    EXPECT_EQ(statuses.back(), 429);
    client.advance(std::chrono::hours(2));
  }
}

TEST_F(LoginLinks, DoNotBypassTheSecondFactor) {
  Tab owner(line());
  (void)turn_on(owner);
  Tab thief(line());
  const std::string token = link_for(thief, kAnn);
  EXPECT_EQ(thief.post("/log-in/link", GivenToken{token, ""}).body, "/two-factor?next=%2Fnext");
  EXPECT_EQ(thief.get("/me").status, 401);
  EXPECT_EQ(thief.post("/code", GivenCode{"", code_at(thief)}).status, 204);
  EXPECT_EQ(thief.get("/me").body, kAnn) << "with the app, its owner";
}

TEST_F(LoginLinks, AreOfOnePurpose) {
  Tab client(line());
  make_account(client.client(), kAnn, kWord);
  const std::string token = link_for(client, kAnn);
  EXPECT_EQ(client.post("/reset", GivenToken{token, kOther}).status, 410);
  (void)client.post("/forgotten", Given{kAnn, ""});
  client.advance(seconds(3));
  EXPECT_EQ(client.post("/log-in/link", GivenToken{token_of(kAnn), ""}).status, 410);
  for (const std::string& wrong :
       {std::string(), std::string(100'000, 'A'), std::string("\0", 1), std::string("'--")}) {
    EXPECT_EQ(client.post("/log-in/link", GivenToken{wrong, ""}).status, 410);
  }
  EXPECT_EQ(client.post("/log-in/link", GivenToken{token, ""}).status, 200);
}

// As in the guide: a page of an attacker must not log users in to the attacker's account.
TEST_F(LoginLinks, AreNotUsedByPagesOfOtherSites) {
  second.use(cross_origin_protection());
  Tab client(line());
  make_account(client.client(), kAnn, kWord);
  const std::string token = link_for(client, kAnn);
  const TestResponse posted = line().send({.method = Method::post,
                                           .target = "/log-in/link",
                                           .headers = {{"Content-Type", "application/json"},
                                                       {"Origin", "https://evil.example"},
                                                       {"Sec-Fetch-Site", "cross-site"}},
                                           .body = json::to_text(GivenToken{token, ""})});
  EXPECT_EQ(posted.status, 403);
  EXPECT_EQ(posted.header("Set-Cookie"), std::nullopt);
  EXPECT_EQ(client.post("/log-in/link", GivenToken{token, ""}).status, 200) << "it is still valid";
}

TEST_F(LoginLinks, AreOffByDefault) {
  App without = make_second_app(options_of());
  TestClient without_line(without);
  Tab client(without_line);
  EXPECT_EQ(client.post("/login-link", Given{kAnn, ""}).status, 404);
  EXPECT_EQ(client.get("/asks").body, "0");
}

}  // namespace
}  // namespace eider::test
