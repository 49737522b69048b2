// Jobs are enqueued, run, retried, canceled and unique, on each database.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "eider/data/db/pool.h"
#include "tests/job_databases/tested_jobs.h"

namespace eider {
namespace {

class JobRuns : public JobsTest {};

INSTANTIATE_TEST_SUITE_P(On, JobRuns, each_database(), name_of_database);

/// Records of a handler.
struct Seen {
  std::vector<std::string> texts;
  int running = 0;
  int most = 0;
  int ended = 0;

  [[nodiscard]] int count() const { return static_cast<int>(texts.size()); }
};

auto noting(Seen* seen) {
  return [seen](WriteNote job) { seen->texts.push_back(job.text); };
}

/// Counts running handlers. Its destructor also runs when a handler is canceled.
class Within {
 public:
  explicit Within(Seen& seen) : seen_(seen) { seen_.most = std::max(seen_.most, ++seen_.running); }
  ~Within() {
    --seen_.running;
    ++seen_.ended;
  }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  Seen& seen_;
};

auto sleeping(Seen* seen, Duration how_long) {
  return [seen, how_long](WriteNote job) -> Task<> {
    const Within within(*seen);
    seen->texts.push_back(job.text);
    co_await sleep_for(how_long);
  };
}

TEST_P(JobRuns, after_the_commit_of_its_transaction_and_never_after_a_rollback) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>(noting(seen));
    co_await jobs.start();
    {
      Transaction undone = co_await base.begin();
      co_await jobs->enqueue(undone, WriteNote{1, "undone"});
      co_await undone.roll_back();
    }
    Transaction kept = co_await base.begin();
    const EnqueuedJob added = co_await jobs->enqueue(kept, WriteNote{2, "ke'pt \u00eb"});
    EXPECT_TRUE(added.is_new);
    EXPECT_GT(added.id, 0);
    co_await kept.exec("insert into effects(n) values(1)");
    co_await sleep_for(100ms);
    EXPECT_EQ(seen->count(), 0);
    co_await kept.commit();
    co_await eventually([=] { return seen->count() == 1; });
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
    EXPECT_EQ(seen->texts, std::vector<std::string>{"ke'pt \u00eb"});
  }(database(), &its_seen));
}

TEST_P(JobRuns, although_a_later_id_was_committed_before) {
  Seen its_seen;
  on_loop_.run([](Database base, Database other, Seen* seen) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>(noting(seen));
    co_await jobs.start();
    if (base.dialect() == db::Dialect::sqlite) {  // one writer, so this order cannot occur
      co_await jobs->stop();
      co_return;
    }
    Transaction slow = co_await other.begin();
    const EnqueuedJob first = co_await jobs->enqueue(slow, WriteNote{1, "first"});
    const EnqueuedJob second = co_await jobs->enqueue(base, WriteNote{2, "second"});
    EXPECT_LT(first.id, second.id);
    co_await eventually([=] { return seen->count() == 1; }, "the second");
    co_await slow.commit();
    co_await eventually([=] { return seen->count() == 2; }, "the first");
    co_await jobs->stop();
    EXPECT_EQ(seen->texts, (std::vector<std::string>{"second", "first"}));
  }(database(), open(), &its_seen));
}

