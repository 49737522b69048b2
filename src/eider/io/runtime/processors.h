// The processors on which a thread may run.
// Layering: must not choose processors: the code that starts the thread does.
#pragma once

#include <sched.h>

#include <vector>

namespace eider::detail::runtime {

/// Those that the process's first thread may use, which nobody pins; in order, not empty.
[[nodiscard]] std::vector<int> usable_processors();

/// The calling thread runs there alone from now on, and so does all that it starts.
///
/// returns  false where it may not: it runs where it did
bool run_on(int processor) noexcept;

/// The calling thread runs on all of `usable_processors`, as if whoever has started it were not
/// pinned.
void run_on_all() noexcept;

/// The same for as long as this lives: what is started meanwhile inherits no pin.
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
