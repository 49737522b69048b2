// Connects to an address, with a deadline.
// Layering: must not resolve names, and does not retry.
#pragma once

#include <coroutine>
#include <utility>

#include "eider/core/base/result.h"
#include "eider/io/runtime/address.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/net_error.h"
#include "eider/io/runtime/suspended.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"

namespace eider {

/// The result of `connect`, for `co_await`. Destroying it cancels the attempt.
class ConnectAwaiter final : private FdWatch, private Timer, private Deferred {
 public:
  ConnectAwaiter(Loop& loop, const SocketAddress& to, Duration limit) noexcept;
  ~ConnectAwaiter();

  bool await_ready();
  void await_suspend(std::coroutine_handle<> waiting);
  Result<Descriptor, NetError> await_resume() { return std::move(result_); }

 private:
  void on_ready(Readiness what) override;
  void expire() override;
  void run() override { waiting_.resume(); }

  SocketAddress to_;
  Duration limit_;
  Descriptor fd_;
  Result<Descriptor, NetError> result_ = fail(NetError::timed_out);
  detail::runtime::Suspended waiting_;
};

/// `co_await connect(address, 5s)` returns a connected socket for `Stream::open`: non-blocking,
/// close-on-exec, TCP_NODELAY.
///
/// errors   timed_out  not connected within `limit`
///          others     the kernel's error: refused, unreachable, too_many_open …
[[nodiscard]] ConnectAwaiter connect(const SocketAddress& to, Duration limit);

}  // namespace eider