TEST_P(JobRuns, again_after_a_failure_until_its_attempts_are_used) {
  Seen its_seen;
  const auto its_log = std::make_shared<JobsLog>();
  on_loop_.run([](Database base, Seen* seen, std::shared_ptr<JobsLog> log) -> Task<> {
    TestedJobs jobs(base, {.log = log});
    jobs.on<WriteNote>(
        [seen](WriteNote job, JobContext& context) -> Result<void> {
          EXPECT_EQ(context.is_last_attempt(), context.attempt() % 3 == 0);
          seen->texts.push_back(std::to_string(context.attempt()));
          if (job.number != 0 && context.attempt() <= job.number) {
            return fail(Error::internal("the attempt fails"));
          }
          return {};
        },
        {.attempts = 3, .first_pause = 1ms});
    co_await jobs.start();
    co_await jobs->enqueue(base, WriteNote{2, "succeeds at last"});
    co_await rows_become(base, "eider_jobs", 0);
    EXPECT_EQ(seen->texts, (std::vector<std::string>{"1", "2", "3"}));
    EXPECT_TRUE(log->contains("failed in attempt 2 of 3"));

    const EnqueuedJob hopeless = co_await jobs->enqueue(base, WriteNote{9, "fails"});
    co_await rows_become(base, "eider_jobs where state = 'failed'", 1);
    auto info = co_await jobs->admin().find(hopeless.id);
    EXPECT_EQ(info->error, "the attempt fails");
    EXPECT_EQ(info->attempt, 3);
    EXPECT_TRUE(log->contains("failed finally"));
    EXPECT_TRUE(co_await jobs->admin().retry(hopeless.id));
    co_await eventually([=] { return seen->count() == 9; }, "three further attempts");
    co_await rows_become(base, "eider_jobs where state = 'failed'", 1);
    EXPECT_TRUE(co_await jobs->admin().discard(hopeless.id));
    EXPECT_FALSE(co_await jobs->admin().discard(hopeless.id));
    co_await jobs->stop();
  }(database(), &its_seen, its_log));
}

TEST_P(JobRuns, at_most_for_its_timeout) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>(sleeping(seen, 1h), {.attempts = 1, .timeout = 50ms});
    co_await jobs.start();
    const EnqueuedJob job = co_await jobs->enqueue(base, WriteNote{1, "slow"});
    co_await rows_become(base, "eider_jobs where state = 'failed'", 1);
    EXPECT_EQ(seen->running, 0);
    const auto info = co_await jobs->admin().find(job.id);
    EXPECT_NE(info->error.find("timeout of 50ms"), std::string::npos) << info->error;
    co_await jobs->stop();
  }(database(), &its_seen));
}

TEST_P(JobRuns, in_the_order_of_priorities_and_then_of_ids) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base, {.queues = {{"default", 1}}});
    jobs.on<WriteNote>(noting(seen));
    co_await jobs->start();
    co_await jobs->enqueue(base, WriteNote{1, "c"}, {.priority = 5});
    co_await jobs->enqueue(base, WriteNote{2, "b"});
    co_await jobs->enqueue(base, WriteNote{3, "a"}, {.priority = -1});
    co_await jobs->enqueue(base, WriteNote{4, "d"}, {.priority = 5});
    jobs->start_work();
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
    EXPECT_EQ(seen->texts, (std::vector<std::string>{"a", "b", "c", "d"}));
  }(database(), &its_seen));
}

TEST_P(JobRuns, within_the_concurrency_of_its_queue) {
  Seen its_seen;
  Seen its_other;
  on_loop_.run([](Database base, Seen* seen, Seen* other) -> Task<> {
    TestedJobs jobs(base, {.queues = {{"slow", 3}}});
    jobs.on<WriteNote>(sleeping(seen, 30ms), {.queue = "slow"});
    jobs.on<Publish>([other](Publish job) { other->texts.push_back(job.what); });
    co_await jobs.start();
    co_await jobs->enqueue_all(base, std::vector<WriteNote>(20, WriteNote{1, "x"}));
    co_await jobs->enqueue(base, Publish{"beside"});
    co_await eventually([=] { return other->count() == 1; });
    EXPECT_LT(seen->ended, 20);
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
    EXPECT_EQ(seen->most, 3);
    EXPECT_EQ(seen->ended, 20);
  }(database(), &its_seen, &its_other));
}

