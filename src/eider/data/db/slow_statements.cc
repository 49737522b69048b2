#include "eider/data/db/slow_statements.h"

#include <deque>
#include <mutex>
#include <utility>

namespace eider::db {

namespace {

constexpr std::size_t kKeptMax = 50;

struct Kept {
  std::mutex mutex;
  std::deque<SlowStatement> newest_first;
};

/// Never destroyed: threads of pools may end after static objects.
Kept& kept() {
  static auto* const made = new Kept;
  return *made;
}

}  // namespace

void note_slow_statement(SlowStatement statement) noexcept {
  try {
    const std::lock_guard lock(kept().mutex);
    kept().newest_first.push_front(std::move(statement));
    if (kept().newest_first.size() > kKeptMax) {
      kept().newest_first.pop_back();
    }
  } catch (...) {
    // No memory: the statement itself succeeded.
  }
}

std::vector<SlowStatement> slow_statements() {
  const std::lock_guard lock(kept().mutex);
  return {kept().newest_first.begin(), kept().newest_first.end()};
}

}  // namespace eider::db
