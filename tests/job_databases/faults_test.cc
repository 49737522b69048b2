// Each job is done once, whichever statement of the process that enqueues and runs it fails.
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/job_databases/tested_jobs.h"

namespace eider {
namespace {

using How = StatementFault::How;

constexpr std::size_t kStatements = 30;  // more than an order and its jobs need
constexpr std::size_t kAtOnce = 15;
constexpr std::int64_t kOrdersMax = 1000;  // per process

/// The number of handler runs in all processes, by order number.
struct Handled {
  std::map<std::int64_t, int> running;
  std::map<std::int64_t, int> written;
  std::map<std::int64_t, int> published;
};

class Handling {
 public:
  Handling(Handled& handled, std::int64_t key) : running_(handled.running[key]) {
    EXPECT_EQ(++running_, 1) << "two processes run the job " << key;
  }
  ~Handling() { --running_; }
  Handling(const Handling&) = delete;
  Handling& operator=(const Handling&) = delete;

 private:
  int& running_;
};

/// Returns a process with its own queue.
TestedJobs make_process(const Database& database, const std::string& queue, Handled* handled) {
  TestedJobs jobs(database, {.lease = 1s, .stop_grace = 100ms});
  const JobOptions options{.attempts = 100, .queue = queue, .first_pause = 5ms, .pause_max = 20ms};
  jobs.on<WriteNote>(
      [handled](WriteNote job, Transaction& transaction) -> Task<> {
        const Handling handling(*handled, job.number);
        ++handled->written[job.number];
        co_await transaction.exec("insert into effects(n) values($1)", job.number);
      },
      options);
  jobs.on<Publish>(
      [handled](Publish job) -> Task<> {
        const std::int64_t number = std::stoll(job.what);
        const Handling handling(*handled, -number);
        co_await sleep_for(1ms);
        ++handled->published[number];
      },
      options);
  return jobs;
}

/// Stores an order and its two jobs. The outcome of the commit may remain unknown.
Task<> place_order(Database database, const Jobs& jobs, std::int64_t number) {
  try {
    Transaction transaction = co_await database.begin();
    co_await transaction.exec("insert into orders(n) values($1)", number);
    co_await jobs.enqueue(transaction, WriteNote{number, "x"});
    co_await jobs.enqueue(transaction, Publish{std::to_string(number)});
    co_await transaction.commit();
  } catch (const db::Failure&) {
    co_return;
  }
}

Task<> order_and_wait(Database own, Database base, const Jobs& jobs, std::int64_t number,
                      std::string left, const StatementFault& fault) {
  co_await place_order(own, jobs, number);
  while (!fault.has_happened() && co_await rows(base, left) != 0) {
    co_await sleep_for(5ms);
  }
}

/// Runs a process until its fault has happened. A second process takes over if necessary.
///
/// own   the database of the process, with the fault
/// base  the same database without the fault
Task<> live(Database own, Database base, std::shared_ptr<StatementFault> fault, std::int64_t first,
            Handled* handled) {
  const std::string queue = "q" + std::to_string(first);
  const std::string left = "eider_jobs where queue = '" + queue + "'";
  TestedJobs jobs = make_process(own, queue, handled);
  co_await start_patiently(jobs);
  co_await order_and_wait(own, base, *jobs, first, left, *fault);  // statements are prepared now
  fault->arm();
  for (std::int64_t n = first + 1; !fault->has_happened() && n < first + kOrdersMax; ++n) {
    co_await order_and_wait(own, base, *jobs, n, left, *fault);
  }
  EXPECT_TRUE(fault->has_happened());
  TestedJobs other = make_process(base, queue, handled);
  if (fault->how == How::away || fault->how == How::late) {
    co_await other.start();
  }
  co_await rows_become(base, left, 0);
  co_await jobs->stop();
  co_await other->stop();
}

/// Runs processes with faults at successive statements.
Task<> live_together(const Opener* opener, Database base, How how, std::size_t first_at,
                     Handled* handled) {
  Scope scope;
  for (std::size_t at = first_at; at < first_at + kAtOnce; ++at) {
    const auto fault = std::make_shared<StatementFault>(how, at);
    const Database own = opener->open_failing(
        {.connections_max = 2, .connect_time_max = 1s, .wait_time_max = 1s}, fault);
    scope.start(live(own, base, fault, static_cast<std::int64_t>(at + 1) * kOrdersMax, handled));
  }
  co_await scope.join();
}

Task<> check(Database base, const Handled* handled) {
  const auto orders = co_await base.all<std::int64_t>("select n from orders order by n");
  const auto effects = co_await base.all<std::int64_t>("select n from effects order by n");
  EXPECT_EQ(orders, effects) << "each effect once, and none without its order";
  EXPECT_GE(orders.size(), kStatements);
  const std::set<std::int64_t> placed(orders.begin(), orders.end());
  for (const std::int64_t order : orders) {
    EXPECT_TRUE(handled->published.contains(order)) << order << " was lost";
  }
  for (const auto& [number, count] : handled->published) {
    EXPECT_TRUE(placed.contains(number)) << number << " has no order";
  }
  for (const auto& [number, count] : handled->written) {
    EXPECT_TRUE(placed.contains(number)) << number << " has no order";
  }
}

class JobFaults : public JobsTest {
 protected:
  void fail_each(How how) {
    script(database(), "drop table if exists orders; create table orders(n bigint not null)");
    Handled handled;
    for (std::size_t at = 0; at < kStatements; at += kAtOnce) {
      TestLoop loop;  // closes its connections when it is destroyed
      loop.run(live_together(opener_.get(), database(), how, at, &handled));
    }
    on_loop_.run(check(database(), &handled));
  }
};

INSTANTIATE_TEST_SUITE_P(On, JobFaults, each_database(), name_of_database);

TEST_P(JobFaults, at_a_statement_that_is_not_executed_lose_and_repeat_nothing) {
  fail_each(How::lost);
}

TEST_P(JobFaults, at_a_statement_whose_response_is_lost_lose_and_repeat_nothing) {
  fail_each(How::done);
}

TEST_P(JobFaults, after_which_a_process_has_no_database_lose_and_repeat_nothing) {
  fail_each(How::away);
}

TEST_P(JobFaults, that_delay_a_statement_beyond_the_lease_lose_and_repeat_nothing) {
  if (is_sqlite()) {
    GTEST_SKIP() << "SQLite has no server";
  }
  fail_each(How::late);
}

}  // namespace
}  // namespace eider
