// A child process that creates something, and deletes it when this process ends for any reason.
// Layering: must not know what it creates.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/result.h"

namespace eider::detail::scratch {

/// The parent process, as seen by the cleanup process.
class Parent {
 public:
  explicit Parent(int line) noexcept : line_(line) {}
  /// Returns whether it has ended, or does not need the resource any more.
  [[nodiscard]] bool is_gone() const noexcept { return waits(0); }
  /// Waits for that, at most `ms` milliseconds; -1: no limit.
  [[nodiscard]] bool waits(int ms) const noexcept;

 private:
  int line_;  // the other end closes with the process
};

/// A resource that the cleanup process creates and removes. `remove` also removes parts after a
/// failed `make`.
class TemporaryResource {
 public:
  virtual ~TemporaryResource() = default;
  /// returns  its location; ends early if the parent is gone
  [[nodiscard]] virtual Result<std::string, std::string> make(const Parent& other) = 0;
  /// errors   the parts that remain, for the user: written to standard error
  [[nodiscard]] virtual Result<void, std::string> remove() = 0;
};

/// Called in a forked process: starts a new session, which signals of the terminal do not reach,
/// and closes all descriptors except these two, which get new numbers. Otherwise a reader of the
/// parent's output would wait for this process, too.
void leave_other_process(int& first, int& second);

/// Reads up to a zero byte, or to the end.
[[nodiscard]] std::string read_first(int from);

/// At most one exists, because signals that end the process wait for its end.
class CleanupProcess {
 public:
  /// errors   those of `make`
  [[nodiscard]] static Result<CleanupProcess, std::string> start(TemporaryResource& kept);
  /// Returns when the resource was removed.
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
