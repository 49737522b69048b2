#include "eider/web/jobs/job_page.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/urls.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/html.h"
#include "eider/core/base/shortened.h"
#include "eider/core/base/url.h"
#include "eider/core/reflect/optional_initializer.h"
#include "eider/web/jobs/jobs.h"
#include "eider/web/middleware/cross_origin.h"
#include "eider/web/middleware/csrf.h"

namespace eider {

namespace {

constexpr std::array<std::string_view, 6> kStates{"scheduled", "available", "running",
                                                  "waiting",   "failed",    "done"};

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark;background:Canvas;color:CanvasText}body{font:15px/1.5 "
    "system-ui,sans-serif;margin:1.5rem;"
    "max-width:75rem}.table{overflow-x:auto}table{border-collapse:collapse;width:100%;margin:.5rem "
    "0 1.5rem}"
    "th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #8884;"
    "vertical-align:top}td{overflow-wrap:anywhere}form{display:inline}"
    "nav{display:flex;flex-wrap:wrap;gap:0 1rem}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere}@media(max-width:40rem){body{margin:.5rem}"
    "th,td{padding:.2rem}}";

struct JobsShown {
  std::string state = kOptional;
  std::string queue = kOptional;
  std::int64_t before = 0;
};

struct QueueChange {
  std::string queue;
};

/// Nothing if the guard returns no user.
using ChangedBy = std::optional<JobPageUser>;

Response respond_with(std::string_view type, std::string body) {
  Response response;
  response.set_static_type(type).set_body(std::move(body));
  response.add_header("Cache-Control", "no-store");
  response.add_header("Content-Security-Policy",
                      "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; "
                      "base-uri 'none'; frame-ancestors 'none'");
  response.add_header("Referrer-Policy", "same-origin");
  return response;
}

/// Returns "in 3 h" or "5 min ago".
std::string when(std::int64_t ms, std::int64_t now) {
  if (ms == 0) {
    return "–";
  }
  constexpr std::array<std::pair<std::int64_t, std::string_view>, 3> kUnits{
      {{86'400, " d"}, {3600, " h"}, {60, " min"}}};
  const std::int64_t seconds = (ms > now ? ms - now : now - ms) / 1000;
  std::string text = std::to_string(seconds) + " s";
  for (const auto& [unit, name] : kUnits) {
    if (seconds >= 2 * unit) {
      text = std::to_string(seconds / unit).append(name);
      break;
    }
  }
  return ms > now ? "in " + text : text + " ago";
}

/// An HTML page; texts of cells are escaped.
class JobPage {
 public:
  JobPage(std::string_view prefix, std::string_view title, Request& request) : prefix_(prefix) {
    if (const auto* const token = detail::middleware::csrf_token_of(request)) {
      token_ = token->field();
    }
    html_ =
        "<!doctype html><html lang=en><meta charset=utf-8>"
        "<meta name=viewport content=\"width=device-width\">"
        "<link rel=icon href=\"data:,\"><title>";
    text(title).raw("</title><link rel=stylesheet href=\"").text(prefix_).raw("/style.css\"><h1>");
    text(title).raw("</h1>");
  }
  JobPage& raw(std::string_view html) {
    html_ += html;
    return *this;
  }
  JobPage& text(std::string_view text) {
    html_ += escape_html(text);
    return *this;
  }
  JobPage& cell(std::string_view content) { return raw("<td>").text(content).raw("</td>"); }
  JobPage& cell(std::int64_t number) { return cell(std::to_string(number)); }
  JobPage& head(std::initializer_list<std::string_view> names) {
    raw("<div class=table><table><tr>");
    for (const std::string_view name : names) {
      raw("<th scope=col>").text(name).raw("</th>");
    }
    return raw("</tr>");
  }
  JobPage& link(std::string_view path, std::string_view label) {
    return raw("<a href=\"").text(prefix_).text(path).raw("\">").text(label).raw("</a>");
  }
  /// queue  sent with the form; empty: not sent
  JobPage& button(std::string_view path, std::string_view label, std::string_view queue = {}) {
    raw("<form method=post action=\"").text(prefix_).text(path).raw("\">").raw(token_);
    if (!queue.empty()) {
      raw("<input type=hidden name=queue value=\"").text(queue).raw("\">");
    }
    return raw("<button>").text(label).raw("</button></form> ");
  }
  [[nodiscard]] Response response() { return respond_with("text/html; charset=utf-8", html_); }

 private:
  std::string prefix_;
  std::string token_;  // a hidden field, if the app uses csrf
  std::string html_;
};

void show_queues(JobPage& page, const std::vector<JobQueueInfo>& queues, std::int64_t now) {
  page.raw("<h2>Queues</h2>")
      .head({"Queue", "Scheduled", "Available", "Running", "Failed", "Oldest available", ""});
  for (const JobQueueInfo& queue : queues) {
    page.raw("<tr><td>").link("/?queue=" + percent_encode(queue.name), queue.name).raw("</td>");
    page.cell(queue.scheduled).cell(queue.available).cell(queue.running).cell(queue.failed);
    page.cell(queue.oldest ? when(*queue.oldest, now) : "").raw("<td>");
    page.button(queue.is_paused ? "/resume" : "/pause", queue.is_paused ? "Resume" : "Pause",
                queue.name);
    page.raw("</td></tr>");
  }
  page.raw("</table></div>");
}

void show_schedules(JobPage& page, const std::vector<JobScheduleInfo>& schedules,
                    std::int64_t now) {
  if (schedules.empty()) {
    return;
  }
  page.raw("<h2>Schedules</h2>").head({"Schedule", "Expression", "Last run", "Next run"});
  for (const JobScheduleInfo& schedule : schedules) {
    page.raw("<tr>").cell(schedule.name).cell(schedule.expression);
    page.cell(when(schedule.planned, now)).cell(when(schedule.next_run, now)).raw("</tr>");
  }
  page.raw("</table></div>");
}

void show_buttons(JobPage& page, const JobInfo& job) {
  const std::string path = "/" + std::to_string(job.id);
  if (job.state == "failed" || job.state == "scheduled") {
    page.button(path + "/retry", "Run now");
  }
  page.button(path + "/discard", job.state == "running" ? "Cancel" : "Discard");
}

void show_jobs(JobPage& page, const std::vector<JobInfo>& jobs, const JobFilter& filter,
               std::int64_t now) {
  page.raw("<h2>Jobs</h2><nav>").link("/", "all");
  for (const std::string_view state : kStates) {
    page.link("/?state=" + std::string(state), state);
  }
  page.raw("</nav>").head({"Job", "Type", "State", "Queue", "Attempt", "Due", "Error", ""});
  for (const JobInfo& job : jobs) {
    const std::string id = std::to_string(job.id);
    page.raw("<tr><td>").link("/" + id, id).raw("</td>").cell(job.kind);
    const std::string progress = job.progress_text();
    page.cell(progress.empty() ? job.state : job.state + ": " + progress).cell(job.queue);
    page.cell(std::to_string(job.attempt) + " of " + std::to_string(job.attempts_max));
    page.cell(when(job.due, now)).cell(detail::base::shortened(job.error, 200)).raw("<td>");
    show_buttons(page, job);
    page.raw("</td></tr>");
  }
  page.raw("</table></div>");
  if (!jobs.empty() && static_cast<std::int64_t>(jobs.size()) == filter.limit) {
    page.link("/?state=" + percent_encode(filter.state) + "&queue=" + percent_encode(filter.queue) +
                  "&before=" + std::to_string(jobs.back().id),
              "Older jobs");
  }
}

void show_job(JobPage& page, const JobInfo& job, std::int64_t now) {
  const std::pair<std::string_view, std::string> rows[] = {
      {"State", job.state},
      {"Queue", job.queue},
      {"Attempt", std::to_string(job.attempt) + " of " + std::to_string(job.attempts_max)},
      {"Created", when(job.created, now)},
      {"Due", when(job.due, now)},
      {"Started", when(job.started, now)},
      {"Worker", job.worker},
      {"Unique key", job.unique_key},
      {"Progress", job.progress_text()},
      {"Trace", job.trace},
      {"Arguments", job.args},
      {"Saved cursor", job.saved},
      {"Error", job.error}};
  page.raw("<table>");
  for (const auto& [name, value] : rows) {
    if (!value.empty()) {
      page.raw("<tr><th scope=row>").text(name).raw("</th><td><pre>").text(value);
      page.raw("</pre></td></tr>");
    }
  }
  page.raw("</table>");
  show_buttons(page, job);
}

Error no_such_job(std::int64_t id) {
  return Error::not_found("There is no job " + std::to_string(id) + ".");
}

/// The path of the pages without a slash at its end; set again when the app starts, since it may be
/// mounted.
using Base = std::shared_ptr<std::string>;

Task<Response> show_all(Base base, JobsShown shown, State<Jobs> jobs, Request& request) {
  const JobAdmin& admin = jobs->admin();
  const JobFilter filter{.state = shown.state, .queue = shown.queue, .before = shown.before};
  const std::int64_t now = co_await admin.now();
  JobPage page(*base, "Jobs", request);
  show_queues(page, co_await admin.queues(), now);
  show_jobs(page, co_await admin.list(filter), filter, now);
  show_schedules(page, co_await admin.schedules(), now);
  co_return page.response();
}

/// The handler of the first page, by which Urls finds its path.
struct FirstPage {
  Base base;

  Task<Response> operator()(Query<JobsShown> shown, State<Jobs> jobs, Request& request) const {
    return show_all(base, *shown, jobs, request);
  }
  friend bool operator==(const FirstPage& left, const FirstPage& right) noexcept {
    return left.base == right.base;
  }
};

}  // namespace

void serve_jobs(App& app, GroupPrefix prefix, JobPageOptions options) {
  if (!options.guard) {
    throw Failure(Error::internal(
        "serve_jobs needs a guard, because its pages show the arguments of all jobs and change "
        "them. Set JobPageOptions::guard."));
  }
  Routes pages = app.group(prefix);
  pages.use(cross_origin_protection());
  options.guard(pages);
  const auto base = std::make_shared<std::string>(pages.prefix());
  app.on_start("pages of jobs", [base](State<Urls> urls) {
    *base = urls->of(FirstPage{base});
    base->pop_back();
  });
  const auto note = [say = app.log_writer()](const std::string& what, const ChangedBy& user) {
    say(LogLevel::info,
        "jobs: " + what + (user ? " by " + user->name : std::string()) + " (page of jobs)");
  };
  pages.get("/style.css",
            [] { return respond_with("text/css; charset=utf-8", std::string(kStyle)); });
  pages.get("/", FirstPage{base});
  pages.get("/{id}",
            [base](std::int64_t id, State<Jobs> jobs, Request& request) -> Task<Result<Response>> {
              const auto job = co_await jobs->admin().find(id);
              if (!job) {
                co_return fail(no_such_job(id));
              }
              JobPage page(*base, "Job " + std::to_string(id) + ": " + job->kind, request);
              show_job(page, *job, co_await jobs->admin().now());
              page.raw("<p>").link("/", "All jobs");
              co_return page.response();
            });
  pages.post(
      "/{id}/retry",
      [base, note](std::int64_t id, ChangedBy user, State<Jobs> jobs) -> Task<Result<Redirect>> {
        if (!co_await jobs->admin().retry(id)) {
          co_return fail(no_such_job(id));
        }
        note("job " + std::to_string(id) + " was retried", user);
        co_return Redirect(*base + "/");
      });
  pages.post(
      "/{id}/discard",
      [base, note](std::int64_t id, ChangedBy user, State<Jobs> jobs) -> Task<Result<Redirect>> {
        if (!co_await jobs->admin().discard(id)) {
          co_return fail(no_such_job(id));
        }
        note("job " + std::to_string(id) + " was discarded", user);
        co_return Redirect(*base + "/");
      });
  pages.post(
      "/pause",
      [base, note](Form<QueueChange> form, ChangedBy user, State<Jobs> jobs) -> Task<Redirect> {
        co_await jobs->admin().pause(form->queue);
        note("the queue " + form->queue + " was paused", user);
        co_return Redirect(*base + "/");
      });
  pages.post(
      "/resume",
      [base, note](Form<QueueChange> form, ChangedBy user, State<Jobs> jobs) -> Task<Redirect> {
        co_await jobs->admin().resume(form->queue);
        note("the queue " + form->queue + " was resumed", user);
        co_return Redirect(*base + "/");
      });
}

}  // namespace eider
