// Compares a template page with the same page written by hand.
#include <benchmark/benchmark.h>

#include <charconv>
#include <string>
#include <string_view>

#include "eider/core/base/html.h"
#include "eider/web/views/escape.h"
#include "fortunes.html.h"

namespace {

using namespace eider;

fortunes::FortunesPage twelve() {
  fortunes::FortunesPage page;
  page.fortunes = {
      {11, "<script>alert(\"This should not be displayed in a browser alert box.\");</script>"},
      {4, "A bad random number generator: 1, 1, 1, 1, 1, 4.33e+67, 1, 1, 1"},
      {5, "A computer program does what you tell it to do, not what you want it to do."},
      {2, "A computer scientist is someone who fixes things that aren't broken."},
      {8, "A list is only as strong as its weakest link. — Donald Knuth"},
      {0, "Additional fortune added at request time."},
      {3, "After enough decimal places, nobody gives a damn."},
      {7, "Any program that runs right is obsolete."},
      {10, "Computers make very fast, very accurate mistakes."},
      {6, "Emacs is a nice operating system, but I prefer UNIX. — Tom Christaensen"},
      {9, "Feature: A bug with seniority."},
      {1, "fortune: No such file or directory"},
      {12, "フレームワークのベンチマーク"}};
  return page;
}

/// Appends runs of plain bytes at once, like typical code.
void put_escaped(std::string& out, std::string_view text) {
  while (true) {
    const std::size_t end = text.find_first_of("&<>\"'");
    out += text.substr(0, end);
    if (end == text.npos) {
      return;
    }
    out += text[end] == '&'   ? "&amp;"
           : text[end] == '<' ? "&lt;"
           : text[end] == '>' ? "&gt;"
           : text[end] == '"' ? "&quot;"
                              : "&#39;";
    text.remove_prefix(end + 1);
  }
}

/// Careful handwritten code: reserves memory, and creates no intermediate texts.
template <class Escape>
std::string by_hand(const fortunes::FortunesPage& page, Escape escape) {
  std::string out;
  out.reserve(160 + page.fortunes.size() * 100);
  out +=
      "<!doctype html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>"
      "message</th></tr>";
  for (const fortunes::Fortune& fortune : page.fortunes) {
    out += "<tr><td>";
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof digits, fortune.id);
    out.append(digits, static_cast<std::size_t>(end.ptr - digits));
    out += "</td><td>";
    escape(out, fortune.message);
    out += "</td></tr>";
  }
  out += "</table></body></html>\n";
  return out;
}

/// With the escaping of the library: shows the overhead of the template alone.
void ByHand(benchmark::State& state) {
  const auto page = twelve();
  if (by_hand(page, views::append_html) != render_view(page)) {
    state.SkipWithError("the pages differ");
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(by_hand(page, views::append_html));
  }
}

void ByHandAlone(benchmark::State& state) {
  const auto page = twelve();
  for (auto _ : state) {
    benchmark::DoNotOptimize(by_hand(page, put_escaped));
  }
}

void ByTemplate(benchmark::State& state) {
  const auto page = twelve();
  for (auto _ : state) {
    benchmark::DoNotOptimize(render_view(page));
  }
}

/// Escapes each value into a separate text, like typical code.
void ByHandInParts(benchmark::State& state) {
  const auto page = twelve();
  for (auto _ : state) {
    std::string out = "<table>";
    for (const fortunes::Fortune& fortune : page.fortunes) {
      out += "<tr><td>" + std::to_string(fortune.id) + "</td><td>" + escape_html(fortune.message) +
             "</td></tr>";
    }
    benchmark::DoNotOptimize(out);
  }
}

BENCHMARK(ByHand);
BENCHMARK(ByHandAlone);
BENCHMARK(ByTemplate);
BENCHMARK(ByHandInParts);

}  // namespace
