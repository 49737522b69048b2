// A child process that creates something, and deletes it when this process ends for any reason.
// Layering: must not know what it creates.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/result.h"

namespace eider::detail::scratch {

/// The process that is kept for, as the one beside it sees it.
class Parent {
 public:
  explicit Parent(int line) noexcept : line_(line) {}
  /// Whether it has ended, or needs nothing any more.
  [[nodiscard]] bool is_gone() const noexcept { return waits(0); }
  /// Waits for that, no longer than `ms`; -1 for ever.
  [[nodiscard]] bool waits(int ms) const noexcept;

 private:
  int line_;  // its other end closes with the process
};

/// Both run in the process beside, one behind the other. What `make` began `remove` takes away,
/// also where it failed.
class TemporaryResource {
 public:
  virtual ~TemporaryResource() = default;
  /// returns  where it is; ends early where nobody waits for it any more
  [[nodiscard]] virtual Result<std::string, std::string> make(const Parent& other) = 0;
  /// errors   what stays, for the one that was kept for: it is written to the standard error
  [[nodiscard]] virtual Result<void, std::string> remove() = 0;
};

/// In a process that was forked: a session of its own, which the terminal's signals do not reach,
/// with nothing open of the other process but these two, which get new numbers: a reader of the
/// other's output would wait for this one, too.
void leave_other_process(int& first, int& second);

/// Writes all of it, whatever a signal interrupts.
void write_all(int to, std::string_view text) noexcept;
/// Up to a zero byte, or to the end.
[[nodiscard]] std::string read_first(int from);

/// There is one at a time: the signals that end a process wait for its end.
class CleanupProcess {
 public:
  /// errors   what `make` says
  [[nodiscard]] static Result<CleanupProcess, std::string> start(TemporaryResource& kept);
  /// Returns when what was kept is gone.
  ~CleanupProcess();
  CleanupProcess(CleanupProcess&& other) noexcept
      : process_(std::exchange(other.process_, -1)), where_(std::move(other.where_)) {}
  CleanupProcess& operator=(CleanupProcess&&) = delete;
  CleanupProcess(const CleanupProcess&) = delete;
  CleanupProcess& operator=(const CleanupProcess&) = delete;

  [[nodiscard]] const std::string& where() const noexcept { return where_; }

 private:
  explicit CleanupProcess(pid_t process) noexcept : process_(process) {}

  pid_t process_;
  std::string where_{};
};

}  // namespace eider::detail::scratch
