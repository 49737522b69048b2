// `eider jobs`: lists, retries and discards jobs, and pauses queues.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/on_loop.h"
#include "cli/commands.h"
#include "cli/db/connect.h"
#include "cli/json_line.h"
#include "cli/project/words.h"
#include "eider/core/base/text.h"
#include "eider/web/jobs/job_admin.h"

namespace eider {
namespace {

constexpr std::string_view kJobsHelp = R"(eider jobs ACTION [option …]

Shows and changes the background jobs of an application (eider/jobs.h) in its database.

list          List jobs, the newest first
show ID       Show a job with its arguments, its error and its progress
retry ID …    Run failed or scheduled jobs now
discard ID …  Delete jobs; a running job is canceled
queues        List the queues with the number of jobs in each state
pause QUEUE   Start no more jobs of a queue; running jobs continue
resume QUEUE  Start jobs of a paused queue again
schedules     List the schedules with their last and next run

--database WHERE  postgres://…, mysql://…, or an SQLite file (default: $DATABASE_URL)
--state STATE     list: only scheduled, available, running, waiting, failed or done jobs
--queue QUEUE     list: only jobs of this queue
--type TYPE       list: only jobs of this type
--before ID       list: only jobs with a smaller number, for the next page
--limit N         list: at most N jobs (default: 50)
--json            list, show, queues, schedules: write JSON

