#include "eider/io/runtime/processors.h"

#include <unistd.h>

namespace eider::detail::runtime {

std::vector<int> usable_processors() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  std::vector<int> all;
  if (::sched_getaffinity(::getpid(), sizeof(usable), &usable) == 0) {
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
      if (CPU_ISSET(processor, &usable)) {
        all.push_back(processor);
      }
    }
  }
  return all.empty() ? std::vector{0} : all;
}

bool run_on(int processor) noexcept {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  return ::sched_setaffinity(0, sizeof(one), &one) == 0;
}

void run_on_all() noexcept {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (::sched_getaffinity(::getpid(), sizeof(usable), &usable) == 0) {
    (void)::sched_setaffinity(0, sizeof(usable), &usable);
  }
}

OnAllProcessors::OnAllProcessors() noexcept
    : is_known_(::sched_getaffinity(0, sizeof(before_), &before_) == 0) {
  run_on_all();
}

OnAllProcessors::~OnAllProcessors() {
  if (is_known_) {
    (void)::sched_setaffinity(0, sizeof(before_), &before_);
  }
}

}  // namespace eider::detail::runtime
