// Accounts when the database is busy or lost, or clients disconnect. The work is the same for
// existing and unknown accounts.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/account_flows/account_case.h"

namespace eider::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// Returns options without login delays.
AccountsOptions patient_options() {
  const LoginDelays patient{.free = 100'000};
  AccountsOptions options = options_of();
  options.logins = {.account_and_address = patient, .address = patient, .account = patient};
  options.mails = options.logins;
  options.log = std::make_shared<LogLines>();
  return options;
}

class AccountFaults : public AccountCase {
 protected:
  /// Returns a new app for each client, because the worker of an app starts only once.
  App make_patient_app() { return make_app(database, mails, patient_options()); }

  /// Makes each statement of a request fail in turn: only this one or all from there on, with or
  /// without being executed. Calls `ask` on a new account each time, until no statement fails.
  void fail_each(
      const std::function<void(TestClient& client, const std::string& email)>& set_up,
      const std::function<int(TestClient& client, const std::string& email)>& ask,
      const std::function<void(TestClient& client, const std::string& email, int status)>& look) {
    for (const bool is_done : {false, true}) {
      for (const std::size_t fails_for : {std::size_t{1}, std::size_t{1000}}) {
        bool has_failed = true;
        for (std::size_t index = 0; has_failed; ++index) {
          ASSERT_LT(index, 30U);
          const std::string email = std::to_string(++count_) + "@example.org";
          const App patient = make_patient_app();
          TestClient client(patient);
          set_up(client, email);
          *faults = {.fails_for = fails_for, .is_done = is_done};
          faults->fail_behind(index);
          const int status = ask(client, email);
          has_failed = faults->has_failed();
          *faults = {};
          if (has_failed) {
            look(client, email, status);
          }
        }
      }
    }
  }

 private:
  int count_ = 0;
};

TEST_F(AccountFaults, ASignUpThatFailsMakesNoAccountAndMayBeSentAgain) {
  fail_each([](TestClient&, const std::string&) {},
            [](TestClient& client, const std::string& email) {
              return client.post("/sign-up", Given{email, ""}).status;
            },
            [&](TestClient& client, const std::string& email, int status) {
              EXPECT_EQ(status, 503);
              make_account(client, email, kWord);
            });
}

// Creating the account and using up the link are one step; if it fails, the link stays valid.
TEST_F(AccountFaults, AConfirmationThatFailsIsDoneWhollyOrNotAtAll) {
  fail_each(
      [](TestClient& client, const std::string& email) {
        (void)client.post("/sign-up", Given{email, ""});
        client.advance(seconds(3));
      },
      [&](TestClient& client, const std::string& email) {
        return client.post("/confirm", GivenToken{token_of(email), kWord}).status;
      },
      [&](TestClient& client, const std::string& email, int status) {
        EXPECT_EQ(status, 503);
        const bool is_made = client.post("/log-in", Given{email, kWord}).status == 204;
        EXPECT_EQ(client.post("/confirm", GivenToken{token_of(email), kWord}).status,
                  is_made ? 410 : 200);
        EXPECT_EQ(client.post("/log-in", Given{email, kWord}).status, 204);
      });
}

// Whichever statement fails: if the password was changed, all sessions end, later if necessary.
TEST_F(AccountFaults, AResetThatFailsIsDoneWithTheEndOfSessionsOrNotAtAll) {
  std::string thief;
  fail_each(
      [&](TestClient& client, const std::string& email) {
        make_account(client, email, kWord);
        thief = log_in(client, email, kWord);
        (void)client.post("/forgotten", Given{email, ""});
        client.advance(seconds(3));
      },
      [&](TestClient& client, const std::string& email) {
        return client.post("/reset", GivenToken{token_of(email), kOther}).status;
      },
      [&](TestClient& client, const std::string& email, int status) {
        EXPECT_EQ(status, 503);
        client.advance(seconds(30));
        const bool is_changed = client.post("/log-in", Given{email, kOther}).status == 204;
        EXPECT_EQ(client.post("/log-in", Given{email, kWord}).status, is_changed ? 401 : 204);
        EXPECT_EQ(client.send({.target = "/me", .headers = {{"Cookie", thief}}}).status,
                  is_changed ? 401 : 200);
        const bool was_told =
            field_of(mails->last_to(email), "Subject") == "Shop: Your password was changed";
        EXPECT_EQ(was_told, is_changed);
      });
}

TEST_F(AccountFaults, ALoginThatFailsGivesNoCookie) {
  std::string cookie;
  fail_each(
      [&](TestClient& client, const std::string& email) { make_account(client, email, kWord); },
      [&](TestClient& client, const std::string& email) {
        const TestResponse reply = client.post("/log-in", Given{email, kWord});
        cookie = reply.header("Set-Cookie").value_or("");
        return reply.status;
      },
      [&](TestClient& client, const std::string& email, int status) {
        EXPECT_EQ(status, 503);
        EXPECT_EQ(cookie, "");
        EXPECT_EQ(client.post("/log-in", Given{email, kWord}).status, 204);
      });
}

// The worker sends one mail for each account request, however often it has to retry.
TEST_F(AccountFaults, AMailIsWrittenOnceWhateverFailsBehindTheResponse) {
  for (std::size_t index = 0; index < 25; ++index) {
    const std::string email = "behind" + std::to_string(index) + "@example.org";
    const App patient = make_patient_app();
    TestClient client(patient);
    (void)client.post("/sign-up", Given{email, ""});
    faults->fail_behind(index);
    client.advance(minutes(2));
    EXPECT_TRUE(faults->has_failed()) << index;
    *faults = {};
    client.advance(minutes(2));
    EXPECT_EQ(client.get("/asks").body, "0") << index;
    const auto kept = mails->all();
    EXPECT_EQ(std::ranges::count_if(
                  kept, [&](const MailMessage& mail) { return mail.recipients.front() == email; }),
              1)
        << index;
    EXPECT_EQ(client.post("/confirm", GivenToken{token_of(email), kWord}).status, 200) << index;
  }
}

// Owners must be able to lock out a thief even if the mail server is down or the hook that writes
// mails throws.
TEST_F(AccountFaults, ANoticeThatCannotBeWrittenStopsNoChange) {
  const auto log = std::make_shared<LogLines>();
  bool is_broken = true;
  AccountsOptions options = options_of();
  options.log = log;
  options.write = [&is_broken](const AccountMail& letter) {
    const bool is_notice = letter.kind == AccountMailKind::password_changed ||
                           letter.kind == AccountMailKind::address_changed;
    if (is_broken && is_notice) {
      throw std::runtime_error("no words for a notice");
    }
    return plain_account_mail(letter, "no-reply@shop.example", "Shop");
  };
  const App other = make_app(database, mails, options);
  TestClient client(other, browser());
  make_account(client, kAnn, kWord);
  (void)client.post("/forgotten", Given{kAnn, ""});
  client.advance(seconds(3));
  EXPECT_EQ(client.post("/reset", GivenToken{token_of(kAnn), kOther}).status, 204);
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kOther}).status, 204);
  EXPECT_EQ(client.post("/password", Given{kOther, kWord}).status, 204);
  EXPECT_EQ(client.post("/new-address", Given{kBob, kWord}).status, 204);
  client.advance(seconds(3));
  EXPECT_EQ(client.post("/address", GivenToken{token_of(kBob), ""}).status, 204);
  EXPECT_EQ(client.get("/me").body, kBob);
  client.advance(seconds(3));
  EXPECT_EQ(log->lines.size(), 3U);
  EXPECT_EQ(client.get("/asks").body, "3");
  // The worker retries the notices. They go to the address that the account had before.
  is_broken = false;
  client.advance(minutes(1));
  EXPECT_EQ(client.get("/asks").body, "0");
  int notices = 0;
  for (const MailMessage& mail : mails->all()) {
    const bool is_notice = field_of(mail, "Subject").ends_with(" was changed");
    notices += is_notice && mail.recipients == std::vector<std::string>{kAnn} ? 1 : 0;
  }
  EXPECT_EQ(notices, 3);
}

