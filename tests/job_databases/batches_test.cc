// Batches of jobs with a follow-up job, on each database.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/job_databases/tested_jobs.h"

namespace eider {
namespace {

class JobBatches : public JobsTest {};

INSTANTIATE_TEST_SUITE_P(On, JobBatches, each_database(), name_of_database);

TEST_P(JobBatches, a_batch_ends_with_its_follow_up_job) {
  int its_ended = 0;
  std::vector<std::int64_t> its_failed;
  on_loop_.run([](Database base, int* ended, std::vector<std::int64_t>* failed) -> Task<> {
    TestedJobs jobs(base, {.concurrency = 3});
    jobs.on<WriteNote>([ended](WriteNote job) {
      ++*ended;
      if (job.number == 3) {
        throw CancelJob("the third one fails");
      }
    });
    jobs.on<Publish>([ended, failed](Publish, JobContext& context) {
      EXPECT_EQ(*ended, 10);
      failed->push_back(context.batch_failed());
    });
    co_await jobs.start();
    std::vector<WriteNote> all;
    for (int i = 0; i < 10; ++i) {
      all.push_back({i, "x"});
    }
    Transaction transaction = co_await base.begin();
    co_await jobs->enqueue_batch(transaction, all, Publish{"all"});
    co_await transaction.commit();
    co_await eventually([=] { return failed->size() == 1; }, "the follow-up job");
    EXPECT_EQ(failed->at(0), 1);
    Transaction empty = co_await base.begin();
    *ended = 10;
    co_await jobs->enqueue_batch(empty, std::vector<WriteNote>(), Publish{"none"});
    co_await empty.commit();
    co_await eventually([=] { return failed->size() == 2; }, "the follow-up of none");
    EXPECT_EQ(failed->at(1), 0);
    co_await jobs->stop();
  }(database(), &its_ended, &its_failed));
}

Task<std::string> refusal_of(Task<EnqueuedJob> enqueueing) {
  try {
    co_await std::move(enqueueing);
  } catch (const Failure& failure) {
    co_return failure.what();
  }
  co_return "";
}

TEST_P(JobBatches, a_batch_counts_only_jobs_that_exist) {
  on_loop_.run([](Database base) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>([](WriteNote) {});
    jobs.on<Publish>([](Publish) {});
    co_await jobs->start();
    Transaction transaction = co_await base.begin();
    const EnqueuedJob last = co_await jobs->enqueue_batch(
        transaction, std::vector<WriteNote>(1, WriteNote{1, "x"}), Publish{"all"});
    co_await transaction.commit();
    const EnqueuedJob second = co_await jobs->enqueue(base, WriteNote{2, "x"}, {.batch = last.id});
    EXPECT_EQ(co_await rows(base, "eider_jobs where pending = 2"), 1);

    co_await base.script("alter table eider_jobs rename column trace to other_trace");
    const std::string error =
        co_await refusal_of(jobs->enqueue(base, WriteNote{3, "x"}, {.batch = last.id}));
    EXPECT_NE(error, "");
    EXPECT_EQ(co_await rows(base, "eider_jobs where pending = 2"), 1);
    co_await base.script("alter table eider_jobs rename column other_trace to trace");

    co_await base.script("alter table eider_jobs rename column batch_failed to other_failed");
    bool has_failed = false;
    try {
      (void)co_await jobs->cancel(base, second.id);
    } catch (const db::Failure&) {
      has_failed = true;
    }
    EXPECT_TRUE(has_failed);
    EXPECT_EQ(co_await rows(base, "eider_jobs where pending = 2"), 1);
    EXPECT_EQ(co_await rows(base, "eider_jobs"), 3);
    co_await base.script("alter table eider_jobs rename column other_failed to batch_failed");

    EXPECT_TRUE(co_await jobs->cancel(base, second.id));
    EXPECT_EQ(co_await rows(base, "eider_jobs where pending = 1"), 1);
    jobs->start_work();
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
  }(database()));
}

TEST_P(JobBatches, a_batch_counts_a_job_once_that_fails_before_it_is_canceled) {
  if (is_sqlite()) {
    GTEST_SKIP() << "SQLite has one writer";
  }
  bool may_end = false;
  on_loop_.run([](Database base, bool* second_may_end) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>([second_may_end](WriteNote job) -> Task<> {
      if (job.number == 1) {
        throw CancelJob("the first one fails");
      }
      co_await eventually([=] { return *second_may_end; });
    });
    jobs.on<Publish>([](Publish) {});
    co_await jobs->start();
    Transaction placing = co_await base.begin();
    const std::vector<WriteNote> notes{{1, "x"}, {2, "x"}};
    co_await jobs->enqueue_batch(placing, notes, Publish{"all"});
    co_await placing.commit();
    // The snapshot of this transaction is older than the end of the first job.
    Transaction canceling = co_await base.begin();
    const auto first =
        co_await canceling.one<std::int64_t>("select min(id) from eider_jobs where pending = 0");
    jobs->start_work();
    co_await rows_become(base, "eider_jobs where state = 'failed'", 1);
    bool is_rolled_back = false;
    try {
      EXPECT_TRUE(co_await jobs->cancel(canceling, first.value()));
      co_await canceling.commit();
    } catch (const db::Failure& failure) {  // MariaDB with innodb_snapshot_isolation
      EXPECT_EQ(failure.kind(), db::FailureKind::serialization) << failure.what();
      is_rolled_back = true;
    }
    if (is_rolled_back) {
      EXPECT_TRUE(co_await jobs->cancel(base, first.value()));
    }
    EXPECT_EQ(co_await rows(base, "eider_jobs where state = 'waiting' and pending = 1"), 1);
    EXPECT_EQ(co_await rows(base, "eider_jobs where state = 'failed'"), 0);
    *second_may_end = true;
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
  }(database(), &may_end));
}

TEST_P(JobBatches, a_batch_refuses_options_of_single_jobs) {
  on_loop_.run([](Database base) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>([](WriteNote) {});
    jobs.on<Publish>([](Publish) {});
    co_await jobs->start();
    const std::vector<WriteNote> notes(2, WriteNote{1, "x"});
    for (const EnqueueOptions& options :
         {EnqueueOptions{.unique = 7}, EnqueueOptions{.unique_for = 1h},
          EnqueueOptions{.batch = 7}}) {
      Transaction transaction = co_await base.begin();
      const std::string error =
          co_await refusal_of(jobs->enqueue_batch(transaction, notes, Publish{"all"}, options));
      EXPECT_NE(error.find("enqueue_batch supports neither"), std::string::npos) << error;
      co_await transaction.commit();
    }
    EXPECT_EQ(co_await rows(base, "eider_jobs"), 0);
    co_await jobs->stop();
  }(database()));
}

}  // namespace
}  // namespace eider
