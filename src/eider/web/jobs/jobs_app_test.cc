// Jobs of an app, in simulated time.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "eider/data/db/sqlite/sqlite.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/test_client.h"
#include "eider/web/jobs/job_page.h"
#include "eider/web/jobs/job_progress.h"
#include "eider/web/jobs/jobs.h"
#include "eider/web/middleware/csrf.h"
#include "eider/web/middleware/health.h"
#include "tests/support/faulty_database.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

namespace shop {
struct SendReminder {
  std::int64_t appointment = 0;
};
struct SendInvoice {
  std::int64_t order = 0;
  std::string note = "none";
};
}  // namespace shop

/// The lines that were sent, with simulated seconds.
struct Sent {
  std::vector<std::string> lines;
};

using shop::SendInvoice;
using shop::SendReminder;

Database memory() {
  return open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop});
}

std::chrono::system_clock::time_point in(Duration time) {
  return wall_time() + std::chrono::duration_cast<std::chrono::milliseconds>(time);
}

/// Log lines.
class Lines final : public LogSink {
 public:
  void write(LogLevel /*level*/, std::string_view line) noexcept override {
    lines.emplace_back(line);
  }
  std::vector<std::string> lines;
};

Task<> rename_kinds(Database database) {
  co_await database.exec("update eider_jobs set kind = 'Gone'");
}

App make_app(const Database& database, Sent& sent, Jobs** found = nullptr) {
  App app;
  app.state(database);
  Jobs& made = add_jobs(app, database);
  if (found != nullptr) {
    *found = &made;
  }
  app.job<SendReminder>([its = &sent](SendReminder job, State<Database> db) -> Task<> {
    const auto count = co_await db->one<std::int64_t>("select count(*) from eider_jobs");
    its->lines.push_back("reminder " + std::to_string(job.appointment) + " of " +
                         std::to_string(count.value_or(0)));
  });
  app.post("/appointments/{id}",
           [](std::int64_t id, State<Jobs> jobs, State<Database> db) -> Task<int> {
             Transaction transaction = co_await db->begin();
             co_await jobs->enqueue(transaction, SendReminder{id}, {.run_at = in(48h)});
             co_await transaction.commit();
             co_return static_cast<int>((co_await jobs->enqueued<SendReminder>()).size());
           });
  return app;
}

TEST(jobs_app, a_job_runs_in_simulated_time_when_it_is_due) {
  Sent sent;
  Jobs* found = nullptr;
  const App app = make_app(memory(), sent, &found);
  TestClient client(app);
  EXPECT_EQ(client.post("/appointments/7", json::Value()).body, "1");
  client.advance(47h);
  EXPECT_TRUE(sent.lines.empty());
  const Jobs& jobs = *found;
  const std::vector<SendReminder> waiting = client.run(jobs.enqueued<SendReminder>());
  ASSERT_EQ(waiting.size(), 1U);
  EXPECT_EQ(waiting[0].appointment, 7);
  client.advance(1h + 1s);
  EXPECT_EQ(sent.lines, std::vector<std::string>{"reminder 7 of 1"});
  client.advance(24h);
  EXPECT_EQ(sent.lines.size(), 1U);
}

TEST(jobs_app, jobs_run_on_the_loop_of_the_first_client_and_end_with_it) {
  Sent sent;
  Jobs* found = nullptr;
  const App app = make_app(memory(), sent, &found);
  TestClient first(app);
  {
    TestClient second(app);
    EXPECT_EQ(second.post("/appointments/7", json::Value()).body, "1");
    second.advance(49h);
    EXPECT_TRUE(sent.lines.empty());
  }
  first.advance(49h);
  EXPECT_EQ(sent.lines.size(), 1U);
}

TEST(jobs_app, a_schedule_runs_at_its_times) {
  Sent sent;
  App app = make_app(memory(), sent);
  app.schedule("nightly", "0 3 * * *",
               [its = &sent](ScheduledRun run, State<Database>) {
                 const auto time =
                     std::chrono::sys_seconds(std::chrono::seconds(run.planned / 1000));
                 its->lines.push_back(std::to_string(
                     (time - std::chrono::floor<std::chrono::days>(time)) / std::chrono::hours(1)));
                 EXPECT_GE(wall_time(), time);
                 EXPECT_LT(wall_time(), time + 2s);
               },
               {.time_zone = "Asia/Tokyo"});
  app.schedule("typed", "0 12 * * *", SendReminder{1});
  TestClient client(app);
  client.advance(72h);
  EXPECT_EQ(std::ranges::count(sent.lines, "18"), 3);
  EXPECT_EQ(std::ranges::count(sent.lines, "reminder 1 of 1"), 3);
}

