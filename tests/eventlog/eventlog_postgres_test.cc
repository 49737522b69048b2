// The event log with PostgreSQL, where transactions run in parallel.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/log_lines.h"
#include "eider/web/eventlog/eventlog.h"
#include "eider/web/jobs/jobs.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

struct Spoken {
  std::int64_t id = 0;
  std::string word = {};
};

/// Records the messages of the event log's topic.
class Heard final : public TopicListener {
 public:
  explicit Heard(Topics& topics) : TopicListener(topics) { listen("event-log"); }
  std::vector<std::string> events;

 private:
  void on_published(std::string_view event) override { events.emplace_back(event); }
  void on_over() override {}
};

class EventLogOnPostgres : public PostgresTest {
 protected:
  void SetUp() override {
    script(base_, "drop table if exists eider_event_log, eider_event_log_head");
    on_loop_.run(log_.start());
  }

  static Task<> say(const Database* base, const EventLog* log, std::string word) {
    Transaction transaction = co_await base->begin();
    co_await log->commit(std::move(transaction), "said", Spoken{0, std::move(word)});
  }
  void say(const char* word) { on_loop_.run(say(&base_, &log_, word)); }
  std::int64_t number(const char* sql) { return PostgresTest::number(base_, sql); }

  const Database base_ = open();
  Topics topics_;
  EventLog log_{base_, topics_, {}};
};

TEST_F(EventLogOnPostgres, begins_where_its_tables_are_there_already) {
  say("one");
  on_loop_.run(log_.start());
  say("two");
  EXPECT_EQ(number("select max(id) from eider_event_log"), 2);
  EXPECT_EQ(number("select last from eider_event_log_head"), 2);
}

TEST_F(EventLogOnPostgres, numbers_without_a_gap_what_is_said_side_by_side) {
  on_loop_.run([](const Database* base, const EventLog* log) -> Task<> {
    Scope scope;
    for (int i = 0; i < 12; ++i) {
      scope.start(say(base, log, std::to_string(i)));
    }
    co_await scope.join();
  }(&base_, &log_));
  EXPECT_EQ(number("select count(distinct id) from eider_event_log where id between 1 and 12"), 12);
  EXPECT_EQ(number("select count(*) from eider_event_log "
                   "where data::json ->> 'id' = id::text"),
            12);
}

TEST_F(EventLogOnPostgres, numbers_without_a_gap_what_was_taken_back) {
  say("one");
  on_loop_.run([](const Database* base) -> Task<> {
    const Transaction transaction = co_await base->begin();
    co_await transaction.exec("update eider_event_log_head set last = last + 1");
    co_await transaction.roll_back();
  }(&base_));
  say("two");
  EXPECT_EQ(number("select max(id) from eider_event_log"), 2);
}

// The server commits once the lock is free. The handler is canceled while it waits for the commit.
TEST_F(EventLogOnPostgres, tells_of_a_commit_that_whoever_asked_for_it_does_not_wait_for) {
  script(base_,
         "create or replace function wait_for_lock() returns trigger language plpgsql as "
         "'begin perform pg_advisory_xact_lock(7); return null; end';"
         "create constraint trigger at_commit after insert on eider_event_log "
         "deferrable initially deferred for each row execute function wait_for_lock()");
  on_loop_.run([](const Database* base, const EventLog* log, Topics* topics) -> Task<> {
    const Heard heard(*topics);
    const Transaction holding = co_await base->begin();
    co_await holding.exec("select pg_advisory_xact_lock(7)");
    Scope handler;
    handler.start(say(base, log, "one"));
    std::int64_t waiting = 0;
    while (waiting == 0) {
      waiting = (co_await base->one<std::int64_t>(
                     "select count(*) from pg_locks where locktype = 'advisory' and not granted"))
                    .value();
    }
    handler.cancel();
    co_await handler.join();
    co_await holding.roll_back();
    std::int64_t kept = 0;
    while (kept == 0) {
      kept = (co_await base->one<std::int64_t>("select count(*) from eider_event_log")).value();
    }
    for (int i = 0; i < 1000 && heard.events.empty(); ++i) {
      co_await sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(heard.events.size(), 1U);
  }(&base_, &log_, &topics_));
}

TEST_F(EventLogOnPostgres, fails_and_keeps_nothing_where_the_server_refuses_the_commit) {
  script(base_,
         "create or replace function refuse() returns trigger language plpgsql as "
         "'begin raise exception ''no''; end';"
         "create constraint trigger at_commit after insert on eider_event_log "
         "deferrable initially deferred for each row execute function refuse()");
  EXPECT_ANY_THROW(say("one"));
  script(base_, "drop trigger at_commit on eider_event_log");
  say("two");
  EXPECT_EQ(number("select max(id) from eider_event_log"), 1);
}

TEST_F(EventLogOnPostgres, forgets_what_is_old) {
  say("one");
  say("two");
  say("three");
  script(base_, "update eider_event_log set added = 0 where id < 3");
  on_loop_.run(log_.forget());
  EXPECT_EQ(number("select count(*) from eider_event_log"), 1);
  EXPECT_EQ(number("select deleted from eider_event_log_head"), 2);
  on_loop_.run(log_.forget());
  EXPECT_EQ(number("select deleted from eider_event_log_head"), 2);
}

/// Returns options with jobs of this process, which poll at short intervals.
JobsOptions quick() {
  return {.interval_max = std::chrono::milliseconds(20), .log = std::make_shared<LogLines>()};
}

TEST_F(EventLogOnPostgres, calls_a_webhook_by_a_job_of_each_commit) {
  script(base_, "drop table if exists eider_jobs, eider_job_workers");
  Jobs jobs(base_, quick());
  const EventLog calling(base_, topics_, {.webhook = "http://127.0.0.1:1/", .jobs = &jobs});
  on_loop_.run([](const Database* base, Jobs* all, const EventLog* log) -> Task<> {
    co_await all->start();
    co_await say(base, log, "one");
    {
      const Transaction undone = co_await base->begin();
      co_await undone.exec("update eider_event_log_head set last = last + 1");
      co_await undone.roll_back();
    }
    all->start_work();
    std::optional<JobInfo> job;
    while (!job || job->attempt == 0 || job->state != "scheduled") {
      co_await sleep_for(std::chrono::milliseconds(5));
      const auto found = co_await all->admin().list({.queue = "webhook"});
      EXPECT_EQ(found.size(), 1U);
      job = found.empty() ? std::nullopt : std::optional(found.front());
    }
    EXPECT_EQ(job->kind, "webhook");
    EXPECT_EQ(job->args, R"({"entry":1})");
    EXPECT_TRUE(job->error.starts_with("The webhook has not accepted the entry 1: ")) << job->error;
    co_await all->stop();
  }(&base_, &jobs, &calling));
}

TEST_F(EventLogOnPostgres, rejects_a_webhook_that_no_job_could_call) {
  EXPECT_THROW(EventLog(base_, topics_, {.webhook = "http://127.0.0.1:1/"}), Failure);
  Jobs others(open(), quick());
  EXPECT_THROW(EventLog(base_, topics_, {.webhook = "http://127.0.0.1:1/", .jobs = &others}),
               Failure);
}

}  // namespace
}  // namespace eider
