// Work that begins once an answer has left, so that its client does not wait for it.
// Must not be relied on for what may not be lost: it ends with the process.
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

/// Of how many answers it may wait or go on at once in an application.
inline constexpr std::size_t kAfterAnswersMax = 1024;
/// How many may follow one answer.
inline constexpr std::size_t kAfterOneAnswerMax = 16;
/// How long each may take, where nothing else is said.
inline constexpr Duration kAfterAnswerWithin = std::chrono::seconds(60);

namespace detail::app {

/// That of one application, on all loops.
class AfterWork {
 public:
  AfterWork();

  /// Takes the place of what follows the request's answer, where it has none yet.
  ///
  /// errors  503: too much goes on
  [[nodiscard]] Result<void> take_place(Request& request);
  /// Adds to what follows the request's answer. Throws a Failure (500) where that is too many.
  /// Pre: its place is taken.
  void add(Request& request, LifeCall call, Duration within);
  /// What the request has, to be called when its answer is over: begun in a later turn of the loop,
  /// when the answer has left, or dropped where there was none, or one that says that we have
  /// failed.
  void begin(const AnswerRecord& record, const std::shared_ptr<LogSink>& log);
  /// Waits for what goes on on this loop; what has not ended after ten seconds is destroyed where
  /// it waits.
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

/// A parameter of a handler. Where kAfterAnswersMax are there already the request is a 503, before
/// its handler has begun anything.
///
///     app.post("/users", [](Json<NewUser> user, State<Mailer> mailer, AfterAnswer after) {
///       after.run([mailer, mail = user->mail] { return mailer->welcome(mail); });
///       return Created(…);
///     });
class AfterAnswer {
 public:
  AfterAnswer(Request& request, detail::app::AfterWork& work) noexcept
      : request_(&request), work_(&work) {}

  /// Has `work` called when the answer has left, on the same loop: of several one beside the other.
  /// It captures by value what it needs, and nothing of the request, which is gone by then. What it
  /// throws, or returns as an error, is in the log with the route. Where no answer leaves, or one
  /// of 500 or more, it is not called. Throws a Failure, which is a 500, for more than
  /// kAfterOneAnswerMax of one request.
  ///
  /// within   a Task that has not ended by then is destroyed where it waits, which is in the log
  /// returns, of the work  void or Result<void>, or a Task of these
  template <class F>
  void run(F work, Duration within = kAfterAnswerWithin) {
    static_assert(std::is_invocable_v<const F&>,
                  "what follows an answer takes no parameters: let it capture what it needs");
    work_->add(*request_, detail::app::make_life_call(std::move(work)), within);
  }

 private:
  Request* request_;
  detail::app::AfterWork* work_;
};

template <>
struct Extract<AfterAnswer> {
  static constexpr ArgumentKind kKind = ArgumentKind::state;
  using Held = AfterAnswer;
  using Object = detail::app::AfterWork;
  static Result<Held> from(const Context& context, ArgumentPlace place);
};

}  // namespace eider
