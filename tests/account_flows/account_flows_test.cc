// Account flows and their mails.
#include <string>
#include <vector>

#include "tests/account_flows/account_case.h"

namespace eider::test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class AccountFlows : public AccountCase {};

TEST_F(AccountFlows, AnAccountIsMadeByItsLinkAndNotAheadOfIt) {
  TestClient client(app, browser());
  EXPECT_EQ(client.post("/sign-up", Given{kAnn, ""}).status, 204);
  client.advance(seconds(3));
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kWord}).status, 401);
  const MailMessage mail = mails->last_to(kAnn);
  EXPECT_EQ(field_of(mail, "Subject"), "Shop: Confirm your address");
  EXPECT_TRUE(text_of(mail).contains("https://shop.example/confirm#"));
  const std::string token = token_of(kAnn);
  EXPECT_EQ(token.size(), 43U);  // 256 bits
  // A rejected password does not use up the link.
  EXPECT_TRUE(client.post("/confirm", GivenToken{token, "short"}).body.contains("\"/password\""));
  EXPECT_EQ(client.post("/confirm", GivenToken{token, kWord}).status, 200);
  EXPECT_EQ(client.post("/log-in", Given{"ANN@example.org", kWord}).status, 204);
  EXPECT_EQ(client.get("/me").body, kAnn);
}

TEST_F(AccountFlows, FewStatementsAreSentWithoutRequests) {
  TestClient client(app);
  client.advance(minutes(1));
  const std::size_t before = faults->asked.size();
  client.advance(hours(24));
  EXPECT_LT(faults->asked.size() - before, 2000U);
  EXPECT_EQ(client.post("/sign-up", Given{kAnn, ""}).status, 204);
  client.advance(seconds(3));
  EXPECT_EQ(mails->size(), 1U);
}

TEST_F(AccountFlows, ALinkIsGoodOnceForItsPurposeAndForAWhile) {
  TestClient client(app);
  make_account(client, kBob, kWord);
  (void)client.post("/sign-up", Given{kAnn, ""});
  client.advance(seconds(3));
  const std::string token = token_of(kAnn);
  EXPECT_EQ(client.post("/reset", GivenToken{token, kOther}).status, 410);
  const std::string bob = log_in(client, kBob, kWord);
  EXPECT_EQ(post_as(bob, client, "/address", GivenToken{token, ""}).status, 410);
  for (const std::string& wrong :
       {std::string(), token.substr(1), token + "A", std::string(43, 'A')}) {
    EXPECT_EQ(client.post("/confirm", GivenToken{wrong, kWord}).status, 410) << wrong;
  }
  EXPECT_EQ(client.post("/confirm", GivenToken{token, kWord}).status, 200);
  EXPECT_EQ(client.post("/confirm", GivenToken{token, kOther}).status, 410);
  (void)client.post("/forgotten", Given{kAnn, ""});
  client.advance(minutes(61));
  EXPECT_EQ(client.post("/reset", GivenToken{token_of(kAnn), kOther}).status, 410);
}

TEST_F(AccountFlows, SessionsThatAKilledProcessWasToEndAreEndedByAnother) {
  app.post("/killed", [database = database](const Account& account) -> Task<> {
    co_await database.exec(
        "insert into eider_account_requests(id, purpose, account, email, version, tries, due) "
        "values('x', 'end_sessions', $1, '', 0, 0, 0)",
        account.key);
  });
  TestClient client(app, browser());
  make_account(client, kAnn, kWord);
  (void)client.post("/log-in", Given{kAnn, kWord});
  EXPECT_EQ(client.post("/killed", Given{}).status, 204);
  client.advance(seconds(2));
  EXPECT_EQ(client.get("/me").status, 401);
}

TEST_F(AccountFlows, AResetEndsAllSessionsAndTellsTheOwner) {
  TestClient client(app, browser());
  make_account(client, kAnn, kWord);
  (void)client.post("/log-in", Given{kAnn, kWord});
  EXPECT_EQ(client.get("/me").status, 200);
  (void)client.post("/forgotten", Given{kAnn, ""});
  client.advance(seconds(3));
  EXPECT_EQ(client.post("/reset", GivenToken{token_of(kAnn), kOther}).status, 204);
  EXPECT_EQ(client.get("/me").status, 401);
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kWord}).status, 401);
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kOther}).status, 204);
  client.advance(seconds(30));
  EXPECT_EQ(field_of(mails->last_to(kAnn), "Subject"), "Shop: Your password was changed");
  EXPECT_EQ(client.get("/me").status, 200);  // the login after the reset stays valid
}

