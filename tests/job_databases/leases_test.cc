// Jobs whose worker ends, is disconnected, or loses its database. No job is lost, and effects in
// the same database happen once.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/job_databases/tested_jobs.h"

namespace eider {
namespace {

class JobLeases : public JobsTest {};

INSTANTIATE_TEST_SUITE_P(On, JobLeases, each_database(), name_of_database);

struct Runs {
  int begun = 0;
  int running = 0;
  int ended = 0;
  std::vector<std::int64_t> attempts;
};

class Attempt {
 public:
  explicit Attempt(Runs& runs) : runs_(runs) {
    ++runs_.begun;
    ++runs_.running;
  }
  ~Attempt() {
    --runs_.running;
    ++runs_.ended;
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

 private:
  Runs& runs_;
};

auto running_for(Runs* runs, Duration how_long) {
  return [runs, how_long](WriteNote, JobContext& context) -> Task<> {
    const Attempt attempt(*runs);
    runs->attempts.push_back(context.attempt());
    co_await sleep_for(how_long);
  };
}

constexpr const char* kAddEffect = "insert into effects(n) values($1)";

TEST_P(JobLeases, a_lease_that_was_taken_away_cancels_the_handler_and_another_worker_runs_the_job) {
  Runs its_first;
  Runs its_second;
  on_loop_.run([](Database base, Database other, Runs* first, Runs* second) -> Task<> {
    TestedJobs a(base, {.lease = 1s});
    a.on<WriteNote>(running_for(first, 1h));
    co_await a.start();
    co_await a->enqueue(base, WriteNote{1, "x"});
    co_await eventually([=] { return first->running == 1; });
    co_await other.exec("delete from eider_job_workers");
    co_await eventually([=] { return first->running == 0; }, "the first handler is canceled");
    co_await a->stop();
    TestedJobs b(other, {.lease = 1s});
    b.on<WriteNote>(running_for(second, 0s));
    co_await b.start();
    co_await rows_become(base, "eider_jobs", 0);
    co_await b->stop();
    EXPECT_EQ(second->attempts, std::vector<std::int64_t>{2});
  }(database(), open(), &its_first, &its_second));
}

/// The lease ends while the worker waits for the only connection, or for the only writer of SQLite.
TEST_P(JobLeases, a_worker_whose_lease_ends_during_a_look_claims_nothing_without_a_new_one) {
  Runs its_runs;
  const auto its_log = std::make_shared<JobsLog>();
  on_loop_.run([](Database base, Runs* runs, std::shared_ptr<JobsLog> log) -> Task<> {
    TestedJobs jobs(base, {.lease = 1s, .log = log});
    Database states = base;
    const auto handler = [runs](auto, JobContext& context, State<Database> db) -> Task<> {
      const Attempt attempt(*runs);
      runs->attempts.push_back(context.attempt());
      const auto orphans = co_await db->one<std::int64_t>(
          "select count(*) from eider_jobs where state = 'running' and worker = 0");
      EXPECT_EQ(orphans, 0);
    };
    auto first = detail::jobs::make_entry<WriteNote>(
        [handler](WriteNote job, JobContext& context, State<Database> db) -> Task<> {
          co_await handler(job, context, db);
        },
        {.queue = "a"});
    auto second = detail::jobs::make_entry<Publish>(
        [handler](Publish job, JobContext& context, State<Database> db) -> Task<> {
          co_await handler(job, context, db);
        },
        {.queue = "b"});
    first->states = {&states};
    second->states = {&states};
    jobs->add(first);
    jobs->add(second);
    co_await jobs->start();
    co_await jobs->enqueue(base, WriteNote{1, "x"}, {.delay = 500ms});
    co_await jobs->enqueue(base, Publish{"y"}, {.delay = 500ms});
    jobs->start_work();
    co_await rows_become(base, "eider_job_workers", 1);
    Transaction blocking = co_await base.begin();
    co_await eventually([&] { return log->contains("could not be reached in time"); }, "the loss");
    co_await blocking.roll_back();
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
    EXPECT_GE(runs->ended, 2);
  }(open({.connections_max = 1}), &its_runs, its_log));
}

TEST_P(JobLeases, jobs_of_a_dead_worker_are_released_and_fail_after_their_last_attempt) {
  Runs its_runs;
  on_loop_.run([](Database base, Runs* runs) -> Task<> {
    TestedJobs jobs(base, {.lease = 1s});
    jobs.on<WriteNote>(running_for(runs, 0s), {.attempts = 2});
    co_await jobs->start();
    co_await jobs->enqueue(base, WriteNote{1, "a"});
    const EnqueuedJob last = co_await jobs->enqueue(base, WriteNote{2, "b"});
    co_await base.exec("update eider_jobs set state = 'running', worker = 99, attempt = 1");
    co_await base.exec("update eider_jobs set attempt = 2 where id = $1", last.id);
    co_await base.exec(
        "insert into eider_job_workers(id, label, lease_until, started) values(99, 'dead', 5, 5)");
    jobs->start_work();
    co_await rows_become(base, "eider_jobs where state <> 'failed'", 0);
    const auto info = co_await jobs->admin().find(last.id);
    EXPECT_NE(info->error.find("The worker process ended"), std::string::npos);
    EXPECT_EQ(runs->attempts, std::vector<std::int64_t>{2});
    EXPECT_EQ(co_await rows(base, "eider_job_workers"), 1);
    co_await jobs->stop();
    EXPECT_EQ(co_await rows(base, "eider_job_workers"), 0);
  }(database(), &its_runs));
}

TEST_P(JobLeases, jobs_of_a_claim_whose_response_was_lost_are_released) {
  Runs its_runs;
  on_loop_.run([](Database base, Runs* runs) -> Task<> {
    TestedJobs jobs(base, {.lease = 1s});
    jobs.on<WriteNote>(running_for(runs, 0s));
    co_await jobs.start();
    co_await rows_become(base, "eider_job_workers", 1);
    co_await jobs->enqueue(base, WriteNote{1, "x"}, {.delay = 1h});
    co_await base.exec(
        "update eider_jobs set state = 'running', attempt = 1, fence = 1, "
        "worker = (select id from eider_job_workers)");
    co_await eventually([=] { return runs->ended == 1; });
    EXPECT_EQ(runs->attempts, std::vector<std::int64_t>{1}) << "the attempt did not count";
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
  }(database(), &its_runs));
}

TEST_P(JobLeases, what_a_handler_saves_after_a_takeover_is_refused) {
  Runs its_runs;
  on_loop_.run([](Database base, Runs* runs) -> Task<> {
    TestedJobs jobs(base);
    Database state = base;
    auto entry = detail::jobs::make_entry<WriteNote>(
        [runs](WriteNote job, JobContext& context, State<Database> db) -> Task<> {
          const Attempt attempt(*runs);
          if (runs->begun == 1) {
            co_await db->exec("update eider_jobs set fence = fence + 1 where id = $1",
                              context.id());
          }
          EXPECT_EQ(job.number, 7);
          co_await context.save(std::string("cursor"));
          ADD_FAILURE() << "it was saved";
        },
        {});
    entry->states = {&state};
    jobs->add(entry);
    co_await jobs.start();
    co_await jobs->enqueue(base, WriteNote{7, "x"});
    co_await eventually([=] { return runs->ended == 1; });
    EXPECT_EQ(co_await rows(base, "eider_jobs where state = 'running' and saved is null"), 1);
    co_await jobs->stop();
  }(database(), &its_runs));
}

TEST_P(JobLeases, a_handler_with_a_transaction_has_its_effects_exactly_once) {
  Runs its_runs;
  on_loop_.run([](Database base, Runs* runs) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>(
        [runs](WriteNote job, Transaction& transaction) -> Task<> {
          const Attempt attempt(*runs);
          co_await transaction.exec(kAddEffect, job.number);
          if (runs->begun % 3 == 1) {
            throw std::runtime_error("fails after its effect");
          }
        },
        {.first_pause = 1ms});
    co_await jobs.start();
    for (int i = 0; i < 20; ++i) {
      co_await jobs->enqueue(base, WriteNote{i, "x"});
    }
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
    EXPECT_EQ(co_await rows(base, "effects"), 20);
    EXPECT_EQ(co_await rows(base, "(select distinct n from effects) as each_one"), 20);
    EXPECT_GT(runs->begun, 20);
  }(database(), &its_runs));
}

TEST_P(JobLeases, handlers_with_transactions_leave_connections_for_the_lease) {
  Runs its_runs;
  on_loop_.run([](Database base, Runs* runs, int most) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>([runs, most](WriteNote job, Transaction& transaction) -> Task<> {
      const Attempt attempt(*runs);
      EXPECT_LE(runs->running, most);
      co_await transaction.exec(kAddEffect, job.number);
      co_await sleep_for(20ms);
    });
    co_await jobs.start();
    co_await jobs->enqueue_all(base, std::vector<WriteNote>(20, WriteNote{1, "x"}));
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
    EXPECT_EQ(runs->begun, 20);
  }(open({.connections_max = 5}), &its_runs, is_sqlite() ? 1 : 3));
}

TEST_P(JobLeases, a_completion_whose_commit_failed_runs_the_job_again) {
  Runs its_runs;
  on_loop_.run([](Database base, Runs* runs) -> Task<> {
    TestedJobs jobs(base, {.lease = 1s});
    jobs.on<WriteNote>(
        [runs](WriteNote job, JobContext& context, Transaction& transaction) -> Task<> {
          const Attempt attempt(*runs);
          co_await transaction.exec(kAddEffect, job.number);
          co_await context.complete(transaction);
          if (runs->begun == 1) {
            co_await transaction.roll_back();  // the handler does not learn the reason
            throw db::Failure(db::FailureKind::lost, "the connection was lost");
          }
          if (runs->begun == 2) {
            co_await transaction.commit();
            throw db::Failure(db::FailureKind::lost, "the response was lost");
          }
        },
        {.first_pause = 1ms});
    co_await jobs.start();
    co_await jobs->enqueue(base, WriteNote{7, "x"});
    co_await rows_become(base, "eider_jobs", 0);
    co_await sleep_for(100ms);
    co_await jobs->stop();
    EXPECT_EQ(runs->begun, 2);
    EXPECT_EQ(co_await rows(base, "effects"), 1);
  }(database(), &its_runs));
}

TEST_P(JobLeases, a_completion_after_a_takeover_throws_and_changes_nothing) {
  Runs its_runs;
  on_loop_.run([](Database base, Database other, Runs* runs) -> Task<> {
    TestedJobs jobs(base, {.lease = 1h});
    jobs.on<WriteNote>([runs](WriteNote job, Transaction& transaction) -> Task<> {
      const Attempt attempt(*runs);
      if (runs->begun == 1) {
        co_await sleep_for(200ms);  // meanwhile another process takes it over
      }
      co_await transaction.exec(kAddEffect, job.number);
    });
    co_await jobs.start();
    // SQLite has one writer, so the transaction of the handler must not have begun to write.
    const EnqueuedJob job = co_await jobs->enqueue(base, WriteNote{7, "x"});
    co_await eventually([=] { return runs->begun == 1; });
    if (base.dialect() != db::Dialect::sqlite) {
      co_await other.exec("update eider_jobs set fence = fence + 1 where id = $1", job.id);
      co_await eventually([=] { return runs->ended == 1; });
      co_await sleep_for(100ms);
      EXPECT_EQ(co_await rows(base, "effects"), 0);
      EXPECT_EQ(co_await rows(base, "eider_jobs where state = 'running'"), 1);
    }
    co_await jobs->stop();
  }(database(), open(), &its_runs));
}

TEST_P(JobLeases, a_shutdown_waits_for_short_jobs_and_returns_long_ones) {
  Runs its_runs;
  on_loop_.run([](Database base, Runs* runs) -> Task<> {
    TestedJobs jobs(base, {.stop_grace = 300ms});
    jobs.on<WriteNote>(running_for(runs, 100ms));
    jobs.on<Publish>([runs](Publish) -> Task<> {
      const Attempt attempt(*runs);
      co_await sleep_for(1h);
    });
    co_await jobs.start();
    co_await jobs->enqueue(base, WriteNote{1, "short"});
    const EnqueuedJob long_one = co_await jobs->enqueue(base, Publish{"long"});
    co_await eventually([=] { return runs->running == 2; });
    co_await jobs->stop();
    EXPECT_EQ(runs->ended, 2);
    EXPECT_EQ(co_await rows(base, "eider_jobs"), 1);
    const auto info = co_await jobs->admin().find(long_one.id);
    EXPECT_EQ(info->state, "available");
    EXPECT_EQ(info->attempt, 0) << "the attempt did not count";
  }(database(), &its_runs));
}

TEST_P(JobLeases, a_long_job_continues_at_its_cursor_after_a_failure_and_a_shutdown) {
  Runs its_runs;
  on_loop_.run([](Database base, Runs* runs) -> Task<> {
    const auto handler = [runs](WriteNote /*job*/, JobContext& context,
                                State<Database> db) -> Task<> {
      const Attempt attempt(*runs);
      runs->attempts.push_back(context.attempt());
      for (auto step = context.cursor<std::int64_t>(); step < 6; ++step) {
        Transaction transaction = co_await db->begin();
        co_await transaction.exec(kAddEffect, step);
        co_await context.save(transaction, step + 1);
        co_await transaction.commit();
        context.progress(std::to_string(step + 1) + " of 6");
        if (step == 1 && context.attempt() == 1) {
          throw std::runtime_error("fails after its second step");
        }
        if (step == 3 && runs->begun == 2) {
          while (!context.is_stopping()) {
            co_await sleep_for(5ms);
          }
          co_await context.save(step + 1);  // interrupts the job
          ADD_FAILURE() << "the job goes on";
        }
      }
    };
    Database states = base;
    const auto make = [&] {
      auto entry = detail::jobs::make_entry<WriteNote>(handler, {.first_pause = 1ms});
      entry->states = {&states};
      return entry;
    };
    TestedJobs first(base);
    first->add(make());
    co_await first.start();
    const EnqueuedJob job = co_await first->enqueue(base, WriteNote{1, "x"});
    co_await rows_become(base, "effects", 4);
    co_await first->stop();
    const auto info = co_await first->admin().find(job.id);
    EXPECT_EQ(info->saved, "4");
    EXPECT_EQ(info->attempt, 1) << "the second attempt did not count";
    EXPECT_EQ(info->progress, "4 of 6") << "the latest one, at the end of the attempt";
    TestedJobs second(base);
    second->add(make());
    co_await second.start();
    co_await rows_become(base, "eider_jobs", 0);
    co_await second->stop();
    EXPECT_EQ(co_await rows(base, "effects"), 6);
    EXPECT_EQ(runs->attempts, (std::vector<std::int64_t>{1, 2, 2}));
  }(database(), &its_runs));
}

TEST_P(JobLeases, several_workers_run_each_job_once) {
  Runs its_runs;
  on_loop_.run([](std::vector<Database> bases, Runs* runs) -> Task<> {
    std::vector<TestedJobs> workers;
    for (const Database& base : bases) {
      workers.emplace_back(base, JobsOptions{.concurrency = 7});
      workers.back().on<WriteNote>([runs](WriteNote job, Transaction& transaction) -> Task<> {
        const Attempt attempt(*runs);
        co_await transaction.exec(kAddEffect, job.number);
      });
      co_await workers.back().start();
    }
    std::vector<WriteNote> all;
    for (int i = 0; i < 300; ++i) {
      all.push_back({i, "x"});
    }
    co_await workers.front()->enqueue_all(bases.front(), all);
    co_await rows_become(bases.front(), "eider_jobs", 0);
    for (TestedJobs& worker : workers) {
      co_await worker->stop();
    }
    EXPECT_EQ(runs->begun, 300);
    EXPECT_EQ(co_await rows(bases.front(), "effects"), 300);
  }({database(), open(), open()}, &its_runs));
}

TEST_P(JobLeases, a_database_that_is_killed_and_restarted_loses_no_job_and_repeats_no_effect) {
  if (is_sqlite()) {
    GTEST_SKIP() << "SQLite has no server";
  }
  Runs runs;
  const Database base = open({.connect_time_max = 1s, .wait_time_max = 1s});
  TestedJobs jobs(base, {.lease = 20s});
  jobs.on<WriteNote>(
      [its = &runs](WriteNote job, Transaction& transaction) -> Task<> {
        const Attempt attempt(*its);
        co_await transaction.exec(kAddEffect, job.number);
      },
      {.attempts = 100, .first_pause = 5ms, .pause_max = 50ms});
  on_loop_.run([](TestedJobs& all, Database on) -> Task<> {
    co_await start_patiently(all);
    std::vector<WriteNote> notes;
    for (int i = 0; i < 400; ++i) {
      notes.push_back({i, "x"});
    }
    co_await all->enqueue_all(on, notes);
    while (co_await rows(on, "effects") < 40) {
      co_await sleep_for(1ms);
    }
  }(jobs, database()));
  opener_->kill();
  on_loop_.run([]() -> Task<> { co_await sleep_for(300ms); }());
  opener_->start();
  on_loop_.run([](TestedJobs& all, Database on) -> Task<> {
    std::int64_t left = -1;
    for (int i = 0; i < 12000 && left != 0; ++i) {
      try {
        left = co_await rows(on, "eider_jobs");
      } catch (const db::Failure&) {
        left = -1;
      }
      co_await sleep_for(10ms);
    }
    EXPECT_EQ(left, 0);
    co_await all->stop();
    EXPECT_EQ(co_await rows(on, "effects"), 400);
    EXPECT_EQ(co_await rows(on, "(select distinct n from effects) as each_one"), 400);
  }(jobs, database()));
}

TEST_P(JobLeases, failed_and_done_jobs_are_deleted_when_their_time_is_over) {
  on_loop_.run([](Database base) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>([](WriteNote) { throw CancelJob("no"); });
    jobs.on<Publish>([](Publish) {}, {.keep_done_for = 1h});
    co_await jobs.start();
    co_await jobs->enqueue(base, WriteNote{1, "x"});
    co_await jobs->enqueue(base, Publish{"x"});
    co_await rows_become(base, "eider_jobs where state = 'failed'", 1);
    co_await rows_become(base, "eider_jobs where state = 'done'", 1);
    co_await jobs->stop();
    const detail::jobs::JobStore store(base);
    co_await base.exec("update eider_jobs set due = 5 where state = 'failed'");
    EXPECT_FALSE(co_await store.remove_ended());
    EXPECT_EQ(co_await rows(base, "eider_jobs where state = 'failed'"), 0);
    EXPECT_EQ(co_await rows(base, "eider_jobs where state = 'done'"), 1);
  }(database()));
}

