// The common base of job tests: jobs of a database without an app, on a test's loop.
// Layering: must not include a driver.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/web/jobs/jobs.h"
#include "tests/databases/tested_database.h"

namespace eider {

using namespace std::chrono_literals;

struct WriteNote {
  std::int64_t number = 0;
  std::string text;
};
struct Publish {
  std::string what;
};

/// Stores log lines.
class JobsLog final : public LogSink {
 public:
  void write(LogLevel /*level*/, std::string_view line) noexcept override {
    lines.emplace_back(line);
  }
  [[nodiscard]] bool contains(std::string_view text) const {
    return std::ranges::any_of(lines, [&](const std::string& line) { return line.contains(text); });
  }
  std::vector<std::string> lines;
};

/// Returns options with short polling intervals, so that tests do not wait.
[[nodiscard]] inline JobsOptions quick(JobsOptions options = {}) {
  options.interval_max = 20ms;
  options.log = options.log == nullptr ? std::make_shared<JobsLog>() : options.log;
  return options;
}

/// One process with its handlers. Stop it before it is destroyed.
class TestedJobs {
 public:
  explicit TestedJobs(const Database& database, JobsOptions options = {})
      : jobs_(std::make_unique<Jobs>(database, quick(std::move(options)))) {}

  template <class T, class F>
  TestedJobs& on(F handler, JobOptions options = {}) {
    jobs_->add(detail::jobs::make_entry<T>(std::move(handler), std::move(options)));
    return *this;
  }
  Task<> start() {
    co_await jobs_->start();
    jobs_->start_work();
  }
  Jobs* operator->() const { return jobs_.get(); }
  Jobs& operator*() const { return *jobs_; }

 private:
  std::unique_ptr<Jobs> jobs_;
};

/// Waits until `check` returns true; fails the test after 30 s.
inline Task<> eventually(std::function<bool()> check, const char* what = "") {
  for (int i = 0; !check(); ++i) {
    if (i == 6000) {
      ADD_FAILURE() << "nothing happened: " << what;
      co_return;
    }
    co_await sleep_for(5ms);
  }
}

/// Starts jobs whose database has a shorter connection timeout than a busy machine needs: retries
/// for two minutes.
inline Task<> start_patiently(TestedJobs& jobs) {
  for (const Instant end = Loop::current().now() + 2min;;) {
    try {
      co_await jobs.start();
      co_return;
    } catch (const db::Failure&) {
      if (Loop::current().now() > end) {
        throw;
      }
    }
  }
}

class JobsTest : public DatabaseTest {
 protected:
  void SetUp() override {
    database_ = open();
    for (const char* const table : {"eider_jobs", "eider_job_workers", "eider_job_queues",
                                    "eider_job_kinds", "eider_job_schedules", "effects"}) {
      script(*database_, std::string("drop table if exists ") + table);
    }
    script(*database_, "create table effects(n bigint not null)");
  }
  [[nodiscard]] const Database& database() const { return *database_; }
  [[nodiscard]] std::int64_t count(const std::string& where) {
    return number(database(), "select count(*) from eider_jobs where " + where);
  }

  std::optional<Database> database_;
};

/// Returns the number of rows.
inline Task<std::int64_t> rows(Database database, std::string where) {
  const auto count = co_await database.one<std::int64_t>(
      db::RuntimeSql{"select count(*) from " + std::move(where)});
  co_return count.value_or(-1);
}

/// Waits until there are `wanted` rows.
inline Task<> rows_become(Database database, std::string where, std::int64_t wanted) {
  std::int64_t seen = -1;
  for (int i = 0; i < 12000 && seen != wanted; ++i) {
    seen = co_await rows(database, where);
    if (seen != wanted) {
      co_await sleep_for(10ms);
    }
  }
  EXPECT_EQ(seen, wanted) << where;
}

}  // namespace eider