TEST_P(JobRuns, when_it_is_due) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>(noting(seen));
    co_await jobs.start();
    const std::int64_t now = co_await jobs->admin().now();
    const auto at = [&](std::int64_t ms) {
      return std::chrono::system_clock::time_point(std::chrono::milliseconds(now + ms));
    };
    co_await jobs->enqueue(base, WriteNote{1, "later"}, {.run_at = at(400)});
    co_await jobs->enqueue(base, WriteNote{2, "tomorrow"}, {.delay = 24h});
    co_await jobs->enqueue(base, WriteNote{3, "past"}, {.run_at = at(-5000)});
    co_await jobs->enqueue(base, WriteNote{4, "soon"}, {.delay = 100ms});
    co_await eventually([=] { return seen->count() == 3; });
    EXPECT_GE(co_await jobs->admin().now(), now + 400);
    EXPECT_EQ(seen->texts, (std::vector<std::string>{"past", "soon", "later"}));
    co_await rows_become(base, "eider_jobs", 1);
    const auto waiting = co_await jobs->enqueued<WriteNote>();
    EXPECT_EQ(waiting.at(0).text, "tomorrow");
    co_await jobs->stop();
  }(database(), &its_seen));
}

TEST_P(JobRuns, once_for_a_unique_key_until_it_is_done) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>(noting(seen));
    jobs.on<Publish>([](Publish) {});
    co_await jobs->start();
    const EnqueuedJob first = co_await jobs->enqueue(base, WriteNote{1, "a"}, {.unique = 7});
    const EnqueuedJob again = co_await jobs->enqueue(base, WriteNote{2, "b"}, {.unique = 7});
    EXPECT_EQ(again.id, first.id);
    EXPECT_FALSE(again.is_new);
    EXPECT_TRUE((co_await jobs->enqueue(base, WriteNote{3, "c"}, {.unique = "8"})).is_new);
    EXPECT_TRUE((co_await jobs->enqueue(base, Publish{"p"}, {.unique = 7})).is_new);
    const std::string long_key(5000, 'k');
    EXPECT_TRUE((co_await jobs->enqueue(base, Publish{"p"}, {.unique = long_key})).is_new);
    EXPECT_FALSE((co_await jobs->enqueue(base, Publish{"p"}, {.unique = long_key})).is_new);
    {
      Transaction both = co_await base.begin();
      EXPECT_FALSE((co_await jobs->enqueue(both, WriteNote{4, "d"}, {.unique = 7})).is_new);
      co_await both.exec("insert into effects(n) values(1)");  // the transaction is still usable
      co_await both.commit();
    }
    jobs->start_work();
    co_await rows_become(base, "eider_jobs", 0);
    EXPECT_TRUE((co_await jobs->enqueue(base, WriteNote{5, "e"}, {.unique = 7})).is_new);
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
    EXPECT_EQ(seen->texts, (std::vector<std::string>{"a", "c", "e"}));
  }(database(), &its_seen));
}

TEST_P(JobRuns, once_for_each_of_two_unique_keys_that_differ_in_case_or_spaces) {
  on_loop_.run([](Database base) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<Publish>([](Publish) {});
    co_await jobs->start();
    for (const char* const key : {"ada", "ada ", "ada  ", "Ada", " ada", "\u00e0da"}) {
      EXPECT_TRUE((co_await jobs->enqueue(base, Publish{"p"}, {.unique = key})).is_new) << key;
      EXPECT_FALSE((co_await jobs->enqueue(base, Publish{"p"}, {.unique = key})).is_new) << key;
    }
    EXPECT_TRUE(co_await jobs->cancel<Publish>(base, "ada "));
    EXPECT_FALSE((co_await jobs->enqueue(base, Publish{"p"}, {.unique = "ada"})).is_new);
    co_await jobs->stop();
  }(database()));
}

TEST_P(JobRuns, not_if_its_unique_key_is_canceled) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>(noting(seen));
    jobs.on<Publish>([](Publish) {}, {.keep_done_for = 1h});
    co_await jobs->start();
    const std::string long_key(5000, 'k');
    co_await jobs->enqueue(base, WriteNote{1, "a"}, {.unique = 7});
    co_await jobs->enqueue(base, WriteNote{2, "b"}, {.unique = long_key});
    co_await jobs->enqueue(base, WriteNote{3, "c"}, {.unique = 8});
    co_await jobs->enqueue(base, Publish{"p"}, {.unique = 7, .unique_for = 1h});
    {
      Transaction undone = co_await base.begin();
      EXPECT_TRUE(co_await jobs->cancel<WriteNote>(undone, 8));
      co_await undone.roll_back();
    }
    EXPECT_TRUE(co_await jobs->cancel<WriteNote>(base, 7));
    EXPECT_FALSE(co_await jobs->cancel<WriteNote>(base, 7));
    EXPECT_TRUE(co_await jobs->cancel<WriteNote>(base, long_key));
    jobs->start_work();
    co_await rows_become(base, "eider_jobs where state <> 'done'", 0);
    EXPECT_FALSE(co_await jobs->cancel<Publish>(base, 7));  // done, but still reserves its key
    co_await jobs->stop();
    EXPECT_EQ(seen->texts, std::vector<std::string>{"c"});
  }(database(), &its_seen));
}

