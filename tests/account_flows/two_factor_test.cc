// Two-factor authentication, and attacks on it.
#include <algorithm>
#include <string>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/testkit/loop_sim.h"
#include "eider/web/middleware/login_throttle.h"
#include "tests/account_flows/second_step_case.h"

namespace eider::test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class TwoFactorFlows : public SecondStepCase {};

TEST_F(TwoFactorFlows, ALoginNeedsTheCodeOfTheAppOnceItIsOn) {
  Tab client(line());
  const RecoveryCodes codes = turn_on(client);
  EXPECT_EQ(codes.size(), 10U);
  EXPECT_EQ(client.get("/status").body, R"({"is_on":true,"recovery_codes_left":10})");
  client.advance(seconds(3));
  EXPECT_EQ(field_of(mails->last_to(kAnn), "Subject"),
            "Shop: Two-factor authentication was turned on");
  Tab other(line());
  EXPECT_EQ(other.post("/log-in", Given{kAnn, kWord}).status, 204);
  EXPECT_EQ(other.get("/me").status, 401) << "not between the steps";
  EXPECT_EQ(other.get("/pending").body, "yes");
  EXPECT_EQ(other.post("/code", GivenCode{"", code_at(client)}).status, 204);
  EXPECT_EQ(other.get("/me").body, kAnn);
  EXPECT_EQ(other.get("/pending").body, "no");
}

TEST_F(TwoFactorFlows, ACodeIsValidOnceAndInTheStepsAroundIt) {
  Tab client(line());
  (void)turn_on(client);
  client.advance(minutes(2));
  const auto log_in_with = [](Tab& by, const std::string& code) {
    EXPECT_EQ(by.post("/log-in", Given{kAnn, kWord}).status, 204);
    return by.post("/code", GivenCode{"", code}).status;
  };
  Tab here(line());
  here.advance(minutes(3));
  EXPECT_EQ(log_in_with(here, code_at(here, -2)), 422);
  EXPECT_EQ(log_in_with(here, code_at(here, 2)), 422);
  const std::string before = code_at(here, -1);
  const std::string now = code_at(here);
  EXPECT_EQ(log_in_with(here, now), 204);
  EXPECT_EQ(log_in_with(here, now), 422) << "replayed";
  EXPECT_EQ(log_in_with(here, before), 422) << "older than the last one";
  EXPECT_EQ(log_in_with(here, code_at(here, 1)), 204);
}

TEST_F(TwoFactorFlows, OfSeveralRequestsWithOneCodeOneSucceeds) {
  Tab client(line());
  const RecoveryCodes codes = turn_on(client);
  (void)client.post("/log-in", Given{kAnn, kWord});
  EXPECT_EQ(client.post("/codes-at-once", GivenCode{"", code_at(client)}).body, "1");
  (void)client.post("/log-in", Given{kAnn, kWord});
  EXPECT_EQ(client.post("/codes-at-once", GivenCode{"", codes.at(0)}).body, "1");
}

TEST_F(TwoFactorFlows, ARecoveryCodeReplacesOneCodeOnce) {
  Tab client(line());
  const RecoveryCodes codes = turn_on(client);
  const auto use = [&](const std::string& code) {
    EXPECT_EQ(client.post("/log-in", Given{kAnn, kWord}).status, 204);
    return client.post("/code", GivenCode{"", code}).status;
  };
  EXPECT_EQ(use(codes.at(0)), 204);
  EXPECT_EQ(use(codes.at(0)), 422);
  std::string typed = codes.at(1);
  std::ranges::replace(typed, '-', ' ');
  std::ranges::transform(typed, typed.begin(), [](char c) { return c >= 'a' ? char(c - 32) : c; });
  EXPECT_EQ(use(typed), 204) << typed;
  EXPECT_EQ(client.get("/status").body, R"({"is_on":true,"recovery_codes_left":8})");
  client.advance(seconds(3));
  EXPECT_EQ(field_of(mails->last_to(kAnn), "Subject"), "Shop: A recovery code was used");
  const auto fresh = client.post("/recovery-codes", Given{}).json<RecoveryCodes>();
  EXPECT_EQ(fresh.size(), 10U);
  client.advance(seconds(3));
  EXPECT_EQ(field_of(mails->last_to(kAnn), "Subject"), "Shop: Your recovery codes were replaced");
  EXPECT_EQ(use(codes.at(2)), 422) << "replaced";
  client.advance(minutes(20));
  EXPECT_EQ(use(fresh.at(0)), 204);
}

