// The processors on which a thread may run.
// Layering: must not choose processors: the code that starts the thread does.
#pragma once

#include <sched.h>

#include <vector>

namespace eider::detail::runtime {

/// Returns the processors of the process's first thread, which is never pinned; in ascending order,
/// not empty.
[[nodiscard]] std::vector<int> usable_processors();

/// Pins the calling thread, and all threads that it starts, to one processor.
///
/// returns  false if that is not allowed; the thread then runs where it did before
bool run_on(int processor) noexcept;

/// Lets the calling thread run on all of `usable_processors`, even if its creator is pinned.
void run_on_all() noexcept;

/// The same as long as this object lives: threads that are started meanwhile are not pinned.
class OnAllProcessors {
 public:
  OnAllProcessors() noexcept;
  ~OnAllProcessors();
  OnAllProcessors(const OnAllProcessors&) = delete;
  OnAllProcessors& operator=(const OnAllProcessors&) = delete;

 private:
  cpu_set_t before_;
  bool is_known_;
};

}  // namespace eider::detail::runtime