TEST_F(AccountFlows, AResetLogsItsBrowserInAlsoWhereThatWasLoggedIn) {
  app.post("/reset-in",
           [](Json<GivenToken> given, ClientInfo client, Session<> session,
              State<Accounts> all) -> Task<Result<void>> {
             const auto login = co_await all->reset(given->token, given->password, client);
             if (!login) {
               co_return fail(login.error());
             }
             all->begin(session, *login);
             co_return Result<void>();
           });
  TestClient client(app, browser());
  make_account(client, kAnn, kWord);
  (void)client.post("/log-in", Given{kAnn, kWord});
  (void)client.post("/forgotten", Given{kAnn, ""});
  client.advance(seconds(3));
  EXPECT_EQ(client.post("/reset-in", GivenToken{token_of(kAnn), kOther}).status, 204);
  EXPECT_EQ(client.get("/me").body, kAnn);
  EXPECT_EQ(client.get("/session-count").body, "1");
}

TEST_F(AccountFlows, ATokenDiesWithThePasswordForWhichItWasMade) {
  TestClient client(app, browser());
  make_account(client, kAnn, kWord);
  (void)client.post("/forgotten", Given{kAnn, ""});
  client.advance(seconds(3));
  const std::string first = token_of(kAnn);
  (void)client.post("/forgotten", Given{kAnn, ""});
  client.advance(seconds(3));
  const std::string second = token_of(kAnn);
  EXPECT_NE(first, second);
  EXPECT_EQ(client.post("/reset", GivenToken{second, kOther}).status, 204);
  EXPECT_EQ(client.post("/reset", GivenToken{first, "hacked hacked"}).status, 410);
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kOther}).status, 204);
}

TEST_F(AccountFlows, AnotherPasswordEndsOtherSessionsAndTokensButNotOnesOwn) {
  TestClient ann(app, browser());
  make_account(ann, kAnn, kWord);
  (void)ann.post("/log-in", Given{kAnn, kWord});
  (void)ann.post("/forgotten", Given{kAnn, ""});
  ann.advance(seconds(3));
  const std::string token = token_of(kAnn);
  EXPECT_EQ(ann.post("/password", Given{"wrong word", kOther}).status, 401);
  EXPECT_EQ(ann.post("/password", Given{kWord, "short"}).status, 422);
  EXPECT_EQ(ann.post("/password", Given{kWord, kOther}).status, 204);
  EXPECT_EQ(ann.get("/me").status, 200);
  EXPECT_EQ(ann.post("/reset", GivenToken{token, "hacked hacked"}).status, 410);
  ann.advance(seconds(3));
  EXPECT_EQ(field_of(mails->last_to(kAnn), "Subject"), "Shop: Your password was changed");
}

TEST_F(AccountFlows, AnAddressIsChangedByALinkThatWentThereAndTheOldOneIsTold) {
  TestClient client(app, browser());
  make_account(client, kAnn, kWord);
  make_account(client, kBob, kOther);
  (void)client.post("/log-in", Given{kAnn, kWord});
  EXPECT_EQ(client.post("/new-address", Given{"new@example.org", "wrong word"}).status, 401);
  EXPECT_EQ(client.post("/new-address", Given{kBob, kWord}).status, 204);
  client.advance(seconds(3));
  EXPECT_EQ(field_of(mails->last_to(kBob), "Subject"), "Shop: You already have an account");
  EXPECT_EQ(client.post("/new-address", Given{"new@example.org", kWord}).status, 204);
  client.advance(seconds(3));
  EXPECT_EQ(client.get("/me").body, kAnn);
  EXPECT_EQ(client.post("/address", GivenToken{token_of("new@example.org"), ""}).status, 204);
  EXPECT_EQ(client.get("/me").body, "new@example.org");
  client.advance(seconds(3));
  EXPECT_EQ(field_of(mails->last_to(kAnn), "Subject"), "Shop: Your address was changed");
}