  eider jobs list --state failed
  eider jobs retry 17 18

Exit codes: 0 success, 1 failure, 2 invalid usage, 3 there is no such job, or retry cannot run it
)";

constexpr auto kJobsActions = std::to_array<std::string_view>(
    {"list", "show", "retry", "discard", "queues", "pause", "resume", "schedules"});

struct JobsWanted {
  std::string action;
  std::string database;
  std::vector<std::string> names;  // of queues
  std::vector<std::int64_t> ids = {};
  JobFilter filter;
  bool is_json = false;
};

std::string time_text(std::int64_t ms) {
  if (ms == 0) {
    return "-";
  }
  const auto time = std::chrono::sys_seconds(std::chrono::seconds(ms / 1000));
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string first_line(const std::string& text) {
  return text.substr(0, std::min<std::size_t>(text.find('\n'), 80));
}

Result<JobsWanted, std::string> jobs_wanted(std::span<const std::string_view> arguments) {
  auto action = read_action("jobs", arguments, kJobsActions);
  if (!action) {
    return fail(std::move(action.error()));
  }
  const char* const url = std::getenv("DATABASE_URL");
  JobsWanted wanted{.action = std::move(*action),
                    .database = url == nullptr ? "" : url,
                    .names = {},
                    .filter = {}};
  CommandWords words(arguments.subspan(1));
  wanted.database = words.value("--database", "WHERE").value_or(wanted.database);
  wanted.filter.state = words.value("--state", "STATE").value_or("");
  wanted.filter.queue = words.value("--queue", "QUEUE").value_or("");
  wanted.filter.kind = words.value("--type", "TYPE").value_or("");
  wanted.is_json = words.flag("--json");
  const NumberRange positive{1, std::numeric_limits<std::int64_t>::max(), "a positive number"};
  wanted.filter.limit = words.number("--limit", "N", positive).value_or(wanted.filter.limit);
  wanted.filter.before = words.number("--before", "N", positive).value_or(wanted.filter.before);
  const bool has_many = wanted.action == "retry" || wanted.action == "discard";
  const bool has_one =
      wanted.action == "show" || wanted.action == "pause" || wanted.action == "resume";
  auto rest = words.rest(has_many  ? "numbers"
                         : has_one ? "one name"
                                   : "",
                         has_many ? 1000 : has_one);
  if (!rest) {
    return fail(std::move(rest.error()));
  }
  wanted.names = std::move(*rest);
  if ((has_many || has_one) && wanted.names.empty()) {
    return fail(fmt::format(
        "{} needs {}", wanted.action,
        has_many || wanted.action == "show" ? "the number of a job" : "the name of a queue"));
  }
  if (has_many || wanted.action == "show") {
    for (const std::string& name : wanted.names) {  // all of them before anything is changed
      const auto id = parse_integer<std::int64_t>(name);
      if (!id) {
        return fail(name + " is not the number of a job");
      }
      wanted.ids.push_back(*id);
    }
  }
  if (wanted.database.empty()) {
    return fail(std::string("no database given: use --database or DATABASE_URL"));
  }
  return wanted;
}

void print_jobs(const std::vector<JobInfo>& jobs) {
  fmt::print("{:>8}  {:9}  {:24}  {:12}  {:>8}  {:19}  {}\n", "ID", "STATE", "TYPE", "QUEUE",
             "ATTEMPT", "DUE (UTC)", "ERROR");
  for (const JobInfo& job : jobs) {
    fmt::print("{:>8}  {:9}  {:24}  {:12}  {:>8}  {:19}  {}\n", job.id, job.state, job.kind,
               job.queue, fmt::format("{}/{}", job.attempt, job.attempts_max), time_text(job.due),
               first_line(job.error));
  }
}

void print_job(const JobInfo& job) {
  fmt::print("job {} ({})\n", job.id, job.kind);
  fmt::print("state     {}\nqueue     {}\npriority  {}\nattempt   {} of {}\ncreated   {} UTC\n",
             job.state, job.queue, job.priority, job.attempt, job.attempts_max,
             time_text(job.created));
  fmt::print("due       {} UTC\nstarted   {} UTC\nargs      {}\n", time_text(job.due),
             time_text(job.started), job.args);
  const std::string progress = job.progress_text();
  const std::pair<const char*, const std::string*> more[] = {
      {"worker", &job.worker}, {"key", &job.unique_key}, {"saved", &job.saved},
      {"trace", &job.trace},   {"progress", &progress},  {"error", &job.error}};
  for (const auto& [name, value] : more) {
    if (!value->empty()) {
      fmt::print("{:9} {}\n", name, *value);
    }
  }
}

void print_queues(const std::vector<JobQueueInfo>& queues) {
  fmt::print("{:20}  {:>9}  {:>9}  {:>9}  {:>9}\n", "QUEUE", "SCHEDULED", "AVAILABLE", "RUNNING",
             "FAILED");
  for (const JobQueueInfo& queue : queues) {
    fmt::print("{:20}  {:>9}  {:>9}  {:>9}  {:>9}{}\n", queue.name, queue.scheduled,
               queue.available, queue.running, queue.failed, queue.is_paused ? "  paused" : "");
  }
}

void print_schedules(const std::vector<JobScheduleInfo>& schedules) {
  fmt::print("{:24}  {:32}  {:19}  {:19}\n", "SCHEDULE", "EXPRESSION", "LAST RUN (UTC)",
             "NEXT RUN (UTC)");
  for (const JobScheduleInfo& schedule : schedules) {
    fmt::print("{:24}  {:32}  {:19}  {:19}\n", schedule.name, schedule.expression,
               time_text(schedule.planned), time_text(schedule.next_run));
  }
}

template <class T, class Print>
void show(const JobsWanted& wanted, const T& found, Print print) {
  if (wanted.is_json) {
    fmt::print("{}", json_line(found));
  } else {
    print(found);
  }
}

Task<bool> change(const JobAdmin& admin, const std::string& action, std::int64_t id) {
  const bool is_retry = action == "retry";
  bool was_there = false;
  if (is_retry) {
    was_there = co_await admin.retry(id);
  } else {
    was_there = co_await admin.discard(id);
  }
  if (was_there) {
    fmt::print("{} {}\n", is_retry ? "retried" : "discarded", id);
  } else {
    print_error("eider jobs: there is no job {}{}\n", id,
                is_retry ? " that has failed or is scheduled" : "");
  }
  co_return was_there;
}

Task<int> run_action(const JobsWanted& wanted, const JobAdmin& admin) {
  int code = kCommandDone;
  if (wanted.action == "list") {
    show(wanted, co_await admin.list(wanted.filter), print_jobs);
  } else if (wanted.action == "queues") {
    show(wanted, co_await admin.queues(), print_queues);
  } else if (wanted.action == "schedules") {
    show(wanted, co_await admin.schedules(), print_schedules);
  } else if (wanted.action == "pause") {
    co_await admin.pause(wanted.names.front());
  } else if (wanted.action == "resume") {
    co_await admin.resume(wanted.names.front());
  } else if (wanted.action == "show") {
    const auto job = co_await admin.find(wanted.ids.front());
    if (job) {
      show(wanted, *job, print_job);
    } else {
      print_error("eider jobs: there is no job {}\n", wanted.names.front());
      code = kCommandFound;
    }
  } else {
    for (const std::int64_t id : wanted.ids) {
      const bool was_there = co_await change(admin, wanted.action, id);
      code = was_there ? code : kCommandFound;
    }
  }
  co_return code;
}

}  // namespace

int jobs_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kJobsHelp)) {
    return kCommandDone;
  }
  const auto wanted = jobs_wanted(arguments);
  if (!wanted) {
    return command_fault("jobs", wanted.error(), kCommandMisused);
  }
  const std::string file = sqlite_file_of(wanted->database);
  if (is_sqlite_file(wanted->database) && !std::filesystem::exists(file)) {
    return command_fault("jobs", "there is no database " + file);
  }
  const bool is_change = wanted->action != "list" && wanted->action != "show" &&
                         wanted->action != "queues" && wanted->action != "schedules";
  const auto database = open_door(wanted->database, is_change ? Access::writes : Access::reads);
  if (!database) {
    return command_fault("jobs", database.error());
  }
  int code = kCommandFailed;
  try {
    bench::run_on_loop(Backend::epoll, [&]() -> Task<> {
      code = co_await run_action(*wanted, JobAdmin(*database));
    });
  } catch (const std::exception& wrong) {
    return command_fault("jobs", wrong.what());
  }
  return code;
}

}  // namespace eider
