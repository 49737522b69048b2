#include "cli/bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "eider/core/json/write.h"

namespace eider::bench {

extern const std::string_view kReportPage;  // report_page.html, in a source that CMake generates

namespace {

constexpr std::size_t kLinesOfBars = 16;
constexpr double kBarColumns = 48;

std::string three_digits(double value, std::string_view unit) {
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

/// Returns a bar in eighths of a column, so that small counts are visible, too.
std::string bar_text(double columns) {
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(std::ceil(columns * 8));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) {
    text += "█";
  }
  return text.append(kEighths[eighths % 8]);
}

std::string histogram_text(const Summary& summary) {
  const auto bars = to_bars(summary.buckets, kLinesOfBars);
  std::uint64_t most = 1;
  for (const Bar& bar : bars) {
    most = std::max(most, bar.count);
  }
  std::string text;
  for (const Bar& bar : bars) {
    const double part = static_cast<double>(bar.count) / static_cast<double>(most);
    text += fmt::format("  up to {:>8}  {:>10}  {}\n", ms_text(bar.upto_ms), bar.count,
                        bar_text(part * kBarColumns));
  }
  return text;
}

std::string latency_line(std::string_view name, const Latency& latency) {
  return fmt::format(
      "{:<12}min {}   mean {}   p50 {}   p90 {}\n"
      "            p99 {}   p99.9 {}   max {}\n",
      name, ms_text(latency.min_ms), ms_text(latency.mean_ms), ms_text(latency.p50_ms),
      ms_text(latency.p90_ms), ms_text(latency.p99_ms), ms_text(latency.p99_9_ms),
      ms_text(latency.max_ms));
}

std::string statuses_text(const StatusClasses& statuses) {
  const std::array<std::pair<std::string_view, std::uint64_t>, 5> classes = {
      {{"1xx", statuses.informational},
       {"2xx", statuses.success},
       {"3xx", statuses.redirection},
       {"4xx", statuses.client_error},
       {"5xx", statuses.server_error}}};
  std::string text;
  for (const auto& [name, count] : classes) {
    if (count != 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : "   ", name, count);
    }
  }
  return text.empty() ? "none" : text;
}

std::string errors_text(const Summary& summary) {
  const ErrorKinds& kinds = summary.errors_by_kind;
  const std::array<std::pair<std::string_view, std::uint64_t>, 9> counts = {
      {{"connect", kinds.connect},
       {"tls", kinds.tls},
       {"reset", kinds.reset},
       {"closed", kinds.closed},
       {"timeout", kinds.timeout},
       {"malformed", kinds.malformed},
       {"declined", kinds.declined},
       {"wrong_status", kinds.wrong_status},
       {"differs", kinds.differs}}};
  std::string text = fmt::format("errors      {}", summary.errors);
  for (const auto& [name, count] : counts) {
    if (count != 0) {
      text += fmt::format("   {} {}", name, count);
    }
  }
  text += '\n';
  return summary.first_error.empty()
             ? text
             : text + fmt::format("            the first: {}\n", summary.first_error);
}

std::string setting_text(const Summary& summary) {
  const Setting& setting = summary.setting;
  std::string text =
      fmt::format("{}   {} connections, {} thread{}", setting.url, setting.connections,
                  setting.threads, setting.threads == 1 ? "" : "s");
  if (setting.protocol == "HTTP/2") {
    text += fmt::format(", HTTP/2 with {} on each", setting.pipeline);
  } else {
    text += setting.protocol == "HTTP/1.1" ? "" : ", " + setting.protocol;
    text += setting.pipeline > 1 ? fmt::format(", pipeline of {}", setting.pipeline) : "";
  }
  if (setting.rate > 0) {
    text += fmt::format(", open loop at {}/s", setting.rate);
  }
  return text + '\n';
}

constexpr std::string_view kReportGoesHere = "@report@";

/// Escapes texts that would end the script element ("</script>") or change its end ("<!--").
std::string in_a_script(const std::string& json) {
  std::string text;
  for (const char byte : json) {
    if (byte == '<') {
      text += "\\u003c";
    } else {
      text += byte;
    }
  }
  return text;
}

}  // namespace

std::string ms_text(double milliseconds) {
  if (milliseconds < 0.9995) {
    return three_digits(milliseconds * 1000, "us");
  }
  return milliseconds < 999.5 ? three_digits(milliseconds, "ms")
                              : three_digits(milliseconds / 1000, "s");
}

std::string bytes_text(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : three_digits(bytes, kUnits[unit]);
}

std::string report_text(const Summary& summary) {
  std::string text = setting_text(summary);
  text += fmt::format("{:<12}{:.0f} a second   ({} responses in {:.3f} s{})\n",
                      summary.setting.counted, summary.requests_per_second, summary.requests,
                      summary.seconds, summary.is_interrupted ? ", interrupted" : "");
  text += fmt::format("received    {} a second   ({})\n", bytes_text(summary.bytes_per_second),
                      bytes_text(static_cast<double>(summary.bytes)));
  if (summary.setting.protocol != "WebSocket") {
    text += fmt::format("statuses    {}\n", statuses_text(summary.statuses));
  }
  text += errors_text(summary);
  if (summary.unsent != 0) {
    text += fmt::format("unsent      {} were due, but no connection was free\n", summary.unsent);
  }
  text += latency_line("latency", summary.latency);
  if (summary.setting.rate > 0) {
    text += fmt::format(
        "generator   late by p50 {}   p99 {}   max {}\n", ms_text(summary.generator_late.p50_ms),
        ms_text(summary.generator_late.p99_ms), ms_text(summary.generator_late.max_ms));
  }
  return text + "\n" + histogram_text(summary);
}

std::string report_html(const Summary& summary) {
  std::string page(kReportPage);
  return page.replace(page.find(kReportGoesHere), kReportGoesHere.size(),
                      in_a_script(json::to_text(summary)));
}

}  // namespace eider::bench
