#include "cli/dev/fault_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "eider/core/base/html.h"

namespace eider::dev {

namespace {

/// Number of errors on the page; the output below them has all.
constexpr std::size_t kShownMax = 20;

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark}"
    "body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:64rem;padding:2rem 1.25rem}"
    "h1{font-size:1.5rem}h2{font:600 1rem/1.4 ui-monospace,monospace;margin:0;"
    "overflow-wrap:anywhere}section{border:1px solid;border-radius:6px;padding:.75rem 1rem;"
    "margin:1rem 0}section:first-of-type{border-width:3px}p{margin:.5rem 0}"
    "pre{font:.875rem/1.5 ui-monospace,monospace;overflow-x:auto;margin:.5rem 0}"
    "summary{cursor:pointer}";

std::string section(const Diagnostic& diagnostic) {
  std::string all = "<section><h2>" + escape_html(diagnostic.place());
  if (!diagnostic.from.empty()) {
    all += " (from " + escape_html(diagnostic.from) + ")";
  }
  all += "</h2><p>" + escape_html(diagnostic.text) + "</p>";
  if (!diagnostic.source.empty()) {
    all += "<pre>" + escape_html(diagnostic.source) + "</pre>";
  }
  if (!diagnostic.hint.empty()) {
    all += "<p><strong>Usually:</strong> " + escape_html(diagnostic.hint) + "</p>";
  }
  return all + "</section>";
}

}  // namespace

std::string fault_text(const Fault& fault, std::size_t diagnostics_max) {
  std::string all = fault.title + "\n";
  const std::size_t shown = std::min(diagnostics_max, fault.diagnostics.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Diagnostic& each = fault.diagnostics[i];
    const std::string place = each.place();
    all += fmt::format("\n{}{}{}\n{}", place, place.empty() ? "" : ": ", each.text, each.source);
    if (!each.from.empty()) {
      all += "  from " + each.from + "\n";
    }
    if (!each.hint.empty()) {
      all += "  Usually: " + each.hint + "\n";
    }
  }
  if (const std::size_t left = fault.diagnostics.size() - shown; left != 0) {
    all += fmt::format("\nand {} more\n", left);
  }
  return all;
}

std::string fault_page(const Fault& fault, std::string_view end) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>" +
      escape_html(fault.title) + "</title><style>" + std::string(kStyle) +
      "</style></head><body><h1>" + escape_html(fault.title) + "</h1>";
  for (std::size_t i = 0; i < std::min(kShownMax, fault.diagnostics.size()); ++i) {
    page += section(fault.diagnostics[i]);
  }
  if (!fault.output.empty()) {
    page += fault.diagnostics.empty() ? "<details open>" : "<details>";
    page +=
        "<summary>Complete output</summary><pre>" + escape_html(fault.output) + "</pre></details>";
  }
  page += "<p>This page reloads when a file is saved.</p>";
  return page.append(end).append("</body></html>\n");
}

}  // namespace eider::dev
