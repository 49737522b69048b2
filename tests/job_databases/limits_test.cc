// Large and invalid texts in jobs, and the query plans of their statements, on each database.
#include <cstdint>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/job_databases/tested_jobs.h"

namespace eider {
namespace {

class JobLimits : public JobsTest {};

INSTANTIATE_TEST_SUITE_P(On, JobLimits, each_database(), name_of_database);

TEST_P(JobLimits, an_error_whose_text_a_database_does_not_store_is_changed) {
  on_loop_.run([](Database base) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>(
        [](WriteNote job, JobContext& context) {
          context.progress(std::string("half\xff\0", 6));
          if (job.number == 1) {
            throw std::runtime_error("bad \xff end");
          }
          std::string text = "long ";
          while (text.size() < std::size_t{32} << 20U) {
            text += "\u00eb\u20ac";
          }
          throw CancelJob(text);
        },
        {.first_pause = 1h});
    co_await jobs.start();
    const EnqueuedJob bad = co_await jobs->enqueue(base, WriteNote{1, "x"});
    const EnqueuedJob vast = co_await jobs->enqueue(base, WriteNote{2, "x"});
    co_await rows_become(base, "eider_jobs where state = 'scheduled'", 1);
    co_await rows_become(base, "eider_jobs where state = 'failed'", 1);
    const auto repeated = co_await jobs->admin().find(bad.id);
    EXPECT_EQ(repeated->error, "bad \uFFFD end");
    EXPECT_EQ(repeated->progress, "half\uFFFD\uFFFD");
    const auto failed = co_await jobs->admin().find(vast.id);
    EXPECT_TRUE(failed->error.starts_with("long \u00eb\u20ac"));
    EXPECT_LE(failed->error.size(), std::size_t{16} << 10U);
    EXPECT_GT(failed->error.size(), std::size_t{16380});
    co_await jobs->stop();
  }(database()));
}

struct PlanStep {
  std::int64_t id = 0;
  std::int64_t parent = 0;
  std::int64_t notused = 0;
  std::string detail;
};

TEST_P(JobLimits, repeated_statements_use_indexes_on_sqlite) {
  if (!is_sqlite()) {
    GTEST_SKIP() << "the plans of a server depend on its statistics";
  }
  on_loop_.run([](Database base) -> Task<> {
    detail::jobs::JobStore store(base);
    co_await store.create();
    store.set_work({"default", "mail"}, {"WriteNote", "Publish"});
    for (const db::RuntimeSql& statement : store.repeated_statements()) {
      const std::string text = std::regex_replace(statement.text, std::regex(R"(\$\d+)"), "1");
      const auto steps = co_await base.all<PlanStep>(db::RuntimeSql{"explain query plan " + text});
      for (const PlanStep& step : steps) {
        const bool uses_jobs = step.detail.contains("eider_jobs") || step.detail.contains(" j ");
        EXPECT_TRUE(!uses_jobs || step.detail.contains(" INDEX ") ||
                    step.detail.contains("PRIMARY KEY"))
            << step.detail << " in " << text;
        EXPECT_FALSE(step.detail.contains("TEMP B-TREE")) << text;
      }
      EXPECT_FALSE(steps.empty()) << text;
    }
  }(database()));
}

TEST_P(JobLimits, the_end_of_a_job_uses_the_primary_key_on_postgres) {
  if (&differs() != &kPostgresDiffers) {
    GTEST_SKIP() << "only PostgreSQL prefers a partial index";
  }
  on_loop_.run([](Database base) -> Task<> {
    TestedJobs jobs(base);
    jobs.on<WriteNote>([](WriteNote) {});
    co_await jobs->start();
    co_await jobs->enqueue_all(base, std::vector<WriteNote>(2000, WriteNote{1, "x"}));
    co_await base.exec("analyze eider_jobs");
    detail::jobs::JobStore store(base);
    store.set_work({"default"}, {"WriteNote"});
    const std::string text =
        std::regex_replace(store.repeated_statements().back().text, std::regex(R"(\$\d+)"), "1");
    std::string plan;
    for (const std::string& step :
         co_await base.all<std::string>(db::RuntimeSql{"explain " + text})) {
      plan += step + '\n';
    }
    EXPECT_TRUE(plan.contains("using eider_jobs_pkey")) << plan;
  }(database()));
}

TEST_P(JobLimits, arguments_and_cursors_may_be_large_up_to_a_limit) {
  int its_count = 0;
  on_loop_.run([](Database base, int* count) -> Task<> {
    TestedJobs jobs(base, {.concurrency = 100});
    jobs.on<WriteNote>([count](WriteNote job) { *count += job.text.front() == 'a'; });
    jobs.on<Publish>(
        [](Publish, JobContext& context) -> Task<> {
          co_await context.save(std::string(std::size_t{1} << 20U, 'c'));
        },
        {.attempts = 1});
    co_await jobs->start();
    const std::string large(1'000'000, 'a');
    for (int i = 0; i < 70; ++i) {  // more than one statement returns
      co_await jobs->enqueue(base, WriteNote{i, large});
    }
    const WriteNote too_large{1, large + large};
    std::vector<std::string> errors;
    for (int way = 0; way < 2; ++way) {
      try {
        if (way == 0) {
          co_await jobs->enqueue(base, too_large);
        } else {
          co_await jobs->enqueue_all(base, std::vector<WriteNote>(2, too_large));
        }
      } catch (const Failure& failure) {
        errors.emplace_back(failure.what());
      }
    }
    EXPECT_EQ(errors.size(), 2U);
    for (const std::string& error : errors) {
      EXPECT_NE(error.find("type WriteNote have 2000"), std::string::npos) << error;
    }
    const EnqueuedJob saving = co_await jobs->enqueue(base, Publish{"x"});
    jobs->start_work();
    co_await rows_become(base, "eider_jobs where state <> 'failed'", 0);
    const auto failed = co_await jobs->admin().find(saving.id);
    EXPECT_NE(failed->error.find("saved cursor has 1048578 bytes"), std::string::npos);
    co_await jobs->stop();
    EXPECT_EQ(*count, 70);
  }(database(), &its_count));
}

}  // namespace
}  // namespace eider
