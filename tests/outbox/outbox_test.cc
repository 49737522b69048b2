// The outbox with SQLite, in simulated time: transactions, retries, leases and shutdown.
#include "eider/auth/mail/outbox.h"

#include <eider/eider.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"
#include "tests/support/faulty_database.h"

namespace eider {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

Mail mail_to(const std::string& email) {
  return {.from = "no-reply@shop.example", .to = {email}, .subject = "Hello", .text = "Hello!\n"};
}

/// A transport that never finishes sending.
class StuckTransport final : public MailTransport {
 public:
  [[nodiscard]] Task<DeliveryResult> send(std::shared_ptr<const MailMessage> /*message*/) override {
    ++begun;
    co_await sleep_for(hours(24));
    co_return DeliveryResult();
  }
  int begun = 0;
};

class OutboxCase : public ::testing::Test {
 protected:
  static App make_app(const Database& database, std::shared_ptr<MailTransport> transport,
                      std::shared_ptr<LogSink> log, OutboxOptions options = {},
                      JobsOptions of_jobs = {}) {
    App app;
    options.transport = std::move(transport);
    options.log = log;
    of_jobs.log = std::move(log);
    add_outbox(app, add_jobs(app, database, std::move(of_jobs)), std::move(options));
    app.post("/mails/{email}",
             [database](std::string email, State<Outbox> mails) -> Task<std::string> {
               const Mail mail = mail_to(email);
               co_return co_await mails->add(database, mail);
             });
    app.post("/both/{email}/{commits}",
             [database](std::string email, bool commits, State<Outbox> mails) -> Task<> {
               Transaction transaction = co_await database.begin();
               const Mail mail = mail_to(email);
               (void)co_await mails->add(transaction, mail);
               if (commits) {
                 co_await transaction.commit();
               }
             });
    app.get("/counts", [](State<Outbox> mails) { return mails->counts(); });
    app.post("/retry", [](State<Outbox> mails) { return mails->retry_dead(); });
    return app;
  }

  [[nodiscard]] std::string text_of_log() const {
    std::string text;
    for (const std::string& line : log->lines) {
      text += line + "\n";
    }
    return text;
  }

