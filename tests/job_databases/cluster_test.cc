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
    for (int turn = 0; turn < 3; ++turn) {  // the first one may only add the row of the queue
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

}  // namespace
}  // namespace eider