TEST_F(AccountFlows, AnAddressThatGetsAnAccountMeanwhileIsNotTaken) {
  TestClient client(app, browser());
  make_account(client, kAnn, kWord);
  (void)client.post("/log-in", Given{kAnn, kWord});
  (void)client.post("/new-address", Given{kBob, kWord});
  client.advance(seconds(3));
  const std::string token = token_of(kBob);
  make_account(client, kBob, kOther);
  EXPECT_EQ(client.post("/address", GivenToken{token, ""}).status, 410);
  EXPECT_EQ(client.get("/me").body, kAnn);
}

TEST_F(AccountFlows, AnAddressIsOneInWhateverLettersAndIsKeptAsItWasTyped) {
  TestClient client(app, browser());
  make_account(client, "Ann@Example.org", kWord);
  EXPECT_EQ(client.post("/log-in", Given{"aNN@eXAMPLE.ORG", kWord}).status, 204);
  EXPECT_EQ(client.get("/me").body, "Ann@Example.org");
  (void)client.post("/sign-up", Given{"ANN@example.org", ""});
  client.advance(minutes(2));
  EXPECT_EQ(field_of(mails->last_to("Ann@Example.org"), "Subject"),
            "Shop: You already have an account");
  // The mail goes to the stored spelling: another spelling may be another person's mailbox.
  (void)client.post("/forgotten", Given{"ANN@EXAMPLE.ORG", ""});
  client.advance(seconds(3));
  const MailMessage mail = mails->last_to(kAnn);
  EXPECT_EQ(field_of(mail, "Subject"), "Shop: Choose a new password");
  EXPECT_EQ(mail.recipients, std::vector<std::string>{"Ann@Example.org"});
  // Users can change their address to another spelling.
  EXPECT_EQ(client.post("/new-address", Given{kAnn, kWord}).status, 204);
  client.advance(minutes(2));
  EXPECT_EQ(client.post("/address", GivenToken{token_of(kAnn), ""}).status, 204);
  EXPECT_EQ(client.get("/me").body, kAnn);
}

TEST_F(AccountFlows, OfLinksForTwoSpellingsOneAloneMakesAnAccount) {
  TestClient client(app);
  std::vector<std::string> tokens;
  for (const char* const spelling : {"ann@example.org", "Ann@example.org", "ANN@example.org"}) {
    (void)client.post("/sign-up", Given{spelling, ""});
    client.advance(seconds(3));
    tokens.push_back(token_of(spelling));
  }
  EXPECT_EQ(client.post("/confirm", GivenToken{tokens[1], kWord}).status, 200);
  EXPECT_EQ(client.post("/confirm", GivenToken{tokens[0], kWord}).status, 410);
  EXPECT_EQ(client.post("/confirm", GivenToken{tokens[2], kWord}).status, 410);
}

TEST_F(AccountFlows, APasswordHasBounds) {
  TestClient client(app);
  (void)client.post("/sign-up", Given{kAnn, ""});
  client.advance(seconds(3));
  const std::string token = token_of(kAnn);
  for (const std::string& wrong : {std::string(), std::string(7, 'x'), std::string("😀😀"),
                                   std::string("äöüßäöü"), std::string(1025, 'x')}) {
    const TestResponse reply = client.post("/confirm", GivenToken{token, wrong});
    EXPECT_EQ(reply.status, 422) << wrong;
    EXPECT_TRUE(reply.body.contains("\"/password\"")) << reply.body;
  }
  EXPECT_EQ(client.post("/confirm", GivenToken{token, std::string(1024, 'x')}).status, 200);
}

TEST(AccountLetters, SayForHowLongALinkIsGood) {
  const auto says = [](Duration within, const std::string& length) {
    const AccountMail letter{AccountMailKind::reset, kAnn, "https://shop.example", within};
    return plain_account_mail(letter, "no-reply@shop.example", "")
        .text.contains(" " + length + ". If");
  };
  EXPECT_TRUE(says(hours(24), "24 h"));
  EXPECT_TRUE(says(minutes(90), "90 min"));
  EXPECT_TRUE(says(seconds(45), "45 s"));
}

