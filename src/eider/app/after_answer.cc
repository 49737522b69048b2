#include "eider/app/after_answer.h"

#include <chrono>

#include "eider/app/service.h"
#include "eider/base/failure.h"
#include "eider/http/method.h"
#include "eider/runtime/deadline.h"
#include "eider/runtime/sleep.h"

namespace eider {

namespace detail::app {

/// One of those that may be there at once.
class AfterWork::Pass {
 public:
  explicit Pass(std::shared_ptr<std::atomic<std::size_t>> count) noexcept
      : count_(std::move(count)) {
    count_->fetch_add(1, std::memory_order_relaxed);
  }
  Pass(Pass&& other) noexcept = default;
  Pass& operator=(Pass&&) = delete;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  ~Pass() {
    if (count_ != nullptr) {
      count_->fetch_sub(1, std::memory_order_relaxed);
    }
  }

 private:
  std::shared_ptr<std::atomic<std::size_t>> count_;
};

/// What waits for one answer: a slot of its request.
struct AfterWork::Calls {
  struct Waiting {
    LifeCall call;
    Pass pass;
  };
  std::unique_ptr<std::vector<Waiting>> waiting = std::make_unique<std::vector<Waiting>>();
};

namespace {

constexpr int kOursFrom = 500;

Task<> joined(Scope& scope) {
  co_await scope.join();
}

}  // namespace

AfterWork::AfterWork()
    : count_(std::make_shared<std::atomic<std::size_t>>(0)),
      scopes_([] { return std::make_unique<Scope>(); }) {}

void AfterWork::add(Request& request, LifeCall call) {
  if (count_->load(std::memory_order_relaxed) >= kAfterAnswersMax) {
    throw Failure(Error::unavailable("The server has too much to do just now."));
  }
  Calls* calls = request.find<Calls>();
  if (calls == nullptr) {
    calls = &request.put(Calls());
  }
  calls->waiting->push_back({std::move(call), Pass(count_)});
}

void AfterWork::begin(const AnswerRecord& record, const std::shared_ptr<LogSink>& log) {
  const Calls* const calls = record.request.find<Calls>();
  if (calls == nullptr || record.status == 0 || record.status >= kOursFrom) {
    return;
  }
  std::string name(to_text(record.request.method()));
  name.append(" ").append(record.request.route());
  for (Calls::Waiting& one : *calls->waiting) {
    scopes_.here().start(run(std::move(one.call), std::move(one.pass), name, log));
  }
  calls->waiting->clear();
}

/// Not in this turn of the loop: the answer may lie in its cork, and work that computes would hold
/// it up there.
Task<> AfterWork::run(LifeCall call, Pass /*until it has ended*/, std::string name,
                      std::shared_ptr<LogSink> log) {
  co_await sleep_for(std::chrono::milliseconds(1));
  std::string line;
  try {
    auto running = call.run(call.function.get(), nullptr);
    co_await std::move(running);
  } catch (...) {
    line = name + ": what follows its answer has failed: " + std::string(reason_of(thrown_error()));
  }
  if (!line.empty() && log != nullptr) {
    log->write(LogLevel::error, line);
  }
}

Task<> AfterWork::end_on_loop(std::shared_ptr<LogSink> log) {
  Scope& scope = scopes_.here();
  auto joining = with_deadline(joined(scope), kStopWithin);
  const bool is_over = co_await std::move(joining);
  if (is_over) {
    co_return;
  }
  if (log != nullptr) {
    log->write(LogLevel::error, std::to_string(scope.size()) +
                                    " that follow answers have not ended within " +
                                    format_duration(kStopWithin));
  }
  scope.cancel();
  co_await scope.join();
}

}  // namespace detail::app

Result<AfterAnswer> Extract<AfterAnswer>::from(const Context& context, ArgumentPlace place) {
  return AfterAnswer(context.request, *static_cast<Object*>(context.states[place.state_index]));
}

}  // namespace eider