TEST_P(JobLeases, many_ended_jobs_are_deleted_in_one_pass) {
  on_loop_.run([](Database base) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>([](WriteNote) {});
    co_await jobs->start();
    co_await jobs->enqueue_all(base, std::vector<WriteNote>(2500, WriteNote{1, "x"}));
    co_await base.exec("update eider_jobs set state = 'done', due = 5");
    jobs->start_work();
    co_await rows_become(base, "eider_jobs", 0);
    co_await jobs->stop();
  }(database()));
}

TEST_P(JobLeases, jobs_whose_type_no_process_has_run_lately_are_reported_and_stay_available) {
  on_loop_.run([](Database base) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>([](WriteNote) {});
    jobs.on<Publish>([](Publish) {});
    co_await jobs->start();
    co_await jobs->enqueue(base, WriteNote{1, "x"});
    co_await jobs->enqueue(base, WriteNote{2, "x"}, {.unique = "k"});
    co_await jobs->enqueue(base, Publish{"x"});
    co_await base.exec("update eider_jobs set due = 5");
    const detail::jobs::JobStore store(base);
    co_await store.note_kinds({"WriteNote", "Publish", "Publish"});
    EXPECT_TRUE((co_await store.unknown_kinds()).empty());
    co_await base.exec("update eider_job_kinds set seen = seen - 960000 where kind = 'WriteNote'");
    const auto unknown = co_await store.unknown_kinds();
    EXPECT_EQ(unknown.size(), 1U);
    EXPECT_EQ(unknown.at(0).kind, "WriteNote");
    EXPECT_EQ(unknown.at(0).count, 2);
    EXPECT_EQ(co_await rows(base, "eider_jobs where state = 'available'"), 3);
    EXPECT_EQ(co_await rows(base, "eider_jobs where unique_key is not null"), 1);
    co_await jobs->stop();
  }(database()));
}

}  // namespace
}  // namespace eider
