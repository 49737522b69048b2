#include "load.h"

#include <eider/runtime.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>

using namespace eider;

namespace {

struct Counts {
  std::uint64_t responses = 0;
  std::uint64_t failures = 0;
  std::uint64_t bytes = 0;
  std::string failure;
};

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Task<> ask_until(HttpClient& client, const std::string& url, Instant end, Counts& counts) {
  while (Loop::current().now() < end) {
    const auto reply = co_await client.get(url);
    if (reply && reply->is_ok()) {
      ++counts.responses;
      counts.bytes += reply->body().size();
    } else {
      ++counts.failures;
      counts.failure = reply ? std::to_string(reply->status()) : reply.error().text;
    }
  }
}

}  // namespace

Task<int> load(HttpClient& client, std::string url, int calls, std::chrono::seconds time) {
  Counts counts;
  const Instant begin = Loop::current().now();
  const double cpu_before = cpu_seconds();
  Scope scope;
  for (int index = 0; index < calls; ++index) {
    scope.start(ask_until(client, url, begin + time, counts));
  }
  co_await scope.join();
  const double cpu = cpu_seconds() - cpu_before;
  const std::chrono::duration<double> took = Loop::current().now() - begin;
  const double responses = static_cast<double>(counts.responses);
  std::printf(
      "{\"calls\":%d,\"seconds\":%.3f,\"requests\":%llu,\"failed\":%llu,"
      "\"requests_per_second\":%.0f,\"cpu_us_per_request\":%.3f,\"bytes\":%llu}\n",
      calls, took.count(), static_cast<unsigned long long>(counts.responses),
      static_cast<unsigned long long>(counts.failures), responses / took.count(),
      counts.responses == 0 ? 0.0 : cpu * 1e6 / responses,
      static_cast<unsigned long long>(counts.bytes));
  if (counts.failures != 0) {
    std::fprintf(stderr, "%s\n", counts.failure.c_str());
  }
  co_return counts.failures == 0 ? 0 : 1;
}
