// Runs functions after a response was sent, so that the client does not wait for them.
// Layering: nothing is stored; work that must not be lost belongs into a queue in a database.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/app/handlers/extract.h"
#include "eider/app/life/lifecycle.h"
#include "eider/core/base/log.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/request.h"
#include "eider/server/observer.h"

namespace eider {

/// Maximum number of responses whose functions wait or run at the same time.
inline constexpr std::size_t kAfterResponsesMax = 1024;
/// Maximum number of functions for one response.
inline constexpr std::size_t kAfterOneResponseMax = 16;
/// Default time limit for each function.
inline constexpr Duration kAfterResponseWithin = std::chrono::seconds(60);

namespace detail::app {

/// The functions of one application, on all event loops.
class AfterWork {
 public:
  AfterWork();

  /// Reserves a place for the functions of a response.
  ///
  /// errors  503: the limit is reached
  [[nodiscard]] Result<void> take_place(Request& request);
  /// Adds a function for a response. Throws a Failure (500) if there are too many.
  /// Pre: a place is reserved.
  void add(Request& request, LifeCall call, Duration within);
  /// Starts the functions of a request after its response was sent, in a later turn of the event
  /// loop. Drops them if there was no response, or one with status 500 or more.
  void begin(const ResponseEvent& record, const std::shared_ptr<LogSink>& log);
  /// Waits for the functions on this event loop, and destroys those that have not ended after ten
  /// seconds.
  [[nodiscard]] Task<> end_on_loop(std::shared_ptr<LogSink> log);

 private:
  class Pass;
  struct Waiting;
  struct Calls;

  [[nodiscard]] static Task<> run(Waiting work, std::shared_ptr<Pass> pass, std::string name,
                                  std::shared_ptr<LogSink> log);

  std::shared_ptr<std::atomic<std::size_t>> count_;
  LoopLocal<Scope> scopes_;
};

}  // namespace detail::app

/// Runs functions after the response; a parameter of handlers. If there are already
/// kAfterResponsesMax, the request gets a 503 before the handler runs.
///
///     app.post("/users", [](Json<NewUser> user, State<Mailer> mailer, AfterResponse after) {
///       after.run([mailer, mail = user->mail] { return mailer->welcome(mail); });
///       return Created(…);
///     });
class AfterResponse {
 public:
  AfterResponse(Request& request, detail::app::AfterWork& work) noexcept
      : request_(&request), work_(&work) {}

  /// Calls `work` after the response was sent, on the same event loop; several functions run
  /// concurrently. Capture values, and nothing of the request, which is gone by then. The log
  /// contains exceptions and errors with the route. `work` is not called if no response is sent, or
  /// one with status 500 or more. Throws a Failure (500) for more than kAfterOneResponseMax
  /// functions per request.
  ///
  /// within   a Task that runs longer is destroyed, which is logged
  /// returns  `work` returns void or Result<void>, or a Task of one of these
  template <class F>
  void run(F work, Duration within = kAfterResponseWithin) {
    static_assert(std::is_invocable_v<const F&>,
                  "a function that runs after the response has no parameters: capture the values "
                  "that it needs");
    work_->add(*request_, detail::app::make_life_call(std::move(work)), within);
  }

 private:
  Request* request_;
  detail::app::AfterWork* work_;
};

template <>
struct Extract<AfterResponse> {
  static constexpr ArgumentKind kKind = ArgumentKind::state;
  using Held = AfterResponse;
  using Object = detail::app::AfterWork;
  static Result<Held> from(const Context& context, ArgumentPlace place);
};

}  // namespace eider