TEST_F(AccountFaults, AnAskThatCouldNotBeWrittenDownCountsForNobody) {
  AccountsOptions full = options_of();
  full.requests_max = 0;
  const App none = make_app(database, mails, full);
  TestClient refused(none);
  TestClient client(app);
  *faults = {.fails_for = 5, .begins = "insert into eider_account_requests"};
  for (int turn = 0; turn < 5; ++turn) {  // three of them have no delay
    EXPECT_EQ(refused.post("/forgotten", Given{kAnn, ""}).status, 503) << turn;
    EXPECT_EQ(client.post("/forgotten", Given{kAnn, ""}).status, 503) << turn;
  }
  EXPECT_EQ(client.post("/forgotten", Given{kAnn, ""}).status, 204);
}

Task<> note_end(Task<Result<AccountLogin>> task, bool& is_done) {
  (void)co_await std::move(task);
  is_done = true;
}

/// Runs `begun` for `turns` turns of the loop, then cancels it, as when the client disconnects.
Task<bool> leave_behind(int turns, Task<Result<AccountLogin>> begun) {
  bool is_done = false;
  Scope client;
  client.start(note_end(std::move(begun), is_done));
  for (int turn = 0; turn < turns && !is_done; ++turn) {
    co_await yield_now();
  }
  client.cancel();
  co_await client.join();
  co_return is_done;
}