TEST_P(JobRuns, once_for_a_unique_key_within_a_period) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>(noting(seen));
    co_await jobs.start();
    const EnqueueOptions once{.unique = "k", .unique_for = 600ms};
    EXPECT_TRUE((co_await jobs->enqueue(base, WriteNote{1, "a"}, once)).is_new);
    co_await rows_become(base, "eider_jobs where state = 'done'", 1);
    EXPECT_FALSE((co_await jobs->enqueue(base, WriteNote{2, "b"}, once)).is_new);
    co_await sleep_for(700ms);
    EXPECT_TRUE((co_await jobs->enqueue(base, WriteNote{3, "c"}, once)).is_new);
    co_await eventually([=] { return seen->count() == 2; });
    co_await jobs->stop();
    EXPECT_EQ(seen->texts, (std::vector<std::string>{"a", "c"}));
  }(database(), &its_seen));
}

TEST_P(JobRuns, again_after_its_period_although_the_first_one_is_kept) {
  on_loop_.run([](Database base) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>([](WriteNote) {}, {.keep_done_for = 1h});
    co_await jobs.start();
    const EnqueueOptions once{.unique = "k", .unique_for = 1h};
    EXPECT_TRUE((co_await jobs->enqueue(base, WriteNote{1, "a"}, once)).is_new);
    co_await rows_become(base, "eider_jobs where state = 'done'", 1);
    EXPECT_FALSE((co_await jobs->enqueue(base, WriteNote{2, "b"}, once)).is_new);
    co_await base.exec("update eider_jobs set unique_until = unique_until - 3600000");
    EXPECT_TRUE((co_await jobs->enqueue(base, WriteNote{3, "c"}, once)).is_new);
    co_await rows_become(base, "eider_jobs where state = 'done'", 2);
    co_await jobs->stop();
  }(database()));
}

TEST_P(JobRuns, not_when_it_was_canceled_and_no_longer) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base, {.lease = 1s});
    jobs.on<WriteNote>(sleeping(seen, 1h));
    co_await jobs.start();
    const EnqueuedJob waiting = co_await jobs->enqueue(base, WriteNote{1, "w"}, {.delay = 1h});
    const EnqueuedJob running = co_await jobs->enqueue(base, WriteNote{2, "r"});
    co_await eventually([=] { return seen->running == 1; });
    EXPECT_TRUE(co_await jobs->cancel(base, waiting.id));
    EXPECT_TRUE(co_await jobs->cancel(base, running.id));
    co_await eventually([=] { return seen->running == 0; }, "the running one ends");
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
  }(database(), &its_seen));
}

TEST_P(JobRuns, not_again_when_it_was_canceled_before_its_attempt_failed) {
  Seen its_seen;
  std::vector<std::int64_t> its_failed;
  on_loop_.run([](Database base, Seen* seen, std::vector<std::int64_t>* failed) -> Task<> {
    TestedJobs jobs(base, {.lease = 1h});  // no heartbeat detects it
    const Jobs* const its_jobs = &*jobs;
    Database states = base;
    auto entry = detail::jobs::make_entry<WriteNote>(
        [seen, its_jobs](WriteNote job, JobContext& context, State<Database> db) -> Task<> {
          seen->texts.push_back(job.text);
          EXPECT_TRUE(co_await its_jobs->cancel(*db, context.id()));
          throw std::runtime_error("fails after that");
        },
        {.first_pause = 1ms});
    entry->states = {&states};
    jobs->add(entry);
    jobs.on<Publish>(
        [failed](Publish, JobContext& context) { failed->push_back(context.batch_failed()); });
    co_await jobs.start();
    co_await jobs->enqueue(base, WriteNote{1, "alone"});
    co_await rows_become(base, "eider_jobs", 0);
    Transaction transaction = co_await base.begin();
    co_await jobs->enqueue_batch(transaction, std::vector<WriteNote>(2, WriteNote{2, "batch"}),
                                 Publish{"all"});
    co_await transaction.commit();
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
    EXPECT_EQ(seen->texts, (std::vector<std::string>{"alone", "batch", "batch"}));
    EXPECT_EQ(*failed, std::vector<std::int64_t>{2});
  }(database(), &its_seen, &its_failed));
}