TEST(jobs_app, a_schedule_that_another_program_deleted_continues) {
  Sent sent;
  const Database database = memory();
  App app = make_app(database, sent);
  app.schedule("nightly", "0 3 * * *", SendReminder{1});
  app.post("/deletion", [](State<Database> its) -> Task<> {
    co_await its->exec("delete from eider_job_schedules");
  });
  TestClient client(app);
  client.advance(24h);
  EXPECT_EQ(client.post("/deletion", json::Value()).status, 204);
  client.advance(24h);
  EXPECT_EQ(std::ranges::count(sent.lines, "reminder 1 of 1"), 2);
}

TEST(jobs_app, a_schedule_can_skip_runs_while_the_previous_one_has_not_ended) {
  for (const bool skips : {true, false}) {
    Sent sent;
    int running = 0;
    int running_max = 0;
    App app = make_app(memory(), sent);
    app.schedule("slow", "* * * * *",
                 [its = &sent, now = &running, most = &running_max](ScheduledRun run) -> Task<> {
                   *most = std::max(*most, ++*now);
                   its->lines.push_back(std::to_string(run.planned / 60'000 % 4));
                   co_await sleep_for(210s);
                   --*now;
                 },
                 {.skips_if_running = skips});
    TestClient client(app);
    client.advance(1h);
    EXPECT_EQ(running_max, skips ? 1 : 4);
    EXPECT_GE(sent.lines.size(), skips ? 14U : 59U);
    EXPECT_LE(sent.lines.size(), skips ? 15U : 60U);
    const auto first = std::ranges::count(sent.lines, sent.lines.front());
    EXPECT_EQ(first == static_cast<std::ptrdiff_t>(sent.lines.size()), skips);
  }
}

TEST(jobs_app, a_worker_that_is_off_only_enqueues) {
  Sent sent;
  App app;
  const Database database = memory();
  add_jobs(app, database).settings.off = true;
  app.job<SendReminder>([its = &sent](SendReminder) { its->lines.emplace_back("sent"); });
  app.get("/", [](State<Jobs> jobs, State<Database> db) -> Task<int> {
    co_await jobs->enqueue(*db, SendReminder{1});
    co_return static_cast<int>((co_await jobs->enqueued<SendReminder>()).size());
  });
  app.state(database);
  TestClient client(app);
  EXPECT_EQ(client.get("/").body, "1");
  client.advance(1h);
  EXPECT_TRUE(sent.lines.empty());
}

TEST(jobs_app, options_choose_what_a_process_does) {
  App app;
  const Jobs& jobs = add_jobs(app, memory());
  app.options(OptionSet("shop"));
  const OptionSet all = app.options();
  std::vector<std::string> names;
  for (const auto& option : all.options()) {
    names.push_back("--" + option.name + " " + option.environment + " " + option.key);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"--no-jobs SHOP_NO_JOBS jobs.off",
                                             "--jobs-only SHOP_JOBS_ONLY jobs.only",
                                             "--jobs-monitoring SHOP_JOBS_MONITORING "
                                             "jobs.monitoring"}));
  std::vector<std::string> words{"shop", "--no-jobs", "--jobs-only"};
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  const Exit exit = app.run(static_cast<int>(argv.size()), argv.data());
  EXPECT_TRUE(jobs.settings.off && jobs.settings.only);
  EXPECT_EQ(exit.code(), 2);
  EXPECT_TRUE(exit.text().contains("--no-jobs and --jobs-only contradict")) << exit.text();
}

