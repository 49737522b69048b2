#include "cli/commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "cli/bench/options.h"
#include "cli/bench/report.h"
#include "cli/bench/requests.h"
#include "cli/bench/run.h"
#include "cli/bench/summary.h"
#include "cli/bench/target.h"
#include "cli/files.h"
#include "cli/json_line.h"
#include "cli/project/words.h"

namespace eider::bench {

namespace {

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
    if (auto done = write_text_file(options.json_file, json_line(summary)); !done) {
      return done;
    }
  }
  return options.html_file.empty() ? Result<void, std::string>()
                                   : write_text_file(options.html_file, report_html(summary));
}

int measure_and_report(const Options& options) {
  if (const auto read = check_url(options); !read) {
    return command_fault("bench", read.error(), kCommandMisused);
  }
  // Check the report files before the run: afterwards, an error would lose the results.
  for (const std::string& file : {options.json_file, options.html_file}) {
    if (const auto has_place = check_writable(file); !file.empty() && !has_place) {
      return command_fault("bench", has_place.error());
    }
  }
  const auto outcome = measure(options);
  if (!outcome) {
    return command_fault("bench", outcome.error());
  }
  const Summary summary = summarise(options, *outcome);
  if (const auto done = write_reports(options, summary); !done) {
    return command_fault("bench", done.error());
  }
  if (summary.requests == 0 && summary.errors == 0) {
    return command_fault("bench", "No response arrived before the end. Use a longer --duration.");
  }
  const bool is_good = summary.errors == 0 && summary.unsent == 0 && summary.requests != 0;
  return is_good ? kCommandDone : kCommandFailed;
}

}  // namespace

int command(std::span<const std::string_view> arguments) {
  const auto options = read_options(arguments);
  if (!options) {
    return command_fault("bench", options.error(), kCommandMisused);
  }
  if (options->wants_help) {
    fmt::print("{}", help_text());
    return kCommandDone;
  }
  try {
    return measure_and_report(*options);
  } catch (const std::exception& failure) {
    return command_fault("bench", failure.what());
  }
}

}  // namespace eider::bench