TEST_P(JobRuns, are_canceled_while_ended_ones_are_removed) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base);
    const Jobs* const its_jobs = &*jobs;
    Database states = base;
    auto entry = detail::jobs::make_entry<WriteNote>(
        [seen, its_jobs](WriteNote, JobContext& context, State<Database> db) -> Task<> {
          try {
            EXPECT_TRUE(co_await its_jobs->cancel(*db, context.id()));
          } catch (const db::Failure& failure) {
            seen->texts.emplace_back(failure.what());
          }
        },
        {});
    entry->states = {&states};
    jobs->add(entry);
    co_await jobs.start();
    for (int i = 0; i < 100; ++i) {
      co_await jobs->enqueue(base, WriteNote{i, "note"});
      // Like the removal of ended jobs, it locks all rows of a small table in MariaDB.
      for (int j = 0; j < 6; ++j) {
        co_await base.exec("delete from eider_jobs where state in ('done', 'failed') and due < 0");
      }
    }
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
    EXPECT_EQ(seen->texts, std::vector<std::string>());
  }(database(), &its_seen));
}

TEST_P(JobRuns, again_with_all_attempts_when_it_is_retried_also_after_a_cancellation) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base, {.lease = 1h});
    const Jobs* const its_jobs = &*jobs;
    Database states = base;
    auto entry = detail::jobs::make_entry<WriteNote>(
        [seen, its_jobs](WriteNote job, JobContext& context, State<Database> db) -> Task<> {
          seen->texts.push_back(job.text + std::to_string(context.attempt()));
          if (context.attempt() == 2 && seen->count() == 2) {
            EXPECT_TRUE(co_await its_jobs->cancel(*db, context.id()));
          }
          throw std::runtime_error("fails");
        },
        {.attempts = 2, .first_pause = 1ms});
    entry->states = {&states};
    jobs->add(entry);
    co_await jobs.start();
    const EnqueuedJob job = co_await jobs->enqueue(base, WriteNote{1, "n"});
    for (int retries = 0; retries < 3; ++retries) {
      co_await rows_become(base, "eider_jobs where state = 'failed' and is_cancelled = 0", 1);
      EXPECT_EQ(seen->count(), 2 * retries + 2);
      EXPECT_EQ((co_await jobs->admin().find(job.id))->attempts_max, 2);
      EXPECT_TRUE(co_await jobs->admin().retry(job.id));
    }
    co_await eventually([=] { return seen->count() == 8; });
    co_await jobs->stop();
    EXPECT_EQ(seen->texts.back(), "n2");
  }(database(), &its_seen));
}

TEST_P(JobRuns, again_with_all_attempts_when_it_is_retried_after_a_final_failure) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>(
        [seen](WriteNote, JobContext& context) {
          seen->texts.push_back(std::to_string(context.attempt()));
          throw CancelJob("rejected");
        },
        {.attempts = 3});
    co_await jobs.start();
    const EnqueuedJob job = co_await jobs->enqueue(base, WriteNote{1, "n"});
    co_await rows_become(base, "eider_jobs where state = 'failed'", 1);
    EXPECT_TRUE(co_await jobs->admin().retry(job.id));
    co_await eventually([=] { return seen->count() == 2; });
    EXPECT_EQ(seen->texts, (std::vector<std::string>{"1", "1"}));
    co_await jobs->stop();
  }(database(), &its_seen));
}