TEST(jobs_app, a_process_for_jobs_is_ready_while_its_worker_reaches_the_database) {
  const auto faults = std::make_shared<DatabaseFaults>();
  const Database database = open_faulty_database(faults);
  App app;
  app.log_to(std::make_shared<Lines>());
  Jobs& jobs = add_jobs(app, database, {.log = std::make_shared<Lines>()});
  serve_health(app);
  TestClient client(app);
  client.advance(1s);
  faults->fail_behind(0);
  faults->fails_for = SIZE_MAX;
  client.advance(1h);
  EXPECT_EQ(client.get("/readyz").status, 200) << "it also serves requests";
  jobs.settings.only = true;
  client.advance(2s);
  const TestResponse failing = client.get("/readyz");
  EXPECT_EQ(failing.status, 503);
  EXPECT_EQ(failing.body, R"({"status":"failing","checks":{"jobs":"failing"}})");
  *faults = {};
  client.advance(1h);
  const TestResponse ready = client.get("/readyz");
  EXPECT_EQ(ready.body, R"({"status":"ok","checks":{"jobs":"ok"}})");
}

TEST(jobs_app, monitoring_is_an_option_of_processes_that_only_run_jobs) {
  App app;
  Jobs& jobs = add_jobs(app, memory());
  using detail::app::Serves;
  EXPECT_EQ(jobs.serves(), Serves::everything);
  jobs.settings.monitoring = true;
  EXPECT_TRUE(jobs.serves().error().detail().contains("--jobs-monitoring requires --jobs-only"));
  jobs.settings.only = true;
  EXPECT_EQ(jobs.serves(), Serves::monitoring);
  jobs.settings.monitoring = false;
  EXPECT_EQ(jobs.serves(), Serves::nothing);
}

TEST(jobs_app, handlers_with_transactions_do_not_delay_the_lease_of_their_worker) {
  Sent sent;
  const Database database = memory();
  App app;
  Jobs& jobs = add_jobs(app, database, {.lease = 30s});
  app.job<SendReminder>([its = &sent](SendReminder, Transaction& transaction) -> Task<> {
    (void)co_await transaction.one<std::int64_t>("select count(*) from eider_jobs");
    co_await sleep_for(5s);
    its->lines.emplace_back("sent");
  });
  TestClient client(app);
  client.run(jobs.enqueue_all(database, std::vector<SendReminder>(40, SendReminder{1})));
  client.advance(10min);
  EXPECT_EQ(sent.lines.size(), 40U);
  EXPECT_EQ(jobs.counts().taken_over, 0U);
  EXPECT_EQ(jobs.counts().done, 40U);
}

TEST(jobs_app, a_simulated_day_without_jobs_takes_few_statements) {
  const auto faults = std::make_shared<DatabaseFaults>();
  const Database database = open_faulty_database(faults);
  App app;
  add_jobs(app, database);
  app.schedule("nightly", "0 3 * * *", SendReminder{1});
  app.job<SendReminder>([](SendReminder) {});
  TestClient client(app);
  client.advance(1min);
  const std::size_t before = faults->asked.size();
  client.advance(24h);
  EXPECT_LT(faults->asked.size() - before, 3000U);
}

Task<> leave_orphans(Database database) {
  co_await database.exec("update eider_jobs set state = 'running', worker = 99, attempt = 1");
  co_await database.exec(
      "insert into eider_job_workers(id, label, lease_until, started) values(99, 'dead', 5, 5)");
}

TEST(jobs_app, all_jobs_of_a_dead_worker_are_released_together) {
  Sent sent;
  const Database database = memory();
  App app;
  Jobs& jobs = add_jobs(app, database, {.lease = 30s, .log = std::make_shared<Lines>()});
  app.job<SendReminder>([its = &sent](SendReminder) { its->lines.emplace_back("sent"); });
  TestClient client(app);
  client.run(
      jobs.enqueue_all(database, std::vector<SendReminder>(1200, SendReminder{1}), {.delay = 1h}));
  client.run(leave_orphans(database));
  client.advance(11s);
  EXPECT_TRUE(client.run(jobs.admin().list({.state = "running"})).empty());
}

