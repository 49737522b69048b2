// What runs beside handlers: cheap hooks before and after, and coroutines around.
// Must not know routes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "eider/http/request.h"
#include "eider/http/response.h"
#include "eider/runtime/task.h"

namespace eider {

class LogSink;
struct Endpoint;
struct Context;

/// Runs on the loop, waits for nothing, and costs a call.
///
/// before  true: go on; false: `response` is the answer, the handler is not called
/// after   sees every response of its routes, errors too; runs in reverse order of `before`
struct Hook {
  std::function<bool(Request&, Response&)> before;
  std::function<void(const Request&, Response&)> after;
};

/// The rest of the chain, as the middleware around it sees it.
class Next {
 public:
  Next(const Endpoint& endpoint, const Context& context, std::size_t depth) noexcept
      : endpoint_(&endpoint), context_(&context), depth_(depth) {}
  /// Runs the next middleware or the handler; call it at most once, or not at all.
  [[nodiscard]] Task<Response> operator()() const;

 private:
  const Endpoint* endpoint_;
  const Context* context_;
  std::size_t depth_;
};

/// A coroutine around the handler: `Task<Response> f(Request&, Next)`. Its routes all wait.
using Around = std::function<Task<Response>(Request&, Next)>;

/// Gives every response an X-Request-Id: the request's own when it is short and printable, else a
/// new one of 16 hexadecimal digits.
[[nodiscard]] Hook request_id();

/// One line per response: method, target, status, bytes of content.
[[nodiscard]] Hook access_log(std::shared_ptr<LogSink> sink);
/// The same on standard error.
[[nodiscard]] Hook access_log();

}  // namespace eider