TEST_F(TwoFactorFlows, ItIsOffAgainOnceItsOwnerTurnsItOff) {
  Tab client(line());
  const RecoveryCodes codes = turn_on(client);
  EXPECT_EQ(client.post("/off", Given{}).status, 204);
  client.advance(seconds(3));
  EXPECT_EQ(field_of(mails->last_to(kAnn), "Subject"),
            "Shop: Two-factor authentication was turned off");
  Tab other(line());
  EXPECT_EQ(other.post("/log-in", Given{kAnn, kWord}).status, 204);
  EXPECT_EQ(other.get("/me").body, kAnn);
  EXPECT_EQ(client.get("/secrets").body, "");
  EXPECT_EQ(client.post("/recovery-codes", Given{}).status, 409);
}

TEST_F(TwoFactorFlows, ASetupIsOfOneAccountForAnHourAndNeedsItsCode) {
  Tab client(line());
  make_account(client.client(), kAnn, kWord);
  make_account(client.client(), kBob, kWord);
  (void)client.post("/log-in", Given{kAnn, kWord});
  const auto setup = client.post("/setup", Given{}).json<TwoFactorSetup>();
  EXPECT_TRUE(setup.uri.starts_with("otpauth://totp/Shop:ann%40example.org?secret=")) << setup.uri;
  EXPECT_EQ(client.get("/status").body, R"({"is_on":false,"recovery_codes_left":0})");
  std::string letters = setup.secret;
  std::erase(letters, ' ');
  EXPECT_TRUE(setup.uri.contains("secret=" + letters + "&")) << setup.uri;
  secret = from_base32(letters).value_or("");
  EXPECT_EQ(client.post("/on", GivenCode{setup.token, "000000"}).status, 422);
  EXPECT_EQ(client.post("/on", GivenCode{setup.token + "A", code_at(client)}).status, 410);
  Tab bob(line());
  (void)bob.post("/log-in", Given{kBob, kWord});
  EXPECT_EQ(bob.post("/on", GivenCode{setup.token, code_at(client)}).status, 410);
  EXPECT_EQ(client.post("/on", GivenCode{setup.token, code_at(client)}).status, 200);
  EXPECT_EQ(client.post("/on", GivenCode{setup.token, code_at(client)}).status, 409);
  Tab late(line());
  (void)late.post("/log-in", Given{kBob, kWord});
  const auto old = late.post("/setup", Given{}).json<TwoFactorSetup>();
  late.advance(minutes(61));
  (void)late.post("/log-in", Given{kBob, kWord});
  letters = old.secret;
  std::erase(letters, ' ');
  secret = from_base32(letters).value_or("");
  EXPECT_EQ(late.post("/on", GivenCode{old.token, code_at(late)}).status, 410);
}

TEST_F(TwoFactorFlows, ASetupEndsWithThePassword) {
  Tab client(line());
  make_account(client.client(), kAnn, kWord);
  (void)client.post("/log-in", Given{kAnn, kWord});
  const TwoFactorSetup setup = begin_setup(client);
  EXPECT_EQ(client.post("/password", Given{kWord, kOther}).status, 204);
  const TestResponse on = client.post("/on", GivenCode{setup.token, code_at(client)});
  EXPECT_EQ(on.status, 410);
  EXPECT_TRUE(on.body.contains("This setup has expired. Start again.")) << on.body;
  EXPECT_EQ(client.get("/status").body, R"({"is_on":false,"recovery_codes_left":0})");
  const TwoFactorSetup again = begin_setup(client);
  EXPECT_EQ(client.post("/on", GivenCode{again.token, code_at(client)}).status, 200);
}

