// The outbox over PostgreSQL, whose sums and windows are of other types than SQLite's.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "eider/auth/mail/outbox.h"
#include "eider/testkit/log_lines.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

class OutboxOnPostgres : public PostgresTest {
 protected:
  void SetUp() override { script(base_, "drop table if exists eider_outbox"); }

  [[nodiscard]] OutboxOptions options(std::size_t dead_bytes_max) const {
    return {.transport = std::make_shared<TestMailbox>(),
            .dead_bytes_max = dead_bytes_max,
            .log = log_};
  }
  /// Starts, which looks after what is there, and ends.
  static Task<OutboxCounts> run_once(Outbox* outbox) {
    co_await outbox->start();
    const OutboxCounts counts = co_await outbox->counts();
    co_await outbox->stop();
    co_return counts;
  }

  const Database base_ = open();
  const std::shared_ptr<LogLines> log_ = std::make_shared<LogLines>();
};

TEST_F(OutboxOnPostgres, KeepsTheNewestDeadThatHaveRoom) {
  Outbox roomy(base_, options(std::size_t{1} << 20U));
  EXPECT_EQ(on_loop_.run(run_once(&roomy)).dead, 0);
  script(base_,
         "insert into eider_outbox(id, state, due, added, lease, attempts, sender, recipients, "
         "error, bytes, message) select 'mail ' || n, 'dead', 9000000000 + n, 0, '', 1, '', '[]', "
         "'', 300, 'x' from generate_series(1, 4) as n");
  Outbox narrow(base_, options(700));
  const OutboxCounts counts = on_loop_.run(run_once(&narrow));
  EXPECT_EQ(counts.dead, 2);
  EXPECT_EQ(counts.dead_bytes, 600);
  EXPECT_EQ(number(base_, "select count(*) from eider_outbox where id in ('mail 3', 'mail 4')"), 2);
  ASSERT_FALSE(log_->lines.empty());
  EXPECT_TRUE(log_->lines.back().contains("2 failed mails were deleted")) << log_->lines.back();
}

TEST_F(OutboxOnPostgres, SendsWhatIsAddedAndCountsIt) {
  const auto mails = std::make_shared<TestMailbox>();
  OutboxOptions how = options(std::size_t{1} << 20U);
  how.transport = mails;
  Outbox outbox(base_, how);
  on_loop_.run([](Database on, Outbox* out) -> Task<> {
    (void)co_await run_once(out);  // makes the table
    const Mail mail{.from = "no-reply@shop.example",
                    .to = {"ann@example.org"},
                    .subject = "Hello",
                    .text = "Hello!\n"};
    (void)co_await out->add(on, mail);
    (void)co_await run_once(out);  // begins with what is due, and ends behind it
    EXPECT_EQ((co_await out->counts()).sent, 1U);
  }(base_, &outbox));
  EXPECT_EQ(mails->size(), 1U);
  EXPECT_EQ(number(base_, "select count(*) from eider_outbox"), 0);
}

}  // namespace
}  // namespace eider
