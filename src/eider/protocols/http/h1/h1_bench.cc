// The time to read one request and to write the head of its response, in nanoseconds.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/h1/chunked.h"
#include "eider/protocols/http/h1/head_reader.h"
#include "eider/protocols/http/h1/writer.h"

namespace {

using namespace eider;
using namespace eider::h1;

constexpr std::string_view kShortGet = "GET /plaintext HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";
constexpr std::string_view kUsualGet =
    "GET /plaintext HTTP/1.1\r\n"
    "Host: localhost:8080\r\n"
    "Accept: text/plain,text/html;q=0.9,application/xhtml+xml;q=0.9,*/*;q=0.8\r\n"
    "Connection: keep-alive\r\n\r\n";
constexpr std::string_view kPost =
    "POST /test HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/json\r\n"
    "Content-Length: 27\r\n\r\n";
constexpr std::string_view kBrowserGet =
    "GET /notes/17/edit?page=2&per_page=20 HTTP/1.1\r\n"
    "Host: notes.example.org\r\n"
    "Connection: keep-alive\r\n"
    "Cache-Control: max-age=0\r\n"
    "sec-ch-ua: \"Chromium\";v=\"124\", \"Not-A.Brand\";v=\"99\"\r\n"
    "sec-ch-ua-mobile: ?0\r\n"
    "Upgrade-Insecure-Requests: 1\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/124.0.0.0 Safari/537.36\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
    "\r\n"
    "Sec-Fetch-Site: same-origin\r\n"
    "Sec-Fetch-Mode: navigate\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"
    "Accept-Language: en-GB,en;q=0.9,de;q=0.8\r\n"
    "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n\r\n";

/// Sixteen pipelined requests; the time is for one.
void read_pipelined(benchmark::State& state, std::string_view request) {
  constexpr int kDepth = 16;
  std::string bytes;
  for (int count = 0; count < kDepth; ++count) {
    bytes += request;
  }
  HeadReader reader;
  const HeadLimits limits;
  for (auto _ : state) {
    std::string_view in = bytes;
    while (!in.empty()) {
      if (reader.read(in, limits) != HeadStatus::complete) {
        state.SkipWithError("not complete");
        return;
      }
      benchmark::DoNotOptimize(&reader.head());
      benchmark::ClobberMemory();
      in.remove_prefix(reader.head_bytes());
    }
  }
  state.counters["per_request"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kDepth,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// One request alone: the input ends with it.
void read_single(benchmark::State& state, std::string_view request) {
  HeadReader reader;
  const HeadLimits limits;
  const std::string bytes(request);
  for (auto _ : state) {
    if (reader.read(bytes, limits) != HeadStatus::complete) {
      state.SkipWithError("not complete");
      return;
    }
    benchmark::DoNotOptimize(&reader.head());
    benchmark::ClobberMemory();
  }
}

/// The lower bound, instead of parsing: finds the empty line.
void find_empty_line(benchmark::State& state, std::string_view request) {
  const std::string bytes(request);
  for (auto _ : state) {
    benchmark::DoNotOptimize(memmem(bytes.data(), bytes.size(), "\r\n\r\n", 4));
  }
}

void write_plaintext_head(benchmark::State& state) {
  Buffer out(1 << 16);
  HeadStart start;
  const HeadStart& now = start.at(784111777);
  for (auto _ : state) {
    out.clear();
    write_head(out, {.content_length = 13, .content_type = "text/plain", .start = &now});
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}

void write_json_head(benchmark::State& state) {
  Buffer out(1 << 16);
  HeadStart start;
  const HeadStart& now = start.at(784111777);
  for (auto _ : state) {
    out.clear();
    write_head(out, {.status = 201,
                     .persistence = Persistence::close,
                     .content_length = 123456,
                     .content_type = "application/json",
                     .start = &now,
                     .field_lines = "Location: /notes/17\r\n"});
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}

void read_chunked_64k(benchmark::State& state) {
  Buffer body;
  for (int count = 0; count < 16; ++count) {
    write_chunk(body, std::string(4096, 'x'));
  }
  body.append(kLastChunk);
  for (auto _ : state) {
    ChunkedReader reader;
    std::string_view in = body.view();
    ChunkedStep step = reader.read(in);
    while (step.status == ChunkedStatus::data) {
      in.remove_prefix(step.consumed);
      step = reader.read(in);
    }
    benchmark::DoNotOptimize(step.status);
  }
}

BENCHMARK_CAPTURE(read_pipelined, short_get, kShortGet);
BENCHMARK_CAPTURE(read_pipelined, usual_get, kUsualGet);
BENCHMARK_CAPTURE(read_pipelined, post, kPost);
BENCHMARK_CAPTURE(read_pipelined, browser_get, kBrowserGet);
BENCHMARK_CAPTURE(read_single, short_get, kShortGet);
BENCHMARK_CAPTURE(read_single, usual_get, kUsualGet);
BENCHMARK_CAPTURE(read_single, post, kPost);
BENCHMARK_CAPTURE(find_empty_line, short_get, kShortGet);
BENCHMARK_CAPTURE(find_empty_line, usual_get, kUsualGet);
BENCHMARK(write_plaintext_head);
BENCHMARK(write_json_head);
BENCHMARK(read_chunked_64k);

}  // namespace
