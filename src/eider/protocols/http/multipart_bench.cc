// The speed of searching content for its boundary: for usual content, and for the worst case.
#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

#include "eider/protocols/http/multipart.h"

namespace {

using namespace eider;

constexpr std::string_view kBoundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";
constexpr std::size_t kContentBytes = 1 << 20;

std::string repeated(std::string_view text) {
  std::string content;
  while (content.size() < kContentBytes) {
    content.append(text);
  }
  return content;
}

std::string noise() {
  std::string content;
  std::uint64_t state = 1;
  while (content.size() < kContentBytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    content.push_back(static_cast<char>(state >> 56));
  }
  return content;
}

/// Reads a form with that content in pieces of 64 KiB.
void read(benchmark::State& state, const std::string& content) {
  const std::string form = "--" + std::string(kBoundary) +
                           "\r\nContent-Disposition: form-data; name=a; filename=b\r\n\r\n" +
                           content + "\r\n--" + std::string(kBoundary) + "--\r\n";
  for (auto _ : state) {
    MultipartReader reader(kBoundary);
    std::size_t bytes = 0;
    for (std::string_view left = form; !left.empty();) {
      std::string_view arrived = left.substr(0, 65536);
      left.remove_prefix(arrived.size());
      MultipartStep step = reader.read(arrived);
      while (step.status != MultipartStatus::need_more) {
        bytes += step.data.size();
        arrived.remove_prefix(step.consumed);
        step = reader.read(arrived);
      }
    }
    benchmark::DoNotOptimize(bytes);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(form.size()));
}

void noise_of_every_byte(benchmark::State& state) {
  read(state, noise());
}
void lines_of_text(benchmark::State& state) {
  read(state, repeated("2026-11-21,a line of a table with some columns,1234.5\r\n"));
}
void nothing_but_returns(benchmark::State& state) {
  read(state, repeated("\r"));
}
void beginnings_of_the_boundary(benchmark::State& state) {
  read(state, repeated("\r\n------WebKitFormBoundary7MA4YWxkTrZu0g"));
}
void empty_lines(benchmark::State& state) {
  read(state, repeated("\r\n"));
}

BENCHMARK(noise_of_every_byte);
BENCHMARK(lines_of_text);
BENCHMARK(nothing_but_returns);
BENCHMARK(empty_lines);
BENCHMARK(beginnings_of_the_boundary);

}  // namespace
