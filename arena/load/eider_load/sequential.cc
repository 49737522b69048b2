#include "sequential.h"

#include <algorithm>
#include <memory>
#include <string>

#include "eider/runtime/connect.h"
#include "eider/runtime/deadline.h"
#include "eider/runtime/scope.h"
#include "eider/runtime/task.h"
#include "eider/runtime/tcp.h"
#include "shared.h"

namespace load {

namespace {

using eider::Duration;
using eider::Instant;
using eider::NetError;
using eider::Task;

Instant clock_now() {
  return std::chrono::steady_clock::now();
}

/// How one request ended. Without a kind: as expected.
struct Ending {
  std::optional<Failure> kind;
  std::string why;
};

Ending lost(NetError error) {
  const Failure kind = error == NetError::timed_out ? Failure::timeout
                       : error == NetError::closed  ? Failure::closed
                                                    : Failure::reset;
  return {kind, std::string(eider::text(error))};
}

class Sequential {
 public:
  Sequential(const Options& options, const eider::Address& to)
      : options_(options), to_(to), request_(request_bytes(options)) {}

  Task<> run() {
    start_ = clock_now();
    last_answer_ = start_;
    eider::Scope clients;
    for (unsigned i = 0; i < options_.connections; ++i) {
      clients.start(run_client());
    }
    Task<> all = join(clients);
    const bool is_in_time = co_await eider::with_deadline(std::move(all), options_.limit);
    if (!is_in_time) {
      outcome_.failures.add(Failure::timeout, "the run's limit is over (--limit)");
    }
    outcome_.took = last_answer_ - start_;
  }

  Outcome take() { return std::move(outcome_); }

 private:
  static Task<> join(eider::Scope& clients) { co_await clients.join(); }

  Task<> run_client() {
    for (std::uint64_t i = 0; i < options_.requests && !is_hopeless(); ++i) {
      const Instant begin = clock_now();
      Task<Ending> exchange = request_once();
      auto ending = co_await eider::with_deadline(std::move(exchange), options_.timeout);
      note(ending.value_or(Ending{Failure::timeout, "no whole answer in time (--timeout)"}), begin);
    }
  }

  Task<Ending> request_once() {
    auto fd = co_await eider::connect(to_, options_.timeout);
    if (!fd) {
      const bool is_late = fd.error() == NetError::timed_out;
      co_return Ending{is_late ? Failure::timeout : Failure::connect,
                       "connecting: " + std::string(eider::text(fd.error()))};
    }
    eider::TcpStream connection(std::move(*fd));
    const auto written = co_await connection.write(request_);
    if (!written) {
      co_return lost(written.error());
    }
    AnswerReader reader(options_.expected);
    while (true) {
      const auto bytes = co_await connection.read();
      if (!bytes) {
        co_return lost(bytes.error());
      }
      const ReadStep step = bytes->empty() ? reader.end() : reader.read(*bytes);
      if (step.is_whole) {
        co_return Ending{step.failure, reader.why()};
      }
    }
  }

  void note(const Ending& ending, Instant begin) {
    const Instant end = clock_now();
    if (ending.kind) {
      outcome_.failures.add(*ending.kind, ending.why);
      return;
    }
    last_answer_ = end;
    ++outcome_.requests;
    outcome_.latency.add(static_cast<std::uint64_t>((end - begin).count()));
  }

  [[nodiscard]] bool is_hopeless() const { return outcome_.failures.count() > options_.errors_max; }

  const Options& options_;
  const eider::Address& to_;
  const std::string request_;
  Outcome outcome_;
  Instant start_;
  Instant last_answer_;
};

}  // namespace

Outcome run_sequential(const Options& options, const eider::Address& to) {
  Sequential sequential(options, to);
  run_on_loop(options.backend, [&] { return sequential.run(); });
  return sequential.take();
}

}  // namespace load