TEST_F(TwoFactorFlows, ASetupOfAnEndedSessionNeedsANewLogin) {
  Tab client(line());
  make_account(client.client(), kAnn, kWord);
  (void)client.post("/log-in", Given{kAnn, kWord});
  const TwoFactorSetup setup = begin_setup(client);
  EXPECT_EQ(client.post("/log-out-all", Given{}).status, 204);
  EXPECT_EQ(client.post("/on", GivenCode{setup.token, code_at(client)}).status, 401);
  (void)client.post("/log-in", Given{kAnn, kWord});
  EXPECT_EQ(client.get("/status").body, R"({"is_on":false,"recovery_codes_left":0})");
}

TEST_F(TwoFactorFlows, APasswordResetDoesNotBypassIt) {
  second.post("/reset-and-begin",
              [](Json<GivenToken> given, ClientInfo client, Session<> session,
                 State<Accounts> all) -> Task<Result<std::string>> {
                const auto login = co_await all->reset(given->token, given->password, client);
                if (!login) {
                  co_return fail(login.error());
                }
                co_return all->begin(session, *login, "/account?a=b");
              });
  Tab owner(line());
  (void)turn_on(owner);
  Tab thief(line());
  (void)thief.post("/forgotten", Given{kAnn, ""});
  thief.advance(seconds(3));
  const TestResponse reset =
      thief.post("/reset-and-begin", GivenToken{token_of(kAnn), "hacked hacked"});
  EXPECT_EQ(reset.body, "/two-factor?next=%2Faccount%3Fa%3Db");
  EXPECT_EQ(thief.get("/me").status, 401);
  EXPECT_EQ(thief.post("/code", GivenCode{"", "000000"}).status, 422);
  EXPECT_EQ(thief.get("/me").status, 401);
}

TEST_F(TwoFactorFlows, AnAppThatIgnoresTheSecondStepLogsNobodyIn) {
  second.post("/forged",
              [](Json<Given> given, ClientInfo client, Session<> session,
                 State<Accounts> all) -> Task<Result<void>> {
                auto login = co_await all->log_in(given->email, given->password, client);
                EXPECT_TRUE(login.has_value());
                login->needs_second_factor = false;
                all->begin(session, *login);
                co_return Result<void>();
              });
  second.post("/linked-login",
              [](Json<Given> given, Session<> session, State<Accounts> all) -> Task<Result<void>> {
                const auto account = co_await all->find_or_create(given->email);
                EXPECT_TRUE(account.has_value());
                const auto login = co_await all->log_in_verified({account->key});
                EXPECT_TRUE(login.has_value());
                all->begin(session, *login);
                co_return Result<void>();
              });
  Tab owner(line());
  (void)turn_on(owner);
  Tab client(line());
  EXPECT_EQ(client.post("/forged", Given{kAnn, kWord}).status, 401);
  EXPECT_EQ(client.get("/me").status, 401);
  EXPECT_EQ(client.post("/linked-login", Given{kAnn, ""}).status, 204);
  EXPECT_EQ(client.get("/me").status, 401) << "a provider's login has the second step, too";
  EXPECT_EQ(client.get("/pending").body, "yes");
}

TEST_F(TwoFactorFlows, AStolenPendingLoginOpensNothing) {
  Tab owner(line());
  (void)turn_on(owner);
  const TestResponse login = Tab(line()).post("/log-in", Given{kAnn, kWord});
  const std::string field(login.header("Set-Cookie").value_or(""));
  EXPECT_TRUE(field.starts_with("session-login=")) << field;
  EXPECT_TRUE(field.contains("HttpOnly")) << field;
  const std::string cookie = field.substr(0, field.find(';'));
  TestClient& thief = line();
  const auto me = [&](const std::string& with) {
    return thief.send({.target = "/me", .headers = {{"Cookie", with}}}).status;
  };
  EXPECT_EQ(me(cookie), 401);
  EXPECT_EQ(me("session=" + cookie.substr(cookie.find('=') + 1)), 401);
  EXPECT_EQ(post_as(cookie, thief, "/code", GivenCode{"", "123456"}).status, 422);
  EXPECT_EQ(post_as(cookie + "A", thief, "/code", GivenCode{"", code_at(owner)}).status, 401);
  EXPECT_EQ(post_as("a=b", thief, "/code", GivenCode{"", code_at(owner)}).status, 401);
  EXPECT_EQ(post_as("session-login=" + std::string(3000, 'A'), thief, "/code",
                    GivenCode{"", code_at(owner)})
                .status,
            401);
  // The owner changes the password: logins started with the old one are no longer valid.
  EXPECT_EQ(owner.post("/password", Given{kWord, kOther}).status, 204);
  owner.advance(seconds(31));
  EXPECT_EQ(post_as(cookie, thief, "/code", GivenCode{"", code_at(owner)}).status, 401);
}