TEST(jobs_app, jobs_without_a_handler_are_reported_once_and_wait) {
  Sent sent;
  const auto log = std::make_shared<Lines>();
  const Database database = memory();
  App app;
  Jobs& jobs = add_jobs(app, database, {.log = log});
  app.job<SendReminder>([its = &sent](SendReminder) { its->lines.emplace_back("sent"); });
  app.job<SendInvoice>([](SendInvoice) {});
  TestClient client(app);
  client.run(jobs.enqueue(database, SendReminder{1}, {.delay = 1h}));
  client.run(rename_kinds(database));
  client.advance(3h);
  EXPECT_TRUE(sent.lines.empty());
  EXPECT_EQ(client.run(jobs.admin().list({.state = "available"})).size(), 1U);
  EXPECT_EQ(std::ranges::count_if(log->lines,
                                  [](const std::string& line) {
                                    return line.contains("1 jobs of the type Gone wait");
                                  }),
            1);
}

TEST(jobs_app, pages_list_and_change_jobs) {
  App app;
  const Database database = memory();
  Jobs& jobs = add_jobs(app, database);
  app.job<SendReminder>([](SendReminder job) {
    if (job.appointment == 3) {
      throw CancelJob("<b>no such appointment</b>");
    }
  });
  app.schedule("nightly", "0 3 * * *", SendReminder{1});
  EXPECT_THROW(serve_jobs(app, "/jobs", {}), Failure);
  serve_jobs(app, "/jobs", {.guard = [](Routes& pages) {
               pages.guard([](Header<"x-admin", std::optional<std::string>> admin) -> Result<void> {
                 return *admin ? Result<void>() : fail(Error::forbidden("no"));
               });
             }});
  TestClient client(app, {.headers = {}});
  EXPECT_EQ(client.get("/jobs/").status, 403);
  const std::vector<TestHeader> admin{{"X-Admin", "yes"}};
  const EnqueuedJob failing = client.run(jobs.enqueue(database, SendReminder{3}));
  const EnqueuedJob later = client.run(jobs.enqueue(database, SendReminder{4}, {.delay = 48h}));
  client.advance(1s);
  const std::string page = client.get("/jobs/", admin).body;
  EXPECT_NE(page.find("&lt;b&gt;no such appointment"), std::string::npos) << page;
  EXPECT_EQ(page.find("<b>no"), std::string::npos);
  EXPECT_NE(page.find("nightly"), std::string::npos);
  EXPECT_NE(page.find("in 47 h"), std::string::npos) << page;
  const std::string failed = std::to_string(failing.id);
  EXPECT_NE(client.get("/jobs/" + failed, admin).body.find("{&quot;appointment&quot;:3}"),
            std::string::npos)
      << client.get("/jobs/" + failed, admin).body;
  EXPECT_EQ(client.get("/jobs/999", admin).status, 404);
  const auto post = [&](const std::string& path, const std::string& body = "",
                        const char* site = "same-origin") {
    return client
        .send({.method = Method::post,
               .target = "/jobs" + path,
               .headers = {{"X-Admin", "yes"},
                           {"Sec-Fetch-Site", site},
                           {"Content-Type", "application/x-www-form-urlencoded"}},
               .body = body})
        .status;
  };
  EXPECT_EQ(post("/" + failed + "/discard", "", "cross-site"), 403);
  const auto first = client.run(jobs.admin().find(failing.id));
  EXPECT_EQ(post("/" + failed + "/retry"), 303);
  client.advance(1s);
  const auto second = client.run(jobs.admin().find(failing.id));
  EXPECT_GT(second->started, first->started);
  EXPECT_EQ(second->attempt, 1) << "all attempts are given back";
  EXPECT_EQ(post("/" + failed + "/discard"), 303);
  EXPECT_EQ(post("/" + failed + "/discard"), 404);
  EXPECT_EQ(post("/pause", "queue=default"), 303);
  EXPECT_EQ(post("/" + std::to_string(later.id) + "/retry"), 303);
  client.advance(1h);
  EXPECT_EQ(client.run(jobs.enqueued<SendReminder>()).size(), 1U);
  EXPECT_EQ(post("/resume", "queue=default"), 303);
  client.advance(1h);
  EXPECT_TRUE(client.run(jobs.enqueued<SendReminder>()).empty());
  EXPECT_EQ(jobs.counts().done, 1U);
  EXPECT_EQ(jobs.counts().failed, 2U);
}

