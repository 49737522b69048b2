// The outbox on each database: the types of sums, window functions and text sizes differ.
#include <memory>
#include <string>
#include <vector>

#include "eider/auth/mail/outbox.h"
#include "eider/testkit/log_lines.h"
#include "tests/job_databases/tested_jobs.h"

namespace eider {
namespace {

class OutboxDatabases : public JobsTest {
 protected:
  void SetUp() override {
    JobsTest::SetUp();
    script(database(), "drop table if exists eider_outbox");
  }
  static Task<> start(Jobs* jobs, Outbox* outbox) {
    co_await jobs->start();
    co_await outbox->start();
    jobs->start_work();
  }
  static Mail mail() {
    return {.from = "no-reply@shop.example",
            .to = {"ann@example.org"},
            .subject = "Hello",
            .text = "Hello!\n"};
  }

  const std::shared_ptr<TestMailbox> mails_ = std::make_shared<TestMailbox>();
  const std::shared_ptr<LogLines> log_ = std::make_shared<LogLines>();
};

INSTANTIATE_TEST_SUITE_P(On, OutboxDatabases, each_database(), name_of_database);

TEST_P(OutboxDatabases, keep_the_newest_failed_mails_within_the_limit_and_retry_them) {
  mails_->respond_next(std::vector<DeliveryResult>(4, {DeliveryStatus::rejected, "550 no"}));
  Jobs jobs(database(), quick());
  Outbox outbox(jobs, {.transport = mails_, .dead_bytes_max = 800, .log = log_});
  on_loop_.run([](Database base, Jobs* all, Outbox* out) -> Task<> {
    co_await start(all, out);
    for (int added = 0; added < 4; ++added) {
      const Mail hello = mail();
      (void)co_await out->add(base, hello);
    }
    co_await rows_become(base, "eider_jobs where state = 'failed'", 4);
    co_await out->look_after();
    co_await rows_become(base, "eider_outbox", 2);
    const OutboxCounts counts = co_await out->counts();
    EXPECT_EQ(counts.waiting_bytes, 0);
    EXPECT_EQ(counts.dead, 2);
    EXPECT_GT(counts.dead_bytes, 500);
    EXPECT_LE(counts.dead_bytes, 800);
    EXPECT_EQ(counts.failed, 4U);
    EXPECT_EQ(co_await out->retry_dead(), 2);
    co_await rows_become(base, "eider_jobs", 0);
    co_await all->stop();
  }(database(), &jobs, &outbox));
  EXPECT_EQ(mails_->size(), 2U);
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_TRUE(log_->lines[0].contains("2 failed mails were deleted")) << log_->lines[0];
}

// A MariaDB server may have an engine without transactions, or latin1, as its default.
TEST_P(OutboxDatabases, have_a_table_with_the_engine_and_characters_of_jobs) {
  if (database().dialect() != db::Dialect::mariadb) {
    return;
  }
  Jobs jobs(database(), quick());
  Outbox outbox(jobs, {.transport = mails_, .log = log_});
  on_loop_.run([](Jobs* all, Outbox* out) -> Task<> {
    co_await start(all, out);
    co_await all->stop();
  }(&jobs, &outbox));
  EXPECT_EQ(number(database(),
                   "select count(*) from information_schema.tables where table_schema = database() "
                   "and table_name = 'eider_outbox' and engine = 'InnoDB' "
                   "and table_collation = 'utf8mb4_bin'"),
            1);
}

// The arguments of a job are limited to 1 MiB.
TEST_P(OutboxDatabases, send_large_mails_after_the_commit) {
  Jobs jobs(database(), quick());
  Outbox outbox(jobs, {.transport = mails_, .log = log_});
  on_loop_.run([](Database base, Jobs* all, Outbox* out) -> Task<> {
    co_await start(all, out);
    Mail large = mail();
    large.attachments.push_back({.filename = "a.bin", .content = std::string(3'000'000, '\0')});
    Transaction transaction = co_await base.begin();
    (void)co_await out->add(transaction, large);
    co_await transaction.commit();
    co_await rows_become(base, "eider_jobs", 0);
    co_await all->stop();
  }(database(), &jobs, &outbox));
  ASSERT_EQ(mails_->size(), 1U);
  EXPECT_GT(mails_->all()[0].text.size(), 4'000'000U);
  EXPECT_EQ(number(database(), "select count(*) from eider_outbox"), 0);
}

}  // namespace
}  // namespace eider