TEST_F(TwoFactorFlows, APendingLoginEndsAfterTenMinutesAndOnLogout) {
  second.post("/log-out", [](Session<> session) { session.log_out(); });
  Tab client(line());
  (void)turn_on(client);
  Tab other(line());
  (void)other.post("/log-in", Given{kAnn, kWord});
  EXPECT_EQ(other.get("/pending").body, "yes");
  other.advance(minutes(10) + seconds(1));
  EXPECT_EQ(other.get("/pending").body, "no");
  EXPECT_EQ(other.post("/code", GivenCode{"", code_at(other)}).status, 401);
  (void)other.post("/log-in", Given{kAnn, kWord});
  (void)other.post("/log-out", Given{});
  EXPECT_EQ(other.get("/pending").body, "no");
}

TEST_F(TwoFactorFlows, GuessedCodesAreSlowedDownAlsoAtOnce) {
  Tab owner(line());
  (void)turn_on(owner);
  Tab thief(line());
  (void)thief.post("/log-in", Given{kAnn, kWord});
  EXPECT_EQ(thief.post("/codes-at-once", GivenCode{"", "123456"}).body, "0");
  int status = 0;
  for (int turn = 0; turn < 3; ++turn) {
    status = thief.post("/code", GivenCode{"", "123456"}).status;
  }
  EXPECT_EQ(status, 429);
  // Even the correct code is rejected during the delay, so the response reveals nothing.
  EXPECT_EQ(thief.post("/code", GivenCode{"", code_at(owner)}).status, 429);
}

// Each guess comes from a different address.
TEST(TwoFactorLimits, AllowFewGuessesInManyDays) {
  SimKernel kernel;
  SimLoop loop(kernel);
  const LoginThrottle throttle(two_factor_limits());
  int addresses = 0;
  const auto is_tried = [&] {
    bool is_made = false;
    const std::string address = "2001:db8:" + std::to_string(++addresses) + "::1";
    loop.call([&] {
      is_made =
          throttle.begin("ann", {.address = address, .port = {}, .scheme = "https", .host = {}})
              .has_value();
    });
    return is_made;
  };
  const auto tried_in_a_day = [&](Duration pause) {
    int tried = 0;
    for (Duration passed = Duration::zero(); passed < hours(24); passed += pause) {
      while (is_tried()) {
        ++tried;
      }
      kernel.advance(pause);
    }
    return tried;
  };
  EXPECT_LE(tried_in_a_day(minutes(61)), 41) << "a pause does not make attempts free again";
  EXPECT_LE(tried_in_a_day(minutes(30)), 25) << "the attempts of the first day still count";
  kernel.advance(hours(26));
  EXPECT_TRUE(is_tried()) << "they are forgotten in the end";
}

