#include "cli/bench/command.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "cli/bench/files.h"
#include "cli/bench/options.h"
#include "cli/bench/report.h"
#include "cli/bench/requests.h"
#include "cli/bench/run.h"
#include "cli/bench/summary.h"
#include "cli/bench/target.h"
#include "cli/json_line.h"

namespace eider::bench {

namespace {

constexpr int kGood = 0;
constexpr int kFailed = 1;
constexpr int kMisused = 2;

int complain(std::string_view what, int status) {
  fmt::print(stderr, "eider bench: {}\n", what);
  return status;
}

Result<Outcome, std::string> measure(const Options& options) {
  const auto target = find_target(options);
  if (!target) {
    return fail(target.error());
  }
  const Origin origin{target->tls ? "https" : "http", target->authority};
  const auto requests = make_requests(options, origin, target->target);
  if (!requests) {
    return fail(requests.error());
  }
  return run(options, *target, *requests);
}

Result<void, std::string> write_reports(const Options& options, const Summary& summary) {
  if (options.json_file != "-" && options.html_file != "-") {
    std::fputs(report_text(summary).c_str(), stdout);
  }
  if (!options.json_file.empty()) {
    if (auto done = write_file(options.json_file, json_line(summary)); !done) {
      return done;
    }
  }
  return options.html_file.empty() ? Result<void, std::string>()
                                   : write_file(options.html_file, report_html(summary));
}

int measure_and_report(const Options& options) {
  if (const auto read = check_url(options); !read) {
    return complain(read.error(), kMisused);
  }
  // A report that has no place is told ahead of the run, whose figures would be lost.
  for (const std::string& file : {options.json_file, options.html_file}) {
    if (const auto has_place = check_writable(file); !file.empty() && !has_place) {
      return complain(has_place.error(), kFailed);
    }
  }
  const auto outcome = measure(options);
  if (!outcome) {
    return complain(outcome.error(), kFailed);
  }
  const Summary summary = summarise(options, *outcome);
  if (const auto done = write_reports(options, summary); !done) {
    return complain(done.error(), kFailed);
  }
  if (summary.requests == 0 && summary.errors == 0) {
    return complain("No answer came before the end: let it run longer (--duration).", kFailed);
  }
  const bool is_good = summary.errors == 0 && summary.unsent == 0 && summary.requests != 0;
  return is_good ? kGood : kFailed;
}

}  // namespace

int command(std::span<const std::string_view> arguments) {
  const auto options = read_options(arguments);
  if (!options) {
    return complain(options.error(), kMisused);
  }
  if (options->wants_help) {
    fmt::print("{}", help_text());
    return kGood;
  }
  try {
    return measure_and_report(*options);
  } catch (const std::exception& failure) {
    return complain(failure.what(), kFailed);
  }
}

}  // namespace eider::bench