TEST(jobs_app, changes_on_pages_are_logged_with_their_user) {
  App app;
  const auto log = std::make_shared<Lines>();
  app.log_to(log);
  const Database database = memory();
  const Jobs& jobs = add_jobs(app, database);
  app.job<SendReminder>([](SendReminder) { throw CancelJob("no"); });
  serve_jobs(app, "/jobs", {.guard = [](Routes& pages) {
               pages.guard([](Header<"x-user"> user) { return JobPageUser{std::string(*user)}; });
             }});
  TestClient client(app, {.headers = {{"X-User", "ann"}, {"Sec-Fetch-Site", "same-origin"}}});
  const EnqueuedJob job = client.run(jobs.enqueue(database, SendReminder{3}));
  client.advance(1s);
  const std::string path = "/jobs/" + std::to_string(job.id);
  EXPECT_EQ(client.post_form(path + "/retry", std::vector<TestField>()).status, 303);
  EXPECT_EQ(client.post_form(path + "/discard", std::vector<TestField>()).status, 303);
  EXPECT_EQ(client.post_form("/jobs/pause", {{"queue", "default"}}).status, 303);
  EXPECT_EQ(client.post_form("/jobs/resume", {{"queue", "default"}}).status, 303);
  EXPECT_EQ(client.post_form(path + "/retry", std::vector<TestField>()).status, 404);
  std::erase_if(log->lines,
                [](const std::string& line) { return !line.contains("(page of jobs)"); });
  const std::string number = std::to_string(job.id);
  EXPECT_EQ(log->lines, (std::vector<std::string>{
                            "jobs: job " + number + " was retried by ann (page of jobs)",
                            "jobs: job " + number + " was discarded by ann (page of jobs)",
                            "jobs: the queue default was paused by ann (page of jobs)",
                            "jobs: the queue default was resumed by ann (page of jobs)"}));
}

TEST(jobs_app, pages_send_the_csrf_token_with_each_form) {
  App app;
  app.use(csrf({.is_secure = false}));
  app.get("/visit", [] {
    return ResponseOf(std::string("x")).cookie({.name = "seen", .value = "1", .secure = false});
  });
  const Database database = memory();
  const Jobs& jobs = add_jobs(app, database, {.log = std::make_shared<Lines>()});
  app.job<SendReminder>([](SendReminder) { throw CancelJob("no"); });
  serve_jobs(app, "/jobs", {.guard = [](Routes&) {}});
  TestClient client(app, {.keeps_cookies = true});
  const EnqueuedJob job = client.run(jobs.enqueue(database, SendReminder{3}));
  client.advance(1s);
  client.get("/visit");
  const std::string path = "/jobs/" + std::to_string(job.id);
  EXPECT_EQ(client.post_form("/jobs/pause", {{"queue", "default"}}).status, 403);
  for (const std::string& action : {path + "/retry", std::string("/jobs/pause"),
                                    std::string("/jobs/resume"), path + "/discard"}) {
    client.advance(1s);
    EXPECT_EQ(client.submit(client.get("/jobs/"), {}, action).status, 303) << action;
  }
}

TEST(jobs_app, pages_have_links_of_the_mounted_app) {
  App inner;
  add_jobs(inner, memory(), {.log = std::make_shared<Lines>()});
  inner.job<SendReminder>([](SendReminder) {});
  serve_jobs(inner, "/jobs", {.guard = [](Routes&) {}});
  App app;
  app.mount("/office", std::move(inner));
  TestClient client(app);
  const std::string page = client.get("/office/jobs/").body;
  EXPECT_TRUE(page.contains("href=\"/office/jobs/style.css\"")) << page;
  EXPECT_FALSE(page.contains("\"/jobs/")) << page;
  const TestResponse paused = client.post_form("/office/jobs/pause", {{"queue", "default"}});
  EXPECT_EQ(paused.header("Location"), "/office/jobs/");
}