TEST_F(TwoFactorFlows, TurningItOnEndsTheOtherSessions) {
  Tab here(line());
  make_account(here.client(), kAnn, kWord);
  (void)here.post("/log-in", Given{kAnn, kWord});
  Tab there(line());
  (void)there.post("/log-in", Given{kAnn, kWord});
  EXPECT_EQ(there.get("/recent").body, kAnn);
  const TwoFactorSetup setup = begin_setup(here);
  EXPECT_EQ(here.post("/on", GivenCode{setup.token, "000000"}).status, 422);
  EXPECT_EQ(there.get("/recent").body, kAnn) << "not by a wrong code";
  EXPECT_EQ(here.post("/on", GivenCode{setup.token, code_at(here)}).status, 200);
  EXPECT_EQ(here.get("/me").body, kAnn);
  EXPECT_EQ(there.get("/me").status, 401);
  EXPECT_EQ(there.get("/recent").status, 401);
  here.advance(seconds(30));
  EXPECT_EQ(here.get("/me").body, kAnn) << "the request for a process that ends is withdrawn";
  EXPECT_EQ(Tab(line()).post("/on", GivenCode{setup.token, code_at(here)}).status, 401);
}

TEST_F(TwoFactorFlows, TheOtherSessionsEndLaterIfTheyCannotBeEndedAtOnce) {
  Tab here(line());
  make_account(here.client(), kAnn, kWord);
  (void)here.post("/log-in", Given{kAnn, kWord});
  Tab there(line());
  (void)there.post("/log-in", Given{kAnn, kWord});
  const TwoFactorSetup setup = begin_setup(here);
  *faults = {.fails_for = 1, .begins = "delete from eider_sessions where owner"};
  EXPECT_EQ(here.post("/on", GivenCode{setup.token, code_at(here)}).status, 503);
  EXPECT_EQ(faults->fails_for, 0U);
  *faults = {};
  EXPECT_EQ(here.get("/status").body, R"({"is_on":true,"recovery_codes_left":10})");
  here.advance(seconds(15));
  EXPECT_EQ(there.get("/me").status, 401);
}

TEST_F(TwoFactorFlows, AStepUpNeedsBothFactorsAgain) {
  Tab client(line());
  (void)turn_on(client);
  client.advance(minutes(11));
  EXPECT_EQ(client.get("/recent").status, 401);
  (void)client.post("/log-in", Given{kAnn, kWord});
  EXPECT_EQ(client.get("/me").body, kAnn) << "the user stays logged in";
  EXPECT_EQ(client.get("/recent").status, 401) << "the password alone is not enough";
  EXPECT_EQ(client.post("/code", GivenCode{"", code_at(client)}).status, 204);
  EXPECT_EQ(client.get("/recent").body, kAnn);
}

TEST_F(TwoFactorFlows, ServersWhoseClocksDifferAcceptEachCodeOnce) {
  App other_server = make_second_app();
  Tab here(line());
  (void)turn_on(here);
  TestClient other_line(other_server);
  Tab there(other_line);
  there.advance(seconds(now_of(here) - now_of(there) + 25));
  const auto log_in_with = [](Tab& by, const std::string& code) {
    EXPECT_EQ(by.post("/log-in", Given{kAnn, kWord}).status, 204);
    return by.post("/code", GivenCode{"", code}).status;
  };
  const std::string code = code_at(there);
  EXPECT_EQ(log_in_with(there, code), 204);
  EXPECT_EQ(log_in_with(here, code), 422);
  here.advance(minutes(1));
  EXPECT_EQ(log_in_with(here, code_at(here)), 204);
}

TEST_F(TwoFactorFlows, SecretsAreEncryptedAndMovedToNoOtherAccount) {
  second.post("/move", [base = database](Json<Given> given) -> Task<> {
    co_await base.exec(
        "update eider_account_factors set account = (select name from eider_accounts where email = "
        "$1)",
        given->email);
  });
  Tab client(line());
  const RecoveryCodes codes = turn_on(client);
  make_account(client.client(), kBob, kOther);
  const std::string stored = client.get("/secrets").body;
  EXPECT_FALSE(stored.contains(secret));
  EXPECT_FALSE(stored.contains(to_base32(secret)));
  EXPECT_FALSE(stored.contains(codes.at(0)));
  (void)client.post("/move", Given{kBob, ""});
  (void)client.post("/log-in", Given{kBob, kOther});
  EXPECT_EQ(client.post("/code", GivenCode{"", code_at(client)}).status, 500);
}

