// The maximum number of running jobs of a queue in all processes, on each database.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/job_databases/tested_jobs.h"

namespace eider {
namespace {

class JobClusters : public JobsTest {};

INSTANTIATE_TEST_SUITE_P(On, JobClusters, each_database(), name_of_database);

Task<> claim_once(const detail::jobs::JobStore& store, std::int64_t worker, std::size_t* claimed,
                  int* ended) {
  *claimed += (co_await store.claim("slow", worker, 2, 3)).size();
  ++*ended;
}

TEST_P(JobClusters, claims_at_the_same_time_do_not_exceed_the_limit) {
  on_loop_.run([](Database base, Database other) -> Task<> {
    detail::jobs::JobStore here(base);
    detail::jobs::JobStore there(other);
    co_await here.create();
    for (detail::jobs::JobStore* const store : {&here, &there}) {
      store->set_work({"slow"}, {"x"});
    }
    co_await here.insert_all(base, {.kind = "x", .queue = "slow", .attempts_max = 1},
                             std::vector<std::string>(20, "{}"), false);
    std::size_t claimed = 0;
    for (int turn = 0; turn < 3; ++turn) {  // the first turn may only add the row of the queue
      Scope scope;
      int ended = 0;
      for (int i = 0; i < 4; ++i) {
        scope.start(claim_once(here, 1, &claimed, &ended));
        scope.start(claim_once(there, 2, &claimed, &ended));
      }
      co_await eventually([&] { return ended == 8; }, "all claims");
      co_await scope.join();
    }
    EXPECT_EQ(claimed, 3U);
    EXPECT_EQ(co_await rows(base, "eider_jobs where state = 'running'"), 3);
    co_await base.exec("delete from eider_jobs where state = 'running' and worker = 1");
    co_await base.exec("delete from eider_jobs where state = 'running' and worker = 2");
    EXPECT_EQ((co_await there.claim("slow", 2, 10, 3)).size(), 3U);
    EXPECT_EQ((co_await there.claim("slow", 2, 10, 0)).size(), 10U) << "without a limit";
  }(database(), open()));
}

TEST_P(JobClusters, two_workers_together_run_as_many_jobs_as_the_limit_says) {
  struct Seen {
    int running = 0;
    int running_max = 0;
    int ended = 0;
  };
  Seen its_seen;
  on_loop_.run([](Database base, Database other, Seen* seen) -> Task<> {
    const JobsOptions options{.queues = {{"slow", 10, 2}}};
    const auto handler = [seen](WriteNote) -> Task<> {
      seen->running_max = std::max(seen->running_max, ++seen->running);
      co_await sleep_for(2ms);
      --seen->running;
      ++seen->ended;
    };
    TestedJobs a(base, options);
    TestedJobs b(other, options);
    a.on<WriteNote>(handler, {.queue = "slow"});
    b.on<WriteNote>(handler, {.queue = "slow"});
    co_await a.start();
    co_await b.start();
    co_await a->enqueue_all(base, std::vector<WriteNote>(60, WriteNote{1, "x"}));
    co_await eventually([=] { return seen->ended == 60; }, "all jobs");
    co_await rows_become(base, "eider_jobs", 0);
    EXPECT_EQ(seen->running_max, 2);
    co_await a->stop();
    co_await b->stop();
  }(database(), open(), &its_seen));
}

TEST_P(JobClusters, a_free_place_is_used_when_a_job_of_another_worker_has_ended) {
  std::vector<std::int64_t> its_begun;
  bool may_end = false;
  on_loop_.run(
      [](Database base, Database other, std::vector<std::int64_t>* begun, bool* ends) -> Task<> {
        const JobsOptions options{.queues = {{"slow", 10, 1}}};
        TestedJobs a(base, options);
        a.on<WriteNote>(
            [begun, ends](WriteNote job) -> Task<> {
              begun->push_back(job.number);
              co_await eventually([=] { return *ends; });
            },
            {.queue = "slow"});
        TestedJobs b(other, options);
        b.on<Publish>([begun](Publish) { begun->push_back(2); }, {.queue = "slow"});
        co_await a.start();
        co_await a->enqueue(base, WriteNote{1, "x"});
        co_await eventually([=] { return begun->size() == 1; }, "the first one");
        co_await b.start();
        co_await b->enqueue(other, Publish{"x"});
        co_await rows_become(base, "eider_job_workers", 2);
        *ends = true;
        co_await eventually([=] { return begun->size() == 2; }, "the second one");
        co_await rows_become(base, "eider_jobs", 0);
        EXPECT_EQ(*begun, (std::vector<std::int64_t>{1, 2}));
        co_await a->stop();
        co_await b->stop();
      }(database(), open(), &its_begun, &may_end));
}

/// Returns a process that records the jobs of two queues. By name, the queue with a limit is first.
TestedJobs make_process(const Database& database, std::vector<std::int64_t>* begun) {
  TestedJobs jobs(database, {.queues = {{"a_limited", 10, 1}, {"fast", 10}}});
  jobs.on<WriteNote>([begun](WriteNote job) { begun->push_back(job.number); },
                     {.queue = "a_limited"});
  jobs.on<Publish>([begun](Publish job) { begun->push_back(std::stoll(job.what)); },
                   {.queue = "fast"});
  return jobs;
}

TEST_P(JobClusters, a_process_that_is_frozen_in_a_claim_does_not_stop_other_queues) {
  if (is_sqlite()) {
    GTEST_SKIP() << "SQLite has one writer";
  }
  std::vector<std::int64_t> its_begun;
  const Database frozen = open({.limits = {.transaction_time_max = 5min}});
  on_loop_.run([](Database base, Database other, std::vector<std::int64_t>* begun) -> Task<> {
    TestedJobs jobs = make_process(base, begun);
    co_await jobs->start();
    co_await other.exec("insert into eider_job_queues(name, paused) values('a_limited', 0)");
    Transaction claim = co_await other.begin();
    (void)co_await claim.one<std::string>(
        "select name from eider_job_queues where name = 'a_limited' for update");
    co_await jobs->enqueue(base, WriteNote{1, "x"});
    co_await jobs->enqueue(base, Publish{"2"});
    jobs->start_work();
    co_await eventually([=] { return begun->size() == 1; }, "a job of the other queue");
    co_await jobs->enqueue(base, Publish{"3"});
    co_await eventually([=] { return begun->size() == 2; }, "another one");
    co_await claim.roll_back();
    co_await eventually([=] { return begun->size() == 3; }, "the job of the limited queue");
    EXPECT_EQ(*begun, (std::vector<std::int64_t>{2, 3, 1}));
    co_await jobs->stop();
  }(database(), frozen, &its_begun));
}

TEST_P(JobClusters, a_failed_claim_of_a_limited_queue_does_not_stop_other_queues) {
  std::vector<std::int64_t> its_begun;
  const std::string rejects =
      is_sqlite() ? "create trigger rejects before update on eider_jobs when new.state = 'running' "
                    "and new.queue = 'a_limited' begin select raise(abort, 'rejected'); end"
                  : "alter table eider_jobs add constraint rejects check(state <> 'running' or "
                    "queue <> 'a_limited')";
  on_loop_.run([](Database base, db::RuntimeSql added, std::vector<std::int64_t>* begun) -> Task<> {
    TestedJobs jobs = make_process(base, begun);
    co_await jobs->start();
    co_await base.exec("insert into eider_job_queues(name, paused) values('a_limited', 0)");
    co_await base.script(added);
    co_await jobs->enqueue(base, WriteNote{1, "x"});
    co_await jobs->enqueue(base, Publish{"2"});
    jobs->start_work();
    co_await eventually([=] { return begun->size() == 1; }, "a job of the other queue");
    EXPECT_EQ(*begun, (std::vector<std::int64_t>{2}));
    co_await jobs->stop();
  }(database(), db::RuntimeSql{rejects}, &its_begun));
}

}  // namespace
}  // namespace eider
