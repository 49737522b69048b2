#include "eider/cli/bench/report_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "eider/cli/bench/report_text.h"

namespace eider::bench {

namespace {

// Colours are those of one hue on grey, with enough contrast for text in both schemes.
constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>eider bench</title>
<style>
:root { --ground: #fff; --text: #1b1f24; --quiet: #59636e; --line: #d1d9e0;
  --bar: #0969da; --bad: #b4232c }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0d1117; --text: #e6edf3; --quiet: #9198a1; --line: #3d444d;
    --bar: #58a6ff; --bad: #ff7b72 }
}
body { margin: 0 auto; max-width: 46rem; padding: 1.5rem 1rem;
  background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.25rem; overflow-wrap: anywhere; margin: 0 }
h2 { font-size: 1rem; margin: 2rem 0 .5rem }
p { margin: .25rem 0; color: var(--quiet) }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr));
  gap: 1rem; margin: 1.5rem 0 }
.figures b { display: block; font-size: 1.6rem; line-height: 1.2;
  font-variant-numeric: tabular-nums }
.figures span, th { color: var(--quiet); font-weight: normal }
table { border-collapse: collapse; width: 100% }
td, th { border-bottom: 1px solid var(--line); padding: .3rem 0; text-align: left }
td { text-align: right; font-variant-numeric: tabular-nums }
.bad { color: var(--bad) }
svg { display: block; width: 100%; height: auto }
svg rect { fill: var(--bar) }
svg text { fill: var(--quiet); font: 12px system-ui, sans-serif }
svg line { stroke: var(--line) }
</style>
</head>
<body>
)";

constexpr std::size_t kBars = 40;
constexpr double kWidth = 360;
constexpr double kHeight = 180;
constexpr double kLabelHeight = 20;

std::string escaped(std::string_view text) {
  std::string result;
  for (const char byte : text) {
    switch (byte) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += byte;
    }
  }
  return result;
}

std::string row(std::string_view name, std::string_view value) {
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, value);
}

std::string figure(std::string_view value, std::string_view name) {
  return fmt::format("<div><b>{}</b><span>{}</span></div>\n", value, name);
}

std::string figures(const Summary& summary) {
  return "<div class=\"figures\">\n" +
         figure(fmt::format("{:.0f}", summary.requests_per_second),
                fmt::format("{} a second", counted_name(summary.setting))) +
         figure(ms_text(summary.latency.p50_ms), "latency, median") +
         figure(ms_text(summary.latency.p99_ms), "latency, p99") +
         figure(fmt::format("{}", summary.errors), "errors") + "</div>\n";
}

std::string setting(const Summary& summary) {
  const Setting& set = summary.setting;
  std::string text = fmt::format("<h1>{}</h1>\n<p>Connections: {}; threads: {}; ", escaped(set.url),
                                 set.connections, set.threads);
  text += set.rate > 0 ? fmt::format("open loop at {} {} a second", set.rate, counted_name(set))
                       : "closed loop";
  text += fmt::format(", {} with {} on each", set.protocol, set.pipeline);
  return text + fmt::format("; {:.3f} s{}</p>\n", summary.seconds,
                            summary.is_interrupted ? ", interrupted" : "");
}

std::string rects(const std::vector<Bar>& bars) {
  std::uint64_t most = 1;
  for (const Bar& bar : bars) {
    most = std::max(most, bar.count);
  }
  const double step = kWidth / static_cast<double>(kBars);
  std::string text;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (bars[i].count == 0) {
      continue;
    }
    const double part = static_cast<double>(bars[i].count) / static_cast<double>(most);
    const double height = std::max(1.0, part * kHeight);
    text += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
        "height=\"{:.1f}\"><title>up to {}: "
        "{}</title></rect>\n",
        static_cast<double>(i) * step, kHeight - height, step - 1, height, ms_text(bars[i].upto_ms),
        bars[i].count);
  }
  return text;
}

std::string label(double x, std::string_view anchor, double milliseconds) {
  return fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"{}\">{}</text>\n", x,
                     kHeight + kLabelHeight - 5, anchor, ms_text(milliseconds));
}

std::string distribution(const Summary& summary) {
  const auto bars = to_bars(summary.buckets, kBars);
  if (bars.empty()) {
    return {};
  }
  const double least = summary.buckets.front().upto_ms;
  const double most = summary.buckets.back().upto_ms;
  return fmt::format(
             "<h2>Distribution</h2>\n<p>By latency, on a "
             "logarithmic scale.</p>\n"
             "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
             "aria-label=\"Requests by "
             "latency\">\n<line x1=\"0\" y1=\"{2:.0f}\" x2=\"{0:.0f}\" "
             "y2=\"{2:.0f}\"/>\n",
             kWidth, kHeight + kLabelHeight, kHeight) +
         rects(bars) + label(0, "start", least) +
         label(kWidth / 2, "middle", std::sqrt(std::max(least, 1e-6) * most)) +
         label(kWidth, "end", most) + "</svg>\n";
}

std::string latencies(const Summary& summary) {
  const Latency& latency = summary.latency;
  const std::array<std::pair<std::string_view, double>, 9> rows = {{{"min", latency.min_ms},
                                                                    {"mean", latency.mean_ms},
                                                                    {"p50", latency.p50_ms},
                                                                    {"p75", latency.p75_ms},
                                                                    {"p90", latency.p90_ms},
                                                                    {"p99", latency.p99_ms},
                                                                    {"p99.9", latency.p99_9_ms},
                                                                    {"p99.99", latency.p99_99_ms},
                                                                    {"max", latency.max_ms}}};
  std::string text = "<h2>Latency</h2>\n<table>\n";
  for (const auto& [name, value] : rows) {
    text += row(name, ms_text(value));
  }
  if (summary.setting.rate > 0) {
    text += row("generator late, p99", ms_text(summary.generator_late.p99_ms));
  }
  return text + "</table>\n";
}

std::string counts(const Summary& summary) {
  const StatusClasses& statuses = summary.statuses;
  const ErrorKinds& kinds = summary.errors_by_kind;
  const std::array<std::pair<std::string_view, std::uint64_t>, 14> rows = {
      {{"2xx", statuses.success},
       {"3xx", statuses.redirection},
       {"4xx", statuses.client_error},
       {"5xx", statuses.server_error},
       {"not connected", kinds.connect},
       {"TLS failed", kinds.tls},
       {"reset", kinds.reset},
       {"closed early", kinds.closed},
       {"timed out", kinds.timeout},
       {"malformed", kinds.malformed},
       {"not switched to WebSocket", kinds.declined},
       {"answer differs", kinds.differs},
       {"never sent", summary.unsent},
       {"connections opened", summary.connections_opened}}};
  std::string text = "<h2>Answers</h2>\n<table>\n";
  text += row("answered", fmt::format("{}", summary.requests));
  text += row("received", bytes_text(static_cast<double>(summary.bytes)) + ", " +
                              bytes_text(summary.bytes_per_second) + " a second");
  for (const auto& [name, value] : rows) {
    text += value == 0 ? std::string() : row(name, fmt::format("{}", value));
  }
  text += "</table>\n";
  return summary.first_error.empty()
             ? text
             : text + fmt::format("<p class=\"bad\">The first error: {}</p>\n",
                                  escaped(summary.first_error));
}

}  // namespace

std::string report_html(const Summary& summary) {
  return std::string(kHead) + "<main>\n" + setting(summary) + figures(summary) +
         distribution(summary) + latencies(summary) + counts(summary) +
         fmt::format("<p>{}</p>\n</main>\n</body>\n</html>\n", escaped(summary.program));
}

}  // namespace eider::bench