// A client disconnects at each point where its request waits: everything is done, or nothing.
TEST_F(AccountFaults, AClientThatLeavesLeavesNothingHalfDone) {
  bool is_done = false;
  int turns = 0;
  for (; !is_done && turns < 100; ++turns) {
    const std::string email = "left" + std::to_string(turns) + "@example.org";
    App patient = make_patient_app();
    patient.post("/leave/{turns}",
                 [](int behind, Json<GivenToken> given, ClientInfo client,
                    State<Accounts> all) -> Task<bool> {
                   return leave_behind(behind,
                                       given->password == kWord
                                           ? all->confirm(given->token, given->password)
                                           : all->reset(given->token, given->password, client));
                 });
    TestClient client(patient);
    const std::string path = "/leave/" + std::to_string(turns);
    (void)client.post("/sign-up", Given{email, ""});
    client.advance(seconds(3));
    const bool is_confirmed = client.post(path, GivenToken{token_of(email), kWord}).json<bool>() ||
                              client.post("/log-in", Given{email, kWord}).status == 204;
    EXPECT_EQ(client.post("/confirm", GivenToken{token_of(email), kWord}).status,
              is_confirmed ? 410 : 200);
    const std::string thief = log_in(client, email, kWord);
    (void)client.post("/forgotten", Given{email, ""});
    client.advance(seconds(3));
    is_done = client.post(path, GivenToken{token_of(email), kOther}).json<bool>();
    client.advance(seconds(30));
    const bool is_reset = client.post("/log-in", Given{email, kOther}).status == 204;
    EXPECT_EQ(client.post("/log-in", Given{email, kWord}).status, is_reset ? 401 : 204);
    EXPECT_EQ(client.send({.target = "/me", .headers = {{"Cookie", thief}}}).status,
              is_reset ? 401 : 200)
        << turns;
  }
  EXPECT_TRUE(is_done);
  EXPECT_GT(turns, 5);
}

class AccountWork : public AccountCase {
 protected:
  /// The work before a response: the SQL statements and the number of argon2 hashes.
  struct Work {
    std::vector<std::string> statements;
    std::uint64_t hashes = 0;
    int status = 0;

    friend bool operator==(const Work&, const Work&) = default;
  };

  template <class T>
  Work work_of(TestClient& client, const std::string& path, const T& given) {
    const std::size_t begun = faults->asked.size();
    const std::uint64_t hashes = hashes_of(client);
    Work work;
    work.status = client.post(path, given).status;
    work.statements.assign(faults->asked.begin() + static_cast<std::ptrdiff_t>(begun),
                           faults->asked.end());
    work.hashes = hashes_of(client) - hashes;
    return work;
  }

  static std::uint64_t hashes_of(TestClient& client) {
    return std::stoull(client.get("/hashes").body);
  }
};

TEST_F(AccountWork, IsTheSameForAddressesWithAnAccountAndWithout) {
  TestClient client(app);
  make_account(client, kAnn, kWord);
  client.advance(minutes(30));
  for (const char* const path : {"/sign-up", "/forgotten", "/log-in"}) {
    const Work known = work_of(client, path, Given{kAnn, "wrong wrong"});
    const Work unknown = work_of(client, path, Given{"eve@example.org", "wrong wrong"});
    EXPECT_EQ(known, unknown) << path;
    EXPECT_EQ(known.statements.size(), 1U) << path;
    EXPECT_EQ(known.hashes, std::string(path) == "/log-in" ? 1U : 0U) << path;
  }
  // Each address gets one mail. Only its owner can see which one.
  client.advance(seconds(3));
  EXPECT_EQ(mails->all().size(), 4U);  // with Ann's first sign-up; resets only go to accounts
}

// If the cost of hashes changes, an old hash takes another time to verify than the dummy hash for
// unknown accounts. A login of the owner replaces the hash.
TEST_F(AccountWork, IsThatOfTodayOnceAnOwnerHasLoggedIn) {
  {
    TestClient client(app);
    make_account(client, kAnn, kWord);
  }
  AccountsOptions dearer = options_of();
  dearer.passwords.cost = {.memory_kib = 128, .passes = 2, .lanes = 1};
  const App other = make_app(database, mails, dearer);
  TestClient client(other);
  EXPECT_EQ(work_of(client, "/log-in", Given{kAnn, "wrong wrong"}),
            work_of(client, "/log-in", Given{"eve@example.org", "wrong wrong"}));
  EXPECT_FALSE(client.get("/dump").body.contains("m=128,t=2"));
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kWord}).status, 204);
  EXPECT_TRUE(client.get("/dump").body.contains("m=128,t=2"));
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kWord}).status, 204);
}

TEST_F(AccountWork, OfTenThousandSignUpsForOneAddressFewAreDone) {
  app.trust_proxies("unix");
  TestClient client(app);
  client.advance(seconds(1));
  int good = 0;
  for (int index = 0; index < 10'000; ++index) {
    const TestResponse reply = client.send(
        {.method = Method::post,
         .target = "/sign-up",
         .headers = {{"Content-Type", "application/json"},
                     {"X-Forwarded-For", "2001:db8:" + std::to_string(index % 9000) + "::1"}},
         .body = json::to_text(Given{kAnn, ""})});
    EXPECT_TRUE(reply.status == 204 || reply.status == 429) << reply.body;
    good += reply.status == 204 ? 1 : 0;
  }
  EXPECT_LE(good, 10);
  EXPECT_GE(good, 1);
  client.advance(seconds(10));
  EXPECT_EQ(mails->size(), static_cast<std::size_t>(good));
}

}  // namespace
}  // namespace eider::test
