// What the layer above hands to the server: how a request is planned and answered.
// Must not know connections or sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/cancel.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"
#include "eider/server/state.h"

namespace eider {

class BodyInbox;
struct AnswerRecord;
class Loop;

/// What the service decided on the head alone, before a byte of the body is read.
struct Plan {
  /// Which handler: the service's own, given back to it as it is.
  const void* endpoint = nullptr;
  /// A larger body is refused with 413 before it is read.
  std::size_t body_bytes_max = 0;
  /// The answer comes from `answer_later`: the request is copied so that it outlives its bytes.
  bool waits = false;
  /// The content of the answer may be made when `answer` has returned, of what the request holds:
  /// the request is copied first.
  bool keeps_request = false;
  /// The task must run to its end even when the client leaves, because a thread of the blocking
  /// pool is using the request: it is then only told by `Cancel`, kept aside, and its answer
  /// dropped. Other tasks are cancelled by destroying them.
  bool outlives_client = false;
  /// It is work for the blocking pool, which may refuse it when it is late.
  bool is_blocking = false;
  /// The handler reads the content itself, by Ongoing::content, and begins before it is there.
  /// Pre: waits, and does not outlive its client.
  bool streams_body = false;
  /// The answer takes nothing of the content: it is given at once, and nothing is gathered. Pre:
  /// not `waits`.
  bool ignores_body = false;
  /// Whether the content is wanted is decided ahead of it: where it has not come whole with the
  /// head, `answer_later` begins without (see ahead_of_content) and gathers it by Ongoing::content.
  bool decides_first = false;
  /// It is answered however much there is to do.
  bool even_overloaded = false;

  [[nodiscard]] Plan ahead_of_content() const noexcept {
    Plan plan = *this;
    plan.waits = plan.streams_body = true;
    return plan;
  }
};

/// What a plan's endpoint is called; both live as long as the service.
struct PlanName {
  std::string_view method{};
  std::string_view route{};
};

/// What a waiting answer can know of its request while it goes on.
struct Ongoing {
  /// Says when the client has left or the server's drain deadline has come.
  Cancel cancel{};
  /// Null unless the plan said `streams_body`, or `decides_first` and content is to come.
  BodyInbox* content = nullptr;
};

class Service {
 public:
  virtual ~Service() = default;

  /// Called once, on the server's first loop, ahead of everything else. Connections that come
  /// meanwhile wait; the task is destroyed where it waits when the server is stopped.
  ///
  /// errors  the server does not open, for the reason that the text tells
  [[nodiscard]] virtual Task<Result<void>> start() { co_return {}; }
  /// Called on the thread of each of the server's loops, ahead of its first connection.
  virtual void begin() noexcept {}
  /// Called once on each loop when the server is about to drain: whoever asks whether it is ready
  /// is told that it is not, while it goes on to answer for ServerOptions::leave, which may be
  /// nothing.
  virtual void leave() noexcept {}
  /// Called once on each loop when the server begins to drain: what would go on for as long as its
  /// client stays ends, as every answer does.
  virtual void drain() noexcept {}
  /// Called on each loop once no loop has a connection any more.
  [[nodiscard]] virtual Task<> end() { co_return; }
  /// Called once on the first loop, behind all of the above, also behind a start that failed or was
  /// given up. Neither throws; both bound their own time.
  [[nodiscard]] virtual Task<> stop() { co_return; }

  /// Fills the request's path values. Never fails: "no such route" is an endpoint too.
  [[nodiscard]] virtual Plan plan(Request& request) noexcept = 0;

  /// Answers at once. `response` arrives as new and leaves complete, save for what `finish` adds;
  /// nothing is thrown.
  virtual void answer(const Plan& plan, Request& request, Response& response) noexcept = 0;

  /// Answers after waiting. All references outlive the task. Destroying the task cancels it.
  [[nodiscard]] virtual Task<> answer_later(const Plan& plan, Request& request, Response& response,
                                            const Ongoing& ongoing) = 0;

  /// What sees every answer sees this one, ahead of its head: called for all that did not leave
  /// `answer` or `answer_later` whole. These are refusals, what `answer_failed` has filled, and
  /// answers with a ProducedContent, once its first byte is there or its end; that may be wrapped
  /// then, or another answer put in its place.
  ///
  /// plan  as new (no endpoint) for a request that nobody could read, of which little is told
  virtual void finish(const Plan& /*plan*/, Request& /*request*/, Response& /*response*/) noexcept {
  }

  /// Whether `observe` wants to be called; asked once per loop.
  [[nodiscard]] virtual bool is_observed() const noexcept { return false; }
  /// Clients come through proxies, whose addresses are not their own.
  [[nodiscard]] virtual bool trusts_proxies() const noexcept { return false; }
  /// Called once for each request, when all is over with it.
  virtual void observe(const AnswerRecord& /*record*/) noexcept {}

  /// The least time beyond that one behind which it wants to hear of requests that are still
  /// handled; Duration::max(): none. Asked once per loop with zero, and as below.
  [[nodiscard]] virtual Duration slow_after(Duration /*beyond*/) const noexcept {
    return Duration::max();
  }
  /// Called for such a request on its loop's thread, once for each of these times.
  virtual void observe_slow(const Request& /*request*/, const RequestState& /*state*/,
                            Duration /*after*/) noexcept {}

  /// A producer (content.h) threw `thrown`. When nothing of the response has left, it is filled
  /// anew; otherwise null, and the connection ends: there is only a line to be written.
  virtual void answer_failed(const Request& request, Response* response,
                             std::exception_ptr thrown) noexcept = 0;

  /// From any thread, also while it is answered by. endpoint  of a plan
  [[nodiscard]] virtual PlanName plan_name(const void* /*endpoint*/) const noexcept { return {}; }

  /// A request that the parser refused, or that missed its deadline: fills the error's content.
  virtual void refuse(int status, std::string_view detail, Response& response) noexcept = 0;

  /// What goes on beside requests on this loop's thread, which calls: as many as that at most.
  [[nodiscard]] virtual std::vector<BackgroundState> background(std::size_t /*count_max*/) const {
    return {};
  }

  /// How much goes on on this loop's thread, which calls, without a connection, such as a
  /// WebSocket's handler whose client has left: a drain waits for it.
  [[nodiscard]] virtual std::size_t unfinished(Loop& /*loop*/) noexcept { return 0; }
};

}  // namespace eider