  std::shared_ptr<TestMailbox> mails = std::make_shared<TestMailbox>();
  std::shared_ptr<LogLines> log = std::make_shared<LogLines>();
  std::shared_ptr<DatabaseFaults> faults = std::make_shared<DatabaseFaults>();
  Database database = open_faulty_database(faults);
};

OutboxCounts counts_of(TestClient& client) {
  return client.get("/counts").json<OutboxCounts>();
}

TEST_F(OutboxCase, AMailGoesWhenItsTransactionIsCommittedAndOnlyThen) {
  const App app = make_app(database, mails, log);
  TestClient client(app);
  EXPECT_EQ(client.post_form("/both/ann@example.org/false", std::vector<TestField>()).status, 204);
  client.advance(minutes(10));
  EXPECT_EQ(mails->size(), 0U);
  EXPECT_EQ(client.post_form("/both/bob@example.org/true", std::vector<TestField>()).status, 204);
  client.advance(seconds(2));
  ASSERT_EQ(mails->size(), 1U);
  EXPECT_EQ(mails->all().front().recipients, std::vector<std::string>{"bob@example.org"});
  EXPECT_EQ(text_of(mails->last_to("bob@example.org")), "Hello!\n");
  const OutboxCounts counts = counts_of(client);
  EXPECT_EQ(counts.waiting, 0);
  EXPECT_EQ(counts.sent, 1U);
}

TEST_F(OutboxCase, FewStatementsAreSentWhileNoMailWaits) {
  const App app = make_app(database, mails, log);
  TestClient client(app);
  client.advance(minutes(1));
  faults->asked.clear();
  client.advance(hours(24));
  EXPECT_LT(std::ranges::count_if(
                faults->asked, [](const std::string& sql) { return sql.contains("eider_outbox"); }),
            150);
  EXPECT_EQ(client.post_form("/both/bob@example.org/true", std::vector<TestField>()).status, 204);
  client.advance(seconds(1));
  EXPECT_EQ(mails->size(), 1U);
}

TEST_F(OutboxCase, WhatCannotStandInAMailIsRefusedWhereItIsAdded) {
  const App app = make_app(database, mails, log);
  TestClient client(app);
  EXPECT_EQ(client.post_form("/mails/nobody", std::vector<TestField>()).status, 422);
  EXPECT_EQ(counts_of(client).waiting, 0);
}

TEST_F(OutboxCase, ATemporaryFailureIsTriedAgainLaterAndLaterAsTheSameMail) {
  const App app = make_app(database, mails, log);
  TestClient client(app);
  mails->respond_next(
      {{DeliveryStatus::retry_later, "451 later"}, {DeliveryStatus::retry_later, "451 later"}});
  const std::string id = client.post_form("/mails/ann@example.org", std::vector<TestField>()).body;
  client.advance(seconds(2));
  EXPECT_EQ(counts_of(client).retried, 1U);
  client.advance(seconds(5));
  EXPECT_EQ(counts_of(client).retried, 1U);  // not before 7.5 s
  client.advance(seconds(9));
  EXPECT_EQ(counts_of(client).retried, 2U);
  EXPECT_EQ(mails->size(), 0U);
  client.advance(seconds(30));
  ASSERT_EQ(mails->size(), 1U);
  EXPECT_EQ(mails->all().front().id, id);
  EXPECT_TRUE(mails->all().front().text.contains("<" + id + ">"));
}

TEST_F(OutboxCase, ARefusedMailIsDeadAtOnceAndSaysSo) {
  const App app = make_app(database, mails, log);
  TestClient client(app);
  mails->respond_next({{DeliveryStatus::rejected, "550 <Ann@EXAMPLE.org> no such user"}});
  const std::string id = client.post_form("/mails/ann@example.org", std::vector<TestField>()).body;
  client.advance(hours(1));
  EXPECT_EQ(mails->size(), 0U);
  EXPECT_EQ(counts_of(client).dead, 1);
  EXPECT_TRUE(text_of_log().contains(id)) << text_of_log();
  EXPECT_TRUE(text_of_log().contains("550 <(recipient)> no such user")) << text_of_log();
  EXPECT_FALSE(text_of_log().contains("nn@")) << text_of_log();
  EXPECT_EQ(client.post_form("/retry", std::vector<TestField>()).body, "1");
  client.advance(seconds(2));
  EXPECT_EQ(mails->size(), 1U);
}

TEST_F(OutboxCase, TheTextOfADeadMailWithAOneTimeLinkIsDeleted) {
  App app = make_app(database, mails, log, {.attempts_max = 1}, {.failed_for = hours(2)});
  app.post("/links/{email}", [this](std::string email, State<Outbox> outbox) -> Task<std::string> {
    Mail mail = mail_to(email);
    mail.text = "https://shop.example/reset#the-token";
    mail.is_one_time = true;
    Transaction transaction = co_await database.begin();
    const std::string id = co_await outbox->add(transaction, mail);
    const std::string text =
        (co_await transaction.one<std::string>("select message from eider_outbox"))
            .value_or("no row");
    co_await transaction.commit();
    co_return id + "\n" + text;
  });
  app.get("/texts", [this]() -> Task<std::string> {
    co_return (co_await database.one<std::string>("select message from eider_outbox"))
        .value_or("no row");
  });
  app.get("/jobs", [](State<Jobs> jobs) { return jobs->admin().list(); });
  app.post("/run-all", [](State<Jobs> jobs) -> Task<int> {  // as the jobs page does
    int count = 0;
    for (const JobInfo& job : co_await jobs->admin().list({.state = "failed"})) {
      count += static_cast<int>(co_await jobs->admin().retry(job.id));
    }
    co_return count;
  });
  TestClient client(app);
  mails->respond_next({{DeliveryStatus::rejected, "550 <ann@example.org> is no user"},
                       {DeliveryStatus::retry_later, "451"}});
  for (int death = 0; death < 2; ++death) {
    const std::string stored =
        client.post_form("/links/ann@example.org", std::vector<TestField>()).body;
    EXPECT_TRUE(stored.starts_with("once.")) << stored;
    EXPECT_TRUE(stored.contains("the-token")) << stored;
    client.advance(seconds(1));
    EXPECT_EQ(counts_of(client).dead, 1);
    const std::string jobs = client.get("/jobs").body;
    EXPECT_TRUE(jobs.contains("once.")) << jobs;
    EXPECT_FALSE(jobs.contains("the-token") || jobs.contains("ann@")) << jobs;
    EXPECT_EQ(client.get("/texts").body, "");
    EXPECT_EQ(client.post_form("/retry", std::vector<TestField>()).body, "0");
    EXPECT_EQ(client.post_form("/run-all", std::vector<TestField>()).body, "1");
    client.advance(minutes(11));
    EXPECT_TRUE(client.get("/jobs").body.contains("The text was deleted"));
    client.advance(hours(3));  // then the failed job is deleted
  }
  EXPECT_EQ(mails->size(), 0U);
}

TEST_F(OutboxCase, AttemptsAreBoundedAndTheDeadAreForgotten) {
  const App app = make_app(database, mails, log, {.attempts_max = 3}, {.failed_for = hours(2)});
  TestClient client(app);
  mails->respond_next(std::vector<DeliveryResult>(10, {DeliveryStatus::retry_later, "451 later"}));
  (void)client.post_form("/mails/ann@example.org", std::vector<TestField>());
  client.advance(minutes(30));
  EXPECT_EQ(counts_of(client).dead, 1);
  EXPECT_EQ(counts_of(client).retried, 2U);
  client.advance(hours(2));
  EXPECT_EQ(counts_of(client).dead, 0);
}

TEST_F(OutboxCase, WhatWaitsIsBounded) {
  const App app = make_app(database, mails, log, {.waiting_max = 3});
  TestClient client(app);
  mails->respond_next(std::vector<DeliveryResult>(3, {DeliveryStatus::retry_later, "451 later"}));
  for (int index = 0; index < 3; ++index) {
    EXPECT_EQ(client.post_form("/mails/ann@example.org", std::vector<TestField>()).status, 200);
  }
  EXPECT_EQ(client.post_form("/mails/ann@example.org", std::vector<TestField>()).status, 503);
  client.advance(minutes(1));
  EXPECT_EQ(client.post_form("/mails/ann@example.org", std::vector<TestField>()).status, 200);
}

// Each `add` counts its mail, even if the database then fails.
TEST_F(OutboxCase, MailsAreCountedAgainSoonAfterADatabaseOutage) {
  const App app = make_app(database, mails, log, {.waiting_max = 2});
  TestClient client(app);
  client.advance(minutes(1));
  *faults = {.fails_at = 0, .fails_for = std::numeric_limits<std::size_t>::max()};
  for (int index = 0; index < 3; ++index) {
    EXPECT_NE(client.post_form("/mails/ann@example.org", std::vector<TestField>()).status, 200);
  }
  client.advance(seconds(30));
  *faults = {};
  client.advance(seconds(30));
  EXPECT_EQ(client.post_form("/mails/ann@example.org", std::vector<TestField>()).status, 200);
  client.advance(seconds(30));
  EXPECT_EQ(mails->size(), 1U);
}

TEST_F(OutboxCase, WhatWaitsIsBoundedInBytes) {
  const App app = make_app(database, mails, log, {.waiting_bytes_max = 800});
  TestClient client(app);
  mails->respond_next(
      {{DeliveryStatus::retry_later, "451 later"}, {DeliveryStatus::retry_later, "451 later"}});
  EXPECT_EQ(client.post_form("/mails/ann@example.org", std::vector<TestField>()).status, 200);
  EXPECT_EQ(client.post_form("/mails/ann@example.org", std::vector<TestField>()).status, 200);
  const std::int64_t both = counts_of(client).waiting_bytes;
  EXPECT_GT(both, 500);
  EXPECT_LE(both, 800);
  EXPECT_EQ(client.post_form("/mails/ann@example.org", std::vector<TestField>()).status, 503);
  client.advance(minutes(1));
  EXPECT_EQ(counts_of(client).waiting_bytes, 0);
  EXPECT_EQ(client.post_form("/mails/ann@example.org", std::vector<TestField>()).status, 200);
}

// Clients that sign up with addresses that the mail server rejects must not fill the disk.
TEST_F(OutboxCase, TheDeadAreBoundedInBytesAndTheOldestGo) {
  const App app = make_app(database, mails, log, {.dead_bytes_max = 800});
  TestClient client(app);
  for (const char* const name : {"ann", "bob", "cid", "dan"}) {
    mails->respond_next({{DeliveryStatus::rejected, "550 no such user"}});
    (void)client.post_form("/mails/" + std::string(name) + "@example.org",
                           std::vector<TestField>());
    client.advance(seconds(20));
  }
  const OutboxCounts counts = counts_of(client);
  EXPECT_EQ(counts.dead, 2);
  EXPECT_GT(counts.dead_bytes, 500);
  EXPECT_LE(counts.dead_bytes, 800);
  EXPECT_EQ(counts.failed, 4U);
  EXPECT_TRUE(text_of_log().contains("1 failed mails were deleted")) << text_of_log();
  EXPECT_EQ(client.post_form("/retry", std::vector<TestField>()).body, "2");
  client.advance(seconds(5));
  EXPECT_EQ(mails->size(), 2U);
  EXPECT_EQ(text_of(mails->last_to("cid@example.org")), "Hello!\n");
  EXPECT_EQ(text_of(mails->last_to("dan@example.org")), "Hello!\n");
}

TEST_F(OutboxCase, AMailThatIsTooLargeIsRefusedWhereItIsAdded) {
  const App app = make_app(database, mails, log, {.mail_bytes_max = 200});
  TestClient client(app);
  EXPECT_EQ(client.post_form("/mails/ann@example.org", std::vector<TestField>()).status, 422);
  EXPECT_EQ(counts_of(client).waiting, 0);
}

// A mail that is not recorded as sent is sent again, so the outbox retries until a busy database
// has the record.
TEST_F(OutboxCase, ANoteThatTheDatabaseRefusesIsWrittenAgain) {
  const App app = make_app(database, mails, log);
  TestClient client(app);
  for (const bool is_done : {false, true}) {
    *faults = {.fails_for = 3, .begins = "delete from eider_outbox where job", .is_done = is_done};
    (void)client.post_form("/mails/ann@example.org", std::vector<TestField>());
    client.advance(seconds(2));
    EXPECT_EQ(counts_of(client).sent, is_done ? 1U : 0U);
    client.advance(seconds(15));
    EXPECT_EQ(faults->fails_for, 0U);
    const OutboxCounts counts = counts_of(client);
    EXPECT_EQ(counts.sent, is_done ? 2U : 1U);
    EXPECT_EQ(counts.waiting, 0);
  }
  EXPECT_EQ(mails->size(), 2U);
  client.advance(minutes(20));  // longer than the lease
  EXPECT_EQ(mails->size(), 2U);
}

TEST_F(OutboxCase, WhateverFailsOnceAMailGoesSoon) {
  const App app = make_app(database, mails, log);
  TestClient client(app);
  constexpr std::size_t kOfAdd = 4;  // begin, two rows, commit
  for (std::size_t index = 0; index < 5; ++index) {
    faults->fail_behind(kOfAdd + index);
    (void)client.post_form("/mails/ann@example.org", std::vector<TestField>());
    client.advance(seconds(20));
    EXPECT_TRUE(faults->has_failed());
    EXPECT_EQ(mails->size(), index + 1) << faults->asked.at(*faults->fails_at);
    client.advance(minutes(1));
    EXPECT_EQ(counts_of(client).waiting, 0);
  }
}

TEST_F(OutboxCase, ANoteThatIsWrittenAgainCountsNoMailTwice) {
  const App app = make_app(database, mails, log, {.waiting_max = 2});
  TestClient client(app);
  *faults = {.fails_for = 2, .begins = "delete from eider_outbox where job", .is_done = true};
  (void)client.post_form("/mails/ann@example.org", std::vector<TestField>());
  client.advance(seconds(4));
  EXPECT_EQ(counts_of(client).sent, 1U);
  mails->respond_next(std::vector<DeliveryResult>(9, {DeliveryStatus::retry_later, "451 later"}));
  EXPECT_EQ(client.post_form("/mails/ann@example.org", std::vector<TestField>()).status, 200);
  EXPECT_EQ(client.post_form("/mails/ann@example.org", std::vector<TestField>()).status, 200);
  EXPECT_EQ(client.post_form("/mails/ann@example.org", std::vector<TestField>()).status, 503);
}

TEST_F(OutboxCase, AnEndWithNothingOnItsWayWarnsOfNothing) {
  const App app = make_app(database, mails, log);
  {
    TestClient first(app);
    const TestClient second(app);
    (void)first.post_form("/mails/ann@example.org", std::vector<TestField>());
    first.advance(seconds(2));
  }
  EXPECT_EQ(mails->size(), 1U);
  EXPECT_EQ(text_of_log(), "");
}

TEST_F(OutboxCase, AMailOfAProcessThatWasKilledIsSentWhenItsLeaseIsOver) {
  const auto stuck = std::make_shared<StuckTransport>();
  const App killed = make_app(database, stuck, log);
  const App other = make_app(database, mails, log);
  TestClient first(killed);
  (void)first.post_form("/mails/ann@example.org", std::vector<TestField>());
  first.advance(seconds(2));
  EXPECT_EQ(stuck->begun, 1);
  TestClient second(other);  // has its own loop; the first loop does not run, as if killed
  second.advance(minutes(25));
  EXPECT_EQ(mails->size(), 0U);
  second.advance(minutes(25));
  EXPECT_EQ(mails->size(), 1U);
}

TEST_F(OutboxCase, OneThatTakesLongerThanItsLeaseIsGivenUpAheadOfIt) {
  const auto stuck = std::make_shared<StuckTransport>();
  const App app = make_app(database, stuck, log);
  TestClient client(app);
  (void)client.post_form("/mails/ann@example.org", std::vector<TestField>());
  client.advance(minutes(12) + seconds(5));
  EXPECT_EQ(counts_of(client).retried, 1U);
}

TEST_F(OutboxCase, AMailThatEndsItsProcessEachTimeFailsAndLosesItsOneTimeLink) {
  App app = make_app(database, mails, log);
  app.post("/killed", [this](State<Outbox> outbox) -> Task<> {
    Mail mail = mail_to("ann@example.org");
    mail.is_one_time = true;
    Transaction transaction = co_await database.begin();
    (void)co_await outbox->add(transaction, mail);
    co_await transaction.exec(
        "update eider_jobs set state = 'running', worker = 99, attempt = attempts_max");
    co_await transaction.exec(
        "insert into eider_job_workers(id, label, lease_until, started) values(99, 'dead', 5, 5)");
    co_await transaction.commit();
  });
  app.get("/texts", [this]() -> Task<std::string> {
    co_return (co_await database.one<std::string>("select message from eider_outbox"))
        .value_or("no row");
  });
  TestClient client(app);
  (void)client.post_form("/killed", std::vector<TestField>());
  EXPECT_FALSE(client.get("/texts").body.empty());
  client.advance(hours(1));
  EXPECT_EQ(counts_of(client).dead, 1);
  EXPECT_EQ(client.get("/texts").body, "");
  EXPECT_EQ(mails->size(), 0U);
}

/// A transport with its own time limit, which it uses up.
class SlowTransport final : public MailTransport {
 public:
  [[nodiscard]] Duration time_limit() const noexcept override { return minutes(20); }
  [[nodiscard]] Task<DeliveryResult> send(std::shared_ptr<const MailMessage> /*message*/) override {
    co_await sleep_for(time_limit());
    co_return DeliveryResult();
  }
};

TEST_F(OutboxCase, ATransportHasItsOwnTimeLimit) {
  const App app = make_app(database, std::make_shared<SlowTransport>(), log);
  TestClient client(app);
  (void)client.post_form("/mails/ann@example.org", std::vector<TestField>());
  client.advance(minutes(19));
  EXPECT_EQ(counts_of(client).waiting, 1);
  client.advance(minutes(2));
  EXPECT_EQ(counts_of(client).sent, 1U);
  EXPECT_EQ(counts_of(client).retried, 0U);
}

TEST_F(OutboxCase, TheEndWaitsForNoTransportThatIsStuck) {
  const auto stuck = std::make_shared<StuckTransport>();
  const App app = make_app(database, stuck, log);
  {
    TestClient client(app);
    (void)client.post_form("/mails/ann@example.org", std::vector<TestField>());
    client.advance(seconds(2));
  }
  EXPECT_TRUE(text_of_log().contains("run again in another process")) << text_of_log();
}

TEST_F(OutboxCase, WithoutATransportThereIsNone) {
  App app;
  EXPECT_THROW(add_outbox(app, add_jobs(app, database), {}), Failure);
}

}  // namespace
}  // namespace eider
