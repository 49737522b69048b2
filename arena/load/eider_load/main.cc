// The arena's own load generator: what wrk and its kin cannot do, on Eider's runtime.
// Must not share code with the server's side beyond that runtime.
#include <sys/resource.h>

#include <cstdio>
#include <exception>
#include <variant>

#include "broadcast.h"
#include "closed.h"
#include "events.h"
#include "options.h"
#include "rate.h"
#include "report.h"
#include "sequential.h"
#include "threads.h"
#include "websocket.h"

namespace {

using namespace load;

/// A descriptor for each connection, as many as the system allows.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

Outcome run(const Options& options, const eider::Address& to) {
  switch (options.mode) {
    case Mode::sequential:
      return run_sequential(options, to);
    case Mode::rate:
      return run_on_threads(run_rate, options, to);
    case Mode::closed:
      return run_on_threads(run_closed, options, to);
    case Mode::websocket:
      return run_on_threads(run_websocket, options, to);
    case Mode::broadcast:
      return run_broadcast(options, to);
    case Mode::events:
      return run_on_threads(run_events, options, to);
    case Mode::help:
      break;
  }
  return {};
}

int run_and_report(const Options& options) {
  const auto to = eider::Address::parse(options.host, options.port);
  if (!to) {
    std::fprintf(stderr, "eider_load: --address %s is no IP address\n", options.host.c_str());
    return 2;
  }
  raise_descriptor_limit();
  const Outcome outcome = run(options, *to);
  std::fputs(report_text(options, outcome).c_str(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto read = read_options(argc, argv);
  if (const auto* bad = std::get_if<BadOptions>(&read)) {
    std::fprintf(stderr, "eider_load: %s\n", bad->why.c_str());
    return 2;
  }
  const Options& options = std::get<Options>(read);
  if (options.mode == Mode::help) {
    std::fputs(help_text(), stdout);
    return 0;
  }
  try {
    return run_and_report(options);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "eider_load: %s\n", failure.what());
    return 1;
  }
}