Task<> pause(JobAdmin admin, bool* is_paused) {
  co_await admin.pause("mail");
  *is_paused = true;
}

TEST_P(JobRuns, not_in_a_queue_that_a_worker_adds_while_it_is_paused) {
  if (is_sqlite()) {
    GTEST_SKIP() << "SQLite has one writer";
  }
  bool its_paused = false;
  on_loop_.run([](Database base, Database other, db::RuntimeSql busy, bool* is_paused) -> Task<> {
    const JobAdmin admin(base);
    co_await admin.create();
    Transaction worker = co_await other.begin();
    co_await worker.exec("insert into eider_job_queues(name, paused) values('mail', 0)");
    Scope scope;
    scope.start(pause(admin, is_paused));
    while ((co_await other.one<std::int64_t>(busy)).value_or(0) < 2) {  // until `pause` waits
      co_await sleep_for(5ms);
    }
    co_await worker.commit();
    co_await eventually([=] { return *is_paused; }, "the queue is paused");
    co_await scope.join();
    EXPECT_EQ(co_await rows(base, "eider_job_queues where name = 'mail' and paused = 1"), 1);
  }(database(), open(), db::RuntimeSql{differs().busy}, &its_paused));
}

TEST_P(JobRuns, not_while_its_queue_is_paused) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>(noting(seen), {.queue = "it's"});
    co_await jobs->start();
    co_await jobs->admin().pause("it's");
    jobs->start_work();
    co_await jobs->enqueue(base, WriteNote{1, "a"});
    co_await sleep_for(200ms);
    EXPECT_EQ(seen->count(), 0);
    const auto queues = co_await jobs->admin().queues();
    EXPECT_EQ(queues.size(), 1U);
    EXPECT_TRUE(queues.at(0).is_paused);
    EXPECT_EQ(queues.at(0).available, 1);
    co_await jobs->admin().resume("it's");
    co_await eventually([=] { return seen->count() == 1; });
    co_await jobs->stop();
  }(database(), &its_seen));
}

TEST_P(JobRuns, not_with_arguments_that_do_not_fit_its_struct) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>(noting(seen), {.first_pause = 1ms});
    co_await jobs.start();
    const EnqueuedJob job = co_await jobs->enqueue(base, WriteNote{1, "x"}, {.delay = 1h});
    co_await base.exec("update eider_jobs set args = '{\"number\":1,\"text\":\"x\",\"old\":2}'");
    EXPECT_TRUE(co_await jobs->admin().retry(job.id));
    co_await rows_become(base, "eider_jobs where state = 'failed'", 1);
    const auto info = co_await jobs->admin().find(job.id);
    EXPECT_NE(info->error.find("do not fit the struct"), std::string::npos);
    EXPECT_NE(info->error.find("old"), std::string::npos) << info->error;
    EXPECT_EQ(seen->count(), 0);
    co_await jobs->stop();
  }(database(), &its_seen));
}

struct Versioned {
  std::int64_t number = 0;
  std::string added = "by default";
};

TEST_P(JobRuns, although_it_was_enqueued_before_its_struct_had_all_members) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<Versioned>([seen](Versioned job) {
      seen->texts.push_back(std::to_string(job.number) + " " + job.added);
    });
    co_await jobs->start();
    co_await jobs->enqueue(base, Versioned{7, "x"});
    co_await base.exec("update eider_jobs set args = '{\"number\":7}'");
    jobs->start_work();
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
    EXPECT_EQ(seen->texts, std::vector<std::string>{"7 by default"});
  }(database(), &its_seen));
}

Task<> count_notices(db::Notices* notices, int* count) {
  while (true) {
    co_await notices->next();
    ++*count;
  }
}

