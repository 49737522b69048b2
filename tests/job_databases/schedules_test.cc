// Schedules enqueue each run once for all processes, on each database.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/job_databases/tested_jobs.h"

namespace eider {
namespace {

class JobSchedules : public JobsTest {};

INSTANTIATE_TEST_SUITE_P(On, JobSchedules, each_database(), name_of_database);

detail::jobs::Schedule add_schedule(TestedJobs& jobs, const char* expression,
                                    std::vector<std::int64_t>* planned,
                                    ScheduleOptions options = {}) {
  auto entry = detail::jobs::make_entry<ScheduledRun>(
      [planned](ScheduledRun run) { planned->push_back(run.planned); }, {.name = "scheduled"});
  entry->key = entry.get();
  auto schedule = detail::jobs::make_schedule("plan", expression, std::move(options));
  schedule.key = entry->key;
  jobs->add(entry);
  jobs->add(schedule);
  return schedule;
}

TEST_P(JobSchedules, each_run_happens_once_in_several_processes) {
  std::vector<std::int64_t> its_planned;
  on_loop_.run([](std::vector<Database> bases, std::vector<std::int64_t>* planned) -> Task<> {
    TestedJobs tables(bases[0]);
    co_await tables->start();
    co_await bases[0].exec(
        "insert into eider_job_schedules(name, expression, planned, next_run) "
        "values('plan', '0 0 1 1 * UTC', 0, 0)");
    for (std::size_t run = 1; run <= 5; ++run) {
      const std::int64_t now = co_await tables->admin().now();
      co_await bases[0].exec("update eider_job_schedules set next_run = $1", now + 30);
      std::vector<TestedJobs> all;
      for (const Database& base : bases) {
        add_schedule(all.emplace_back(base), "0 0 1 1 *", planned);
        co_await all.back()->start();
      }
      for (TestedJobs& jobs : all) {
        jobs->start_work();
      }
      co_await eventually([=] { return planned->size() >= run; });
      co_await rows_become(bases[0], "eider_jobs", 0);
      for (TestedJobs& jobs : all) {
        co_await jobs->stop();
      }
      EXPECT_EQ(planned->size(), run);
      EXPECT_EQ(planned->back(), now + 30);
      const auto schedules = co_await tables->admin().schedules();
      EXPECT_EQ(schedules.at(0).planned, now + 30);
      EXPECT_EQ(schedules.at(0).next_run % 86'400'000, 0);
    }
    co_await tables->stop();
  }({database(), open(), open()}, &its_planned));
}

/// Starts jobs with a schedule whose next run was `ago` milliseconds before now.
Task<> start_after(Database base, std::vector<std::int64_t>* planned, ScheduleOptions options,
                   std::int64_t ago, std::size_t wanted) {
  TestedJobs jobs(base);
  const auto schedule = add_schedule(jobs, "* * * * *", planned, std::move(options));
  co_await jobs->start();
  const std::int64_t now = co_await jobs->admin().now();
  co_await base.exec(
      "insert into eider_job_schedules(name, expression, planned, next_run) values($1, $2, 0, "
      "$3)",
      schedule.name, schedule.expression, (now - ago) / 60'000 * 60'000);
  jobs->start_work();
  co_await rows_become(base, "eider_job_schedules where planned > 0", 1);
  co_await rows_become(base, "eider_jobs", 0);
  co_await jobs->stop();
  EXPECT_TRUE(planned->size() == wanted || planned->size() == wanted + 1)  // a new minute began
      << planned->size();
  co_await base.exec("delete from eider_job_schedules");
}

Task<std::int64_t> now_of(Database base) {
  const TestedJobs jobs(base);
  co_return co_await jobs->admin().now();
}

TEST_P(JobSchedules, missed_runs_follow_the_policy) {
  std::vector<std::int64_t> its_planned;
  on_loop_.run([](Database base, std::vector<std::int64_t>* planned) -> Task<> {
    constexpr std::int64_t kMinute = 60'000;
    co_await start_after(base, planned, {.missed = MissedRuns::once}, 10 * kMinute, 1);
    planned->clear();
    co_await start_after(base, planned, {.missed = MissedRuns::all}, 10 * kMinute, 11);
    EXPECT_EQ(planned->at(1) - planned->at(0), kMinute);
    planned->clear();
    co_await start_after(base, planned, {.missed = MissedRuns::skip}, 10 * kMinute, 1);
    for (const MissedRuns missed : {MissedRuns::once, MissedRuns::skip}) {
      planned->clear();
      const std::int64_t before = co_await now_of(base);
      co_await start_after(base, planned, {.missed = missed}, 300 * kMinute, 1);
      EXPECT_GT(planned->at(0), before - kMinute) << "it is the latest run";
    }
  }(database(), &its_planned));
}

TEST_P(JobSchedules, another_expression_begins_now) {
  on_loop_.run([](Database base) -> Task<> {
    TestedJobs jobs(base);
    auto entry = detail::jobs::make_entry<ScheduledRun>([](ScheduledRun) {}, {.name = "yearly"});
    entry->key = entry.get();
    auto schedule = detail::jobs::make_schedule("s", "0 0 1 1 *", {.time_zone = "Asia/Tokyo"});
    schedule.key = entry->key;
    jobs->add(entry);
    jobs->add(schedule);
    co_await jobs->start();
    co_await base.exec(
        "insert into eider_job_schedules(name, expression, planned, next_run) values('s', "
        "'* * * * * UTC', 5, 5)");
    jobs->start_work();
    co_await rows_become(base, "eider_job_schedules where next_run > 5", 1);
    const auto schedules = co_await jobs->admin().schedules();
    EXPECT_EQ(schedules.at(0).expression, "0 0 1 1 * Asia/Tokyo");
    EXPECT_EQ(schedules.at(0).next_run / 3'600'000 % 24, 15);  // midnight in Tokyo
    co_await sleep_for(50ms);
    EXPECT_EQ(co_await rows(base, "eider_jobs"), 0);
    co_await jobs->stop();
  }(database()));
}

Task<> add_row(Database base, std::string name, std::string expression, std::int64_t next_run) {
  co_await base.exec(
      "insert into eider_job_schedules(name, expression, planned, next_run) values($1, $2, 0, $3)",
      name, expression, next_run);
}

TEST_P(JobSchedules, that_no_process_has_planned_for_long_are_deleted) {
  std::vector<std::int64_t> its_planned;
  on_loop_.run([](Database base, std::vector<std::int64_t>* planned) -> Task<> {
    constexpr std::int64_t kDay = 86'400'000;
    TestedJobs jobs(base);
    const auto own = add_schedule(jobs, "0 0 1 1 *", planned);
    co_await jobs->start();
    const std::int64_t now = co_await jobs->admin().now();
    co_await add_row(base, "removed", "* * * * * UTC", now - 31 * kDay);
    co_await add_row(base, "of another program", "* * * * * UTC", now - 29 * kDay);
    co_await add_row(base, own.name, own.expression, now - 31 * kDay);
    jobs->start_work();
    co_await rows_become(base, "eider_job_schedules", 2);
    co_await eventually([=] { return planned->size() == 1; }, "its own schedule runs");
    co_await jobs->stop();
    const auto all = co_await jobs->admin().schedules();
    EXPECT_EQ(all.at(0).name, "of another program");
    EXPECT_GT(all.at(1).next_run, now);
  }(database(), &its_planned));
}

TEST_P(JobSchedules, are_deleted_although_the_program_has_no_others) {
  on_loop_.run([](Database base) -> Task<> {
    TestedJobs jobs(base);
    co_await jobs->start();
    const std::int64_t now = co_await jobs->admin().now();
    co_await add_row(base, "removed", "* * * * * UTC", now - std::int64_t{31} * 86'400'000);
    jobs->start_work();
    co_await rows_become(base, "eider_job_schedules", 0);
    co_await jobs->stop();
  }(database()));
}

TEST(job_schedules, mistakes_are_reported_with_their_fix) {
  const auto error_of = [](const char* expression, const char* zone) -> std::string {
    try {
      (void)detail::jobs::make_schedule("nightly", expression, {.time_zone = zone});
    } catch (const Failure& failure) {
      return failure.what();
    }
    return "";
  };
  EXPECT_NE(error_of("0 25 * * *", "UTC").find("nightly"), std::string::npos);
  EXPECT_NE(error_of("0 25 * * *", "UTC").find("invalid hour"), std::string::npos);
  EXPECT_NE(error_of("0 5 * * *", "Nowhere").find("Nowhere"), std::string::npos);
  EXPECT_EQ(error_of("0 5 * * *", "UTC"), "");
}

}  // namespace
}  // namespace eider
