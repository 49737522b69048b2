// A connected socket that is spoken to before a stream takes it over: a proxy's consent is asked.
// Must not read more bytes than it is told to.
#pragma once

#include <coroutine>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "eider/runtime/deferred.h"
#include "eider/runtime/fd_watch.h"
#include "eider/runtime/task.h"
#include "eider/runtime/time.h"
#include "eider/runtime/timer.h"

namespace eider::detail {

/// `co_await` gives whether the descriptor became ready in time.
class FdReady final : private FdWatch, private Timer, private Deferred {
 public:
  FdReady(Loop& loop, int fd, Readiness what, Instant due) noexcept
      : FdWatch(loop), fd_(fd), what_(what), due_(due) {}
  ~FdReady() = default;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting);
  bool await_resume() const noexcept { return is_ready_; }

 private:
  void on_ready(Readiness what) override;
  void expire() override;
  void run() override { waiting_.resume(); }

  int fd_;
  Readiness what_;
  Instant due_;
  bool is_ready_ = false;
  std::coroutine_handle<> waiting_;
};

/// fd, due  as above; the descriptor is not owned
struct RawSocket {
  int fd;
  Instant due;

  /// returns  false when it was lost, or `due` has come
  [[nodiscard]] Task<bool> write(std::string bytes) const;
  /// returns  nothing when it ended, was lost, or `due` has come
  [[nodiscard]] Task<std::optional<std::string>> read(std::size_t bytes) const;
  /// Up to and with an empty line; nothing also when it is longer than that.
  [[nodiscard]] Task<std::optional<std::string>> read_head(std::size_t bytes_max) const;
};

}  // namespace eider::detail
