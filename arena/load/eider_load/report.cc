#include "report.h"

#include <fmt/format.h>

#include <algorithm>

#include "eider/json/write.h"

namespace load {

namespace {

struct Latency {
  double mean_ms;
  double p50_ms;
  double p90_ms;
  double p99_ms;
  double p999_ms;
  double max_ms;
};

struct Kinds {
  std::uint64_t connect;
  std::uint64_t reset;
  std::uint64_t closed;
  std::uint64_t timeout;
  std::uint64_t wrong_status;
  std::uint64_t wrong_body;
  std::uint64_t malformed;
};

struct Report {
  std::string_view mode;
  double seconds;
  std::uint64_t requests;
  double per_second;
  std::uint64_t errors;
  Kinds errors_by_kind;
  std::string_view first_error;
  std::uint64_t unsent;
  Latency latency;
  std::optional<Latency> uncorrected;
  std::optional<Latency> generator_late;
};

double to_ms(double nanoseconds) {
  return nanoseconds / 1e6;
}

Latency summary(const LatencyHistogram& histogram) {
  const auto at = [&](double percent) {
    return to_ms(static_cast<double>(histogram.percentile(percent)));
  };
  return {to_ms(histogram.mean()), at(50), at(90), at(99), at(99.9), at(100)};
}

Kinds kinds(const Failures& failures) {
  return {failures.count(Failure::connect),      failures.count(Failure::reset),
          failures.count(Failure::closed),       failures.count(Failure::timeout),
          failures.count(Failure::wrong_status), failures.count(Failure::wrong_body),
          failures.count(Failure::malformed)};
}

std::string_view mode_name(Mode mode) {
  switch (mode) {
    case Mode::sequential:
      return "sequential";
    case Mode::rate:
      return "rate";
    case Mode::closed:
      return "closed";
    case Mode::websocket:
      return "websocket";
    case Mode::broadcast:
      return "broadcast";
    case Mode::events:
      return "events";
    case Mode::help:
      break;
  }
  return "help";
}

Report make_report(const Options& options, const Outcome& outcome) {
  const double seconds = std::chrono::duration<double>(outcome.took).count();
  Report report{mode_name(options.mode),
                seconds,
                outcome.requests,
                seconds > 0 ? static_cast<double>(outcome.requests) / seconds : 0,
                outcome.failures.count(),
                kinds(outcome.failures),
                outcome.failures.first(),
                outcome.unsent,
                summary(outcome.latency),
                std::nullopt,
                std::nullopt};
  if (options.mode == Mode::rate) {
    report.uncorrected = summary(outcome.uncorrected);
    report.generator_late = summary(outcome.lateness);
  }
  return report;
}

std::string line(std::string_view name, const Latency& latency) {
  return fmt::format(
      "{:<15} mean {:.3f}  p50 {:.3f}  p90 {:.3f}  p99 {:.3f}  p99.9 {:.3f}  max {:.3f} ms\n", name,
      latency.mean_ms, latency.p50_ms, latency.p90_ms, latency.p99_ms, latency.p999_ms,
      latency.max_ms);
}

std::string for_people(const Report& report) {
  std::string text = fmt::format("{} requests answered in {:.3f} s, {:.1f} a second\n",
                                 report.requests, report.seconds, report.per_second);
  text += line("latency", report.latency);
  if (report.uncorrected) {
    text += line("from sending", *report.uncorrected);
  }
  if (report.generator_late) {
    text += line("generator late", *report.generator_late);
  }
  text += fmt::format("{} errors{}{}\n", report.errors,
                      report.errors == 0 ? "" : ", the first: ", report.first_error);
  if (report.unsent != 0) {
    text += fmt::format("{} requests were due but never sent\n", report.unsent);
  }
  return text;
}

}  // namespace

void Outcome::add(const Outcome& other) {
  requests += other.requests;
  unsent += other.unsent;
  failures.add(other.failures);
  latency.add(other.latency);
  uncorrected.add(other.uncorrected);
  lateness.add(other.lateness);
  took = std::max(took, other.took);
}

std::string report_text(const Options& options, const Outcome& outcome) {
  const Report report = make_report(options, outcome);
  return options.format == Format::json ? eider::json::to_text(report) + "\n" : for_people(report);
}

}  // namespace load
