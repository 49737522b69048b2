// Progress of jobs, on each database, as another process sees it.
#include <cstdint>
#include <string>

#include "tests/job_databases/tested_jobs.h"

namespace eider {
namespace {

class JobsProgress : public JobsTest {};

INSTANTIATE_TEST_SUITE_P(On, JobsProgress, each_database(), name_of_database);

TEST(JobInfo, shows_progress_beyond_its_total_as_all_of_it) {
  JobInfo info;
  info.progress_total = 100;
  info.progress_done = 3'000'000'000;
  EXPECT_EQ(info.progress_text(), "3000000000 of 100 (100 %)");
  info.progress_done = -3'000'000'000;
  EXPECT_EQ(info.progress_text(), "-3000000000 of 100 (0 %)");
}

TEST_P(JobsProgress, the_latest_values_are_stored_while_the_job_runs_and_at_its_end) {
  bool may_end = false;
  on_loop_.run([](Database base, Database other, bool* ends) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>(
        [ends](WriteNote job, JobContext& context) -> Task<> {
          for (std::int64_t done = 0; done <= 120; ++done) {
            context.progress(done, 500, job.text);  // reported far more often than stored
          }
          co_await eventually([=] { return *ends; });
          context.progress(job.number, 500);
        },
        {.keep_done_for = 1h});
    co_await jobs.start();
    const JobAdmin admin(other);
    const EnqueuedJob job = co_await jobs->enqueue(base, WriteNote{499, "rows"});
    co_await rows_become(other, "eider_jobs where progress_done = 120", 1);
    const auto running = co_await admin.progress(job.id);
    EXPECT_EQ(
        running,
        (JobProgress{.state = "running", .attempt = 1, .done = 120, .total = 500, .text = "rows"}));
    EXPECT_EQ((co_await admin.find(job.id))->progress_text(), "120 of 500 (24 %), rows");
    *ends = true;
    co_await rows_become(other, "eider_jobs where state = 'done'", 1);
    EXPECT_EQ((co_await admin.find(job.id))->progress_text(), "499 of 500 (99 %)");
    co_await jobs->stop();
  }(database(), open(), &may_end));
}

TEST_P(JobsProgress, progress_of_a_job_that_was_taken_over_is_not_stored) {
  on_loop_.run([](Database base) -> Task<> {
    const detail::jobs::JobStore store(base);
    co_await store.create();
    co_await store.insert(base, {.kind = "x", .queue = "x", .attempts_max = 1}, false);
    co_await base.exec("update eider_jobs set state = 'running', fence = 2");
    const auto id = co_await base.one<std::int64_t>("select id from eider_jobs");
    co_await store.show(*id, 1, {.done = 7, .text = "x"});
    EXPECT_EQ(co_await rows(base, "eider_jobs where progress_done = 7"), 0);
    co_await store.show(*id, 2, {.done = 7, .text = "x"});
    EXPECT_EQ(co_await rows(base, "eider_jobs where progress_done = 7"), 1);
  }(database()));
}

TEST_P(JobsProgress, is_stored_although_the_row_of_another_job_is_locked_and_later_for_that) {
  if (is_sqlite()) {
    GTEST_SKIP() << "SQLite has no locks of rows";
  }
  struct Steps {
    bool is_locked = false;
    bool may_end = false;
  };
  Steps its_steps;
  const Database slow = open({.limits = {.statement_time_max = 5min}});
  const Database locking = open({.limits = {.transaction_time_max = 5min}});
  on_loop_.run([](Database base, Database other, Steps* steps) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>([steps](WriteNote job, JobContext& context) -> Task<> {
      co_await eventually([=] { return steps->is_locked; });
      context.progress(job.number, 10);
      co_await eventually([=] { return steps->may_end; });
    });
    co_await jobs.start();
    const EnqueuedJob locked = co_await jobs->enqueue(base, WriteNote{1, "x"});
    co_await jobs->enqueue(base, WriteNote{2, "x"});
    co_await rows_become(base, "eider_jobs where state = 'running'", 2);
    Transaction lock = co_await other.begin();
    (void)co_await lock.one<std::int64_t>("select id from eider_jobs where id = $1 for update",
                                          locked.id);
    steps->is_locked = true;
    co_await rows_become(base, "eider_jobs where progress_done = 2", 1);
    co_await lock.roll_back();
    co_await rows_become(base, "eider_jobs where progress_done = 1", 1);
    steps->may_end = true;
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
  }(slow, locking, &its_steps));
}

}  // namespace
}  // namespace eider