TEST_P(JobRuns, soon_because_its_commit_notifies_other_processes) {
  if (database().pool()->dialect() != db::Dialect::postgres) {
    GTEST_SKIP() << "only PostgreSQL has notifications";
  }
  int its_count = 0;
  on_loop_.run([](Database base, int* count) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>([](WriteNote) {});
    co_await jobs->start();
    const auto notices = base.pool()->notices("eider_jobs");
    Scope scope;
    scope.start(count_notices(notices.get(), count));
    co_await eventually([=] { return *count == 1; }, "the server listens");
    Transaction transaction = co_await base.begin();
    co_await jobs->enqueue(transaction, WriteNote{1, "x"});
    co_await sleep_for(100ms);
    EXPECT_EQ(*count, 1) << "not before the commit";
    co_await transaction.commit();
    co_await eventually([=] { return *count == 2; }, "the notification of one job");
    co_await jobs->enqueue_all(base, std::vector<WriteNote>(3, WriteNote{1, "x"}));
    co_await eventually([=] { return *count == 3; }, "the notification of several jobs");
    scope.cancel();
    co_await scope.join();
  }(database(), &its_count));
}

TEST_P(JobRuns, if_many_with_large_arguments_are_added_at_once) {
  on_loop_.run([](Database base) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>([](WriteNote) {});
    co_await jobs->start();
    // More than a statement may have.
    const std::string text(100'000, '"');
    std::vector<WriteNote> notes(100, WriteNote{1, text});
    co_await jobs->enqueue_all(base, notes);
    EXPECT_EQ(co_await rows(base, "eider_jobs"), 100);
    const auto waiting = co_await jobs->enqueued<WriteNote>();
    EXPECT_TRUE(
        std::ranges::all_of(waiting, [&text](const WriteNote& note) { return note.text == text; }));
  }(database()));
}

TEST_P(JobRuns, only_where_its_type_is_known) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs web(base);
    web.on<Publish>([](Publish) {});
    web.on<WriteNote>(noting(seen));
    TestedJobs old(base);
    old.on<Publish>([](Publish) {});
    co_await old.start();
    co_await web->enqueue_all(base, std::vector<WriteNote>(20, WriteNote{1, "new"}));
    co_await web->enqueue(base, Publish{"p"});
    co_await rows_become(base, "eider_jobs where kind = 'Publish'", 0);
    EXPECT_EQ(co_await rows(base, "eider_jobs where state = 'available'"), 20);
    co_await old->stop();
    co_await web.start();
    co_await rows_become(base, "eider_jobs", 0);
    co_await web->stop();
    EXPECT_EQ(seen->count(), 20);
  }(database(), &its_seen));
}

TEST_P(JobRuns, as_its_exceptions_say) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>(
        [seen](WriteNote job, JobContext& context) {
          seen->texts.push_back(job.text);
          if (job.text == "snooze" && seen->count() == 1) {
            EXPECT_EQ(context.attempt(), 1);
            throw SnoozeJob(10ms);
          }
          if (job.text == "cancel") {
            throw CancelJob("there is no such note");
          }
          EXPECT_EQ(context.attempt(), 1) << "snoozing does not count";
        },
        {.first_pause = 1h});
    co_await jobs.start();
    co_await jobs->enqueue(base, WriteNote{1, "snooze"});
    co_await eventually([=] { return seen->count() == 2; });
    co_await jobs->enqueue(base, WriteNote{1, "cancel"});
    co_await rows_become(base, "eider_jobs where state = 'failed'", 1);
    co_await jobs->stop();
  }(database(), &its_seen));
}

TEST_P(JobRuns, and_many_are_enqueued_at_once) {
  Seen its_seen;
  on_loop_.run([](Database base, Seen* seen) -> Task<> {
    TestedJobs jobs(base, {.concurrency = 100});
    jobs.on<WriteNote>(noting(seen));
    co_await jobs.start();
    std::vector<WriteNote> all;
    for (int i = 0; i < 1200; ++i) {
      all.push_back({i, "note '\"\\ " + std::to_string(i)});
    }
    co_await jobs->enqueue_all(base, all);
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
    EXPECT_EQ(seen->count(), 1200);
    std::ranges::sort(seen->texts);
    EXPECT_EQ(std::ranges::adjacent_find(seen->texts), seen->texts.end());
  }(database(), &its_seen));
}

}  // namespace
}  // namespace eider