TEST_F(TwoFactorFlows, InputsOfAllKindsAreWrongCodes) {
  Tab client(line());
  (void)turn_on(client);
  for (const std::string& code :
       {std::string(), std::string("12345"), std::string("1234567"), std::string("12345\0", 6),
        std::string("\0\0\0\0\0\0", 6), std::string(100'000, '1'), std::string("１２３４５６"),
        std::string("' or 1=1--"), std::string("-123456")}) {
    Tab other(line());
    (void)other.post("/log-in", Given{kAnn, kWord});
    const int status = other.post("/code", GivenCode{"", code}).status;
    EXPECT_TRUE(status == 422 || status == 429) << code.substr(0, 20) << ": " << status;
  }
}

TEST_F(TwoFactorFlows, KeysAreReplacedWithoutLosingASecret) {
  {
    Tab client(line());
    (void)turn_on(client);
  }
  AccountsOptions rotated = options_with_second_step();
  rotated.two_factor.keys = {std::string(32, 'n'), std::string(32, 'k')};
  App next = make_second_app(rotated);
  TestClient next_line(next);
  Tab client(next_line);
  client.advance(minutes(5));
  (void)client.post("/log-in", Given{kAnn, kWord});
  EXPECT_EQ(client.post("/code", GivenCode{"", code_at(client)}).status, 204);
}

TEST_F(TwoFactorFlows, AKeyCanBeRemovedOnceItsUsersHaveLoggedIn) {
  {
    Tab client(line());
    (void)turn_on(client);
  }
  const auto log_in_with = [this](std::vector<std::string> keys, Duration later) {
    AccountsOptions rotated = options_with_second_step();
    rotated.two_factor.keys = std::move(keys);
    App next = make_second_app(rotated);
    TestClient next_line(next);
    Tab client(next_line);
    client.advance(later);
    (void)client.post("/log-in", Given{kAnn, kWord});
    return client.post("/code", GivenCode{"", code_at(client)}).status;
  };
  const std::string old(32, 'k');
  const std::string fresh(32, 'n');
  EXPECT_EQ(log_in_with({fresh}, minutes(5)), 500) << "not yet";
  EXPECT_EQ(log_in_with({fresh, old}, minutes(10)), 204);
  EXPECT_EQ(log_in_with({fresh}, minutes(15)), 204);
  EXPECT_EQ(log_in_with({old}, minutes(20)), 500);
}

TEST_F(TwoFactorFlows, ThePageForTheCodeMayHaveAQuery) {
  AccountsOptions options = options_with_second_step();
  options.two_factor.page = "/two-factor?style=plain";
  {
    Tab owner(line());
    (void)turn_on(owner);
  }
  App other = make_second_app(options);
  TestClient other_line(other);
  Tab client(other_line);
  client.advance(minutes(5));
  EXPECT_EQ(client.post("/login-link", Given{kAnn, ""}).status, 204);
  client.advance(seconds(3));
  EXPECT_EQ(client.post("/log-in/link", GivenToken{login_token(kAnn), ""}).body,
            "/two-factor?style=plain&next=%2Fnext");
}

TEST_F(TwoFactorFlows, AnAppWithoutKeysDoesNotStartOnceSomebodyHasTurnedItOn) {
  {
    Tab client(line());
    (void)turn_on(client);
  }
  App without = make_app(database, mails);
  try {
    TestClient client(without);
    FAIL() << "it started";
  } catch (const std::exception& failure) {
    EXPECT_TRUE(std::string(failure.what()).contains("two_factor.keys")) << failure.what();
  }
}

TEST_F(TwoFactorFlows, OptionsAreChecked) {
  AccountsOptions options = options_with_second_step();
  options.two_factor.keys = {"short"};
  EXPECT_THROW((void)make_second_app(options), Failure);
  options = options_with_second_step();
  options.two_factor.step_within = hours(1);
  EXPECT_THROW((void)make_second_app(options), Failure);
  options = options_with_second_step();
  options.name = "";
  EXPECT_THROW((void)make_second_app(options), Failure);
}

}  // namespace
}  // namespace eider::test
