// What the layer above hands to the server: how a request is planned and answered.
// Must not know connections or sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

#include "eider/http/request.h"
#include "eider/http/response.h"
#include "eider/runtime/cancel.h"
#include "eider/runtime/task.h"

namespace eider {

class BodyInbox;
class Loop;

/// What the service decided on the head alone, before a byte of the body is read.
struct Plan {
  /// Which handler: the service's own, given back to it as it is.
  const void* endpoint = nullptr;
  /// A larger body is refused with 413 before it is read.
  std::size_t body_bytes_max = 0;
  /// The answer comes from `answer_later`: the request is copied so that it outlives its bytes.
  bool waits = false;
  /// The task must run to its end even when the client leaves, because a thread of the blocking
  /// pool is using the request: it is then only told by `Cancel`, kept aside, and its answer
  /// dropped. Other tasks are cancelled by destroying them.
  bool outlives_client = false;
  /// The handler reads the content itself, by Ongoing::content, and begins before it is there.
  /// Pre: waits, and does not outlive its client.
  bool streams_body = false;
};

/// What a waiting answer can know of its request while it goes on.
struct Ongoing {
  /// Says when the client has left or the server's drain deadline has come.
  Cancel cancel{};
  /// Null unless the plan said `streams_body`.
  BodyInbox* content = nullptr;
};

class Service {
 public:
  virtual ~Service() = default;

  /// Fills the request's path values. Never fails: "no such route" is an endpoint too.
  [[nodiscard]] virtual Plan plan(Request& request) noexcept = 0;

  /// Answers at once. `response` arrives as new and leaves complete; nothing is thrown.
  virtual void answer(const Plan& plan, Request& request, Response& response) noexcept = 0;

  /// Answers after waiting. All references outlive the task. Destroying the task cancels it.
  [[nodiscard]] virtual Task<> answer_later(const Plan& plan, Request& request, Response& response,
                                            const Ongoing& ongoing) = 0;

  /// A producer (content.h) threw `thrown`. When nothing of the response has left, it is filled
  /// anew; otherwise null, and the connection ends: there is only a line to be written.
  virtual void answer_failed(const Request& request, Response* response,
                             std::exception_ptr thrown) noexcept = 0;

  /// A request that the parser refused, or that missed its deadline: fills the error's content.
  virtual void refuse(int status, std::string_view detail, Response& response) noexcept = 0;

  /// How much goes on on this loop's thread, which calls, without a connection, such as a
  /// WebSocket's handler whose client has left: a drain waits for it.
  [[nodiscard]] virtual std::size_t unfinished(Loop& /*loop*/) noexcept { return 0; }
};

}  // namespace eider