TEST_F(AccountFlows, AHookWritesTheMailsButChoosesNobodyElse) {
  AccountsOptions options = options_of();
  options.write = [](const AccountMail& letter) {
    return Mail{.to = {letter.to, "eve@example.org"},
                .cc = {"eve@example.org"},
                .bcc = {"eve@example.org"},
                .subject = "Hallo",
                .text = letter.link + "\n"};
  };
  const App other = make_app(database, mails, options);
  TestClient client(other);
  (void)client.post("/sign-up", Given{kAnn, kWord});
  client.advance(seconds(3));
  const MailMessage mail = mails->last_to(kAnn);
  EXPECT_EQ(mail.recipients, std::vector<std::string>{kAnn});
  EXPECT_EQ(field_of(mail, "Subject"), "Hallo");
  EXPECT_FALSE(mail.text.contains("eve@")) << mail.text;
}

TEST_F(AccountFlows, AMailThatCannotBeWrittenKeepsNoOtherWaitingAndIsGivenUpAtLast) {
  const auto log = std::make_shared<LogLines>();
  AccountsOptions options = options_of();
  options.log = log;
  options.write = [](const AccountMail& letter) {
    return Mail{.subject = letter.to == kBob ? "one line" : "two\nlines"};
  };
  const App other = make_app(database, mails, options);
  TestClient client(other);
  for (int index = 0; index < 5; ++index) {
    (void)client.post("/sign-up", Given{std::to_string(index) + "@example.org", ""});
  }
  (void)client.post("/sign-up", Given{kBob, ""});
  // All mails are tried at the same time, so Bob's does not wait for the failing ones.
  client.advance(seconds(1));
  EXPECT_EQ(log->lines.size(), 5U);
  EXPECT_EQ(client.get("/asks").body, "5");
  client.advance(seconds(1));
  EXPECT_EQ(field_of(mails->last_to(kBob), "Subject"), "one line");
  // Retries after 10 s, 20 s, 40 s …
  client.advance(seconds(20));
  EXPECT_EQ(log->lines.size(), 10U);
  client.advance(hours(2));
  ASSERT_EQ(log->lines.size(), 50U);
  EXPECT_TRUE(log->lines.front().contains("will be retried")) << log->lines.front();
  EXPECT_TRUE(log->lines.back().contains("failed finally")) << log->lines.back();
  EXPECT_FALSE(log->lines.back().contains("@example.org")) << log->lines.back();
  EXPECT_EQ(client.get("/asks").body, "0");
  EXPECT_EQ(mails->size(), 1U);
}

TEST_F(AccountFlows, WhatEndsItsProcessAtEachTryIsGivenUp) {
  const auto log = std::make_shared<LogLines>();
  AccountsOptions options = options_of();
  options.log = log;
  App other = make_app(database, mails, options);
  other.post("/killed", [database = database]() -> Task<> {
    co_await database.exec("update eider_account_requests set tries = 10");
  });
  TestClient client(other);
  (void)client.post("/sign-up", Given{kAnn, ""});
  (void)client.post("/killed", Given{});
  client.advance(seconds(3));
  ASSERT_EQ(log->lines.size(), 1U);
  EXPECT_TRUE(log->lines.front().contains("the process ended during each attempt"))
      << log->lines.front();
  EXPECT_EQ(client.get("/asks").body, "0");
  EXPECT_EQ(mails->size(), 0U);
}

TEST_F(AccountFlows, SessionsThatCannotBeEndedAreNotTaken) {
  App other;
  const Sessions visits =
      add_sessions<Visit>(other, {.store = SignedSessions{{std::string(32, 'k')}}});
  Outbox& letters = add_outbox(other, add_jobs(other, database), {.transport = mails});
  EXPECT_THROW(add_accounts(other, database, letters, visits, options_of()), Failure);
}

TEST_F(AccountFlows, AnOriginIsSaidAndNotGuessed) {
  for (const char* const wrong :
       {"", "shop.example", "https://shop.example/", "ftp://shop.example"}) {
    AccountsOptions options = options_of();
    options.origin = wrong;
    EXPECT_THROW((void)make_app(database, mails, options), Failure) << wrong;
  }
}

}  // namespace
}  // namespace eider::test
