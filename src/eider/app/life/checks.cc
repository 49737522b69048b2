#include "eider/app/life/checks.h"

#include "eider/app/handlers/thrown.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"

namespace eider::detail::app {

Task<> LoopChecks::make(Duration within, Duration kept_for) {
  if (is_known_ && Loop::current().now() - made_ <= kept_for) {
    co_return;
  }
  if (!is_making_) {
    is_making_ = true;
    done_.reset();
    scope_.start(make_all(within));
  }
  co_await done_.wait();
}

Task<> LoopChecks::make_all(Duration within) {
  Scope scope;
  for (Check& check : checks_) {
    scope.start(make(check, within));
  }
  co_await scope.join();
  is_making_ = false;
  is_known_ = true;
  made_ = Loop::current().now();
  done_.set();
}

Task<> LoopChecks::make(Check& check, Duration within) {
  std::string why;
  try {
    const bool is_done = co_await with_deadline(check.run(), within);
    why = is_done ? "" : "the check took longer than " + format_duration(within);
  } catch (...) {
    why = reason_of(thrown_error());
    why = why.empty() ? "the check threw an exception" : why;
  }
  note(check, std::move(why));
}

/// Logs a check when its result changes; a check that keeps failing is logged once.
void LoopChecks::note(Check& check, std::string why) {
  if (log_ != nullptr && why != check.why) {
    std::string line("the health check ");
    line.append(check.name).append(why.empty() ? " succeeds again" : " fails: ").append(why);
    log_->write(why.empty() ? LogLevel::info : LogLevel::error, line);
  }
  check.why = std::move(why);
}

}  // namespace eider::detail::app
