#include "eider/app/handlers/after_response.h"

#include <chrono>

#include "eider/app/service.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/sleep.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/http/status.h"

namespace eider {

namespace detail::app {

/// The place of one response. It is released when the last function of the response has ended.
class AfterWork::Pass {
 public:
  explicit Pass(std::shared_ptr<std::atomic<std::size_t>> count) noexcept
      : count_(std::move(count)),
        is_one_(count_->fetch_add(1, std::memory_order_relaxed) < kAfterResponsesMax) {}
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  ~Pass() { count_->fetch_sub(1, std::memory_order_relaxed); }

  /// Returns false if all places were taken.
  [[nodiscard]] bool is_one() const noexcept { return is_one_; }

 private:
  std::shared_ptr<std::atomic<std::size_t>> count_;
  bool is_one_;
};

struct AfterWork::Waiting {
  LifeCall call;
  Duration within;
};

/// The functions that wait for one response, stored as an extension of its request.
struct AfterWork::Calls {
  std::shared_ptr<Pass> pass;
  std::unique_ptr<std::vector<Waiting>> waiting = std::make_unique<std::vector<Waiting>>();
};

namespace {

Task<> joined(Scope& scope) {
  co_await scope.join();
}

}  // namespace

AfterWork::AfterWork()
    : count_(std::make_shared<std::atomic<std::size_t>>(0)),
      scopes_([] { return std::make_unique<Scope>(); }) {}

Result<void> AfterWork::take_place(Request& request) {
  if (request.find<Calls>() != nullptr) {
    return {};
  }
  auto pass = std::make_shared<Pass>(count_);
  if (!pass->is_one()) {
    return fail(Error::unavailable("The server is overloaded. Try again later."));
  }
  request.set(Calls{.pass = std::move(pass)});
  return {};
}

void AfterWork::add(Request& request, LifeCall call, Duration within) {
  std::vector<Waiting>& waiting = *request.find<Calls>()->waiting;
  if (waiting.size() == kAfterOneResponseMax) {
    throw Failure(Error::internal("AfterResponse: more than " +
                                  std::to_string(kAfterOneResponseMax) +
                                  " functions were added for one response"));
  }
  waiting.push_back({std::move(call), within});
}

void AfterWork::begin(const ResponseEvent& record, const std::shared_ptr<LogSink>& log) {
  const Calls* const calls = record.request.find<Calls>();
  if (calls == nullptr || record.status == 0 || is_server_error(record.status)) {
    return;
  }
  std::string name(to_text(record.request.method()));
  name.append(" ").append(record.request.route());
  for (Waiting& one : *calls->waiting) {
    scopes_.here().start(run(std::move(one), calls->pass, name, log));
  }
  calls->waiting->clear();
}

/// Waits for a later turn of the event loop: the response may still be in the socket's cork, where
/// a function that computes would delay it.
Task<> AfterWork::run(Waiting work, std::shared_ptr<Pass> /*kept until the task ends*/,
                      std::string name, std::shared_ptr<LogSink> log) {
  co_await sleep_for(std::chrono::milliseconds(1));
  std::string line;
  try {
    if (!co_await with_deadline(work.call.run(work.call.function.get(), nullptr), work.within)) {
      line =
          name + ": the work after the response did not end within " + format_duration(work.within);
    }
  } catch (...) {
    line = name + ": the work after the response failed: " + std::string(reason_of(thrown_error()));
  }
  if (!line.empty() && log != nullptr) {
    log->write(LogLevel::error, line);
  }
}

Task<> AfterWork::end_on_loop(std::shared_ptr<LogSink> log) {
  Scope& scope = scopes_.here();
  if (co_await with_deadline(joined(scope), kStopWithin)) {
    co_return;
  }
  if (log != nullptr) {
    log->write(LogLevel::error, std::to_string(scope.size()) +
                                    " functions that run after responses did not end within " +
                                    format_duration(kStopWithin));
  }
  scope.cancel();
  co_await scope.join();
}

}  // namespace detail::app

Result<AfterResponse> Extract<AfterResponse>::from(const Context& context, ArgumentPlace place) {
  auto& work = *static_cast<Object*>(context.states[place.state_index]);
  if (auto taken = work.take_place(context.request); !taken) {
    return fail(std::move(taken.error()));
  }
  return AfterResponse(context.request, work);
}

}  // namespace eider
