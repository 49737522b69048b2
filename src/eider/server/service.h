// The interface of the layer above the server: plans requests and handles them.
// Layering: must not know connections or sockets.
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
struct ResponseEvent;
class Loop;

/// The decision of the service on the request line and headers, before the body is read.
struct RequestPlan {
  /// The handler, owned by the service and passed back to it.
  const void* endpoint = nullptr;
  /// A larger body is rejected with 413 before it is read.
  std::size_t body_bytes_max = 0;
  /// The response comes from `respond_later`: the request is copied so that it outlives its bytes.
  bool waits = false;
  /// The body of the response may be produced after `respond` has returned, from data of the
  /// request: the request is copied first.
  bool keeps_request = false;
  /// The task must run to its end even if the client disconnects, because a thread of the blocking
  /// pool uses the request. The task is only notified by `Cancel`, and its response is dropped.
  /// Other tasks are canceled by destroying them.
  bool outlives_client = false;
  /// The work runs on the blocking pool, which may reject it if it is late.
  bool is_blocking = false;
  /// The handler reads the body itself, with Ongoing::content, and starts before the body has
  /// arrived. Pre: waits, and does not outlive its client.
  bool streams_body = false;
  /// The response does not need the body: it is sent at once, and the body is not collected. Pre:
  /// not `waits`.
  bool ignores_body = false;
  /// The service decides first whether it needs the body: if the body has not arrived with the
  /// headers, `respond_later` starts without it (see ahead_of_content) and collects it with
  /// Ongoing::content.
  bool decides_first = false;
  /// The request is handled even under overload.
  bool exempt_from_load_shedding = false;

  [[nodiscard]] RequestPlan ahead_of_content() const noexcept {
    RequestPlan plan = *this;
    plan.waits = plan.streams_body = true;
    return plan;
  }
};

/// The names of a plan's endpoint; both live as long as the service.
struct PlanName {
  std::string_view method{};
  std::string_view route{};
};

/// The state of a request for the task that responds later.
struct Ongoing {
  /// Cancelled when the client has disconnected or the server's drain deadline has passed.
  Cancel cancel{};
  /// Null unless the plan has `streams_body`, or `decides_first` and a body is to come.
  BodyInbox* content = nullptr;
};

class RequestService {
 public:
  virtual ~RequestService() = default;

  /// Called once, on the server's first event loop, before everything else. Connections that arrive
  /// meanwhile wait; if the server stops, the task is destroyed while it waits.
  ///
  /// errors  the server does not open; the text has the reason
  [[nodiscard]] virtual Task<Result<void>> start() { co_return {}; }
  /// Called on the thread of each event loop, before its first connection.
  virtual void begin() noexcept {}
  /// Called once on each event loop when the server is about to drain. Readiness checks fail from
  /// now on, while the server still serves for ServerOptions::shutdown_delay, which may be zero.
  virtual void leave() noexcept {}
  /// Called once on each event loop when the server starts to drain: responses that would last as
  /// long as their client stays must end.
  virtual void drain() noexcept {}
  /// Called on each event loop when no loop has a connection any more.
  [[nodiscard]] virtual Task<> end() { co_return; }
  /// Called once on the first event loop, after all of the above, also after a start that failed or
  /// was canceled. Neither throws; both limit their own time.
  [[nodiscard]] virtual Task<> stop() { co_return; }

  /// Fills the path parameters of the request. Never fails: "no such route" is an endpoint too.
  [[nodiscard]] virtual RequestPlan plan(Request& request) noexcept = 0;

  /// Responds at once. `response` is new, and complete after the call, except for the additions of
  /// `finish`; must not throw.
  virtual void respond(const RequestPlan& plan, Request& request, Response& response) noexcept = 0;

  /// Responds after waiting. All references outlive the task. Destroying the task cancels it.
  [[nodiscard]] virtual Task<> respond_later(const RequestPlan& plan, Request& request,
                                             Response& response, const Ongoing& ongoing) = 0;

  /// Lets middleware see a response before its headers are sent, if it was not completed in
  /// `respond` or `respond_later`. These are rejections, responses of `respond_failed`, and
  /// responses with a ProducedContent, when its first byte or its end has arrived. Middleware may
  /// wrap or replace the latter.
  ///
  /// plan  new (no endpoint) for a request that could not be read, of which little is known
  virtual void finish(const RequestPlan& /*plan*/, Request& /*request*/,
                      Response& /*response*/) noexcept {}

  /// Returns whether `observe` must be called; checked once per event loop.
  [[nodiscard]] virtual bool is_observed() const noexcept { return false; }
  /// Returns whether clients connect through proxies.
  [[nodiscard]] virtual bool trusts_proxies() const noexcept { return false; }
  /// Called once for each request, when it is complete.
  virtual void observe(const ResponseEvent& /*record*/) noexcept {}

  /// Returns the next time after `beyond` at which slow requests are reported; Duration::max():
  /// none. Called once per event loop with zero, and as below.
  [[nodiscard]] virtual Duration slow_after(Duration /*beyond*/) const noexcept {
    return Duration::max();
  }
  /// Called for such a request on its event loop's thread, once for each of these times.
  virtual void observe_slow(const Request& /*request*/, const RequestState& /*state*/,
                            Duration /*after*/) noexcept {}

  /// A producer (content.h) threw `thrown`. If nothing of the response was sent, it is filled
  /// again; otherwise it is null, and the connection ends: there is only a log line to write.
  virtual void respond_failed(const Request& request, Response* response,
                              std::exception_ptr thrown) noexcept = 0;

  /// Thread-safe, also while requests are handled. endpoint  of a plan
  [[nodiscard]] virtual PlanName plan_name(const void* /*endpoint*/) const noexcept { return {}; }

  /// Fills the body of an error response, for a request that the parser rejected or that timed out.
  virtual void refuse(int status, std::string_view detail, Response& response) noexcept = 0;

  /// Returns the background tasks of this event loop's thread, which calls: at most that many.
  [[nodiscard]] virtual std::vector<BackgroundState> background(std::size_t /*count_max*/) const {
    return {};
  }

  /// Returns the number of tasks on this event loop's thread, which calls, without a connection,
  /// such as a WebSocket handler whose client has disconnected: a drain waits for them.
  [[nodiscard]] virtual std::size_t unfinished(Loop& /*loop*/) noexcept { return 0; }
};

}  // namespace eider
