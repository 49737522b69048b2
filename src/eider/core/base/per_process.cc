#include "eider/core/base/per_process.h"

#include <mutex>
#include <set>

#include "eider/core/base/text.h"

namespace eider::detail::base {

namespace {

struct PerProcess {
  std::mutex mutex;
  std::set<std::string, std::less<>> noted;
};

/// Never destroyed: a program may create such objects until its end.
PerProcess& all_per_process() {
  static auto* const made = new PerProcess;
  return *made;
}

}  // namespace

void note_per_process(std::string_view what) {
  PerProcess& all = all_per_process();
  const std::lock_guard lock(all.mutex);
  all.noted.emplace(what);
}

std::string per_process_text() {
  PerProcess& all = all_per_process();
  const std::lock_guard lock(all.mutex);
  return joined(all.noted, ", ");
}

}  // namespace eider::detail::base