TEST(jobs_app, the_progress_of_a_job_is_sent_as_events_until_it_has_ended) {
  const Database database = memory();
  App app;
  Jobs& jobs = add_jobs(app, database, {.log = std::make_shared<Lines>()});
  app.job<SendReminder>([](SendReminder job, JobContext& context) -> Task<> {
    context.progress(job.appointment, 2, "sent");
    co_await sleep_for(10s);
    if (job.appointment == 2) {
      throw CancelJob("no such appointment");
    }
  });
  app.get("/jobs/{id}/progress", follow_job);
  TestClient client(app);
  EXPECT_EQ(client.get("/jobs/7/progress").status, 404);
  for (const std::int64_t number : {1, 2}) {
    const EnqueuedJob job =
        client.run(jobs.enqueue(database, SendReminder{number}, {.delay = 20s}));
    TestEvents events = client.events("/jobs/" + std::to_string(job.id) + "/progress");
    std::vector<std::string> seen;
    while (const auto event = events.next(1min)) {
      const auto data = json::read<JobProgress>(event->data);
      ASSERT_TRUE(data) << event->data;
      const std::string end = event->event == "end" ? " at the end" : "";
      seen.push_back(data->state + " " + std::to_string(data->done) + " of " +
                     std::to_string(data->total) + end);
    }
    EXPECT_TRUE(events.has_ended());
    const std::string so_far = " " + std::to_string(number) + " of 2";
    EXPECT_EQ(seen.front(), "scheduled 0 of 0");
    EXPECT_EQ(std::ranges::count(seen, "running" + so_far), 1);
    EXPECT_EQ(seen.back(), (number == 1 ? "ended" : "failed") + so_far + " at the end");
  }
}

std::string startup_error(const App& app) {
  try {
    const TestClient client(app);
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "";
}

TEST(jobs_app, mistakes_are_startup_errors) {
  App lonely;
  lonely.job<SendReminder>([](SendReminder) {});
  EXPECT_NE(startup_error(lonely).find("Jobs"), std::string::npos) << startup_error(lonely);

  App twice;
  add_jobs(twice, memory());
  twice.job<SendReminder>([](SendReminder) {});
  twice.job<SendInvoice>([](SendInvoice) {}, {.name = "SendReminder"});
  EXPECT_NE(startup_error(twice).find("Two job types are named SendReminder"), std::string::npos);

  App again;
  add_jobs(again, memory());
  again.job<SendReminder>([](SendReminder) {});
  again.job<SendReminder>([](SendReminder) {});
  EXPECT_NE(startup_error(again).find("SendReminder has two handlers"), std::string::npos);

  App nightly;
  add_jobs(nightly, memory());
  nightly.job<SendReminder>([](SendReminder) {});
  nightly.schedule("nightly", "0 3 * * *", SendReminder{1});
  nightly.schedule("nightly", "0 3 * * *", SendReminder{2});
  EXPECT_NE(startup_error(nightly).find("Two schedules are named nightly"), std::string::npos);

  App urgent;
  add_jobs(urgent, memory());
  urgent.job<SendReminder>([](SendReminder) {});
  urgent.on_start("begin", [](State<Jobs> jobs) -> Task<> {
    co_await jobs->enqueue(memory(), SendReminder{1}, {.priority = 100'000});
  });
  EXPECT_NE(startup_error(urgent).find("from -32768 to 32767"), std::string::npos);

  App missing;
  add_jobs(missing, memory());
  missing.job<SendReminder>([](SendReminder, State<Sent>) {});
  EXPECT_NE(startup_error(missing).find("Sent"), std::string::npos) << startup_error(missing);

  App unknown;
  add_jobs(unknown, memory());
  unknown.on_start("begin", [](State<Jobs> jobs) -> Task<> {
    co_await jobs->enqueue(memory(), SendInvoice{1});
  });
  EXPECT_NE(startup_error(unknown).find("SendInvoice"), std::string::npos);

  App app;
  EXPECT_THROW(app.job<SendReminder>([](SendReminder) {}, {.attempts = 0}), Failure);
  EXPECT_THROW(add_jobs(app, memory(), {.lease = 1ms}), Failure);
  EXPECT_THROW(app.schedule("x", "never", SendReminder{1}), Failure);
}

TEST(jobs_app, a_name_is_that_of_the_struct_without_its_namespaces) {
  EXPECT_EQ(detail::jobs::short_name("shop::(anonymous namespace)::Send"), "Send");
  EXPECT_EQ(detail::jobs::short_name("Send"), "Send");
  EXPECT_EQ(detail::jobs::short_name("a::Of<b::c>"), "Of<b::c>");
}

}  // namespace
}  // namespace eider
