#include "eider/core/base/log_tail.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "eider/core/base/text.h"

namespace eider::detail::base {

namespace {

std::atomic<LeavesOut> asked{nullptr};

struct KeptLine {
  std::uint64_t number = 0;  // from 1; 0: none yet
  std::string text;
};

struct KeptLines {
  std::array<KeptLine, kLogTailLinesMax> lines;
  std::size_t next = 0;
};

struct Kept {
  std::mutex mutex;
  std::uint64_t lines_so_far = 0;
  KeptLines graver;
  KeptLines others;
};

/// Never destroyed: logs may write during the destruction of static objects.
Kept& kept() {
  static auto* const made = new Kept;
  return *made;
}

/// All lines start with {"time":"…","level":"error", … or with the time, a space and "error ".
bool is_grave(std::string_view line) noexcept {
  constexpr std::string_view kLevel = R"("level":")";
  const bool is_json = line.starts_with('{');
  const std::string_view mark = is_json ? kLevel : " ";
  (void)take_until(line, mark);
  return line.starts_with("error") || line.starts_with("warning");
}

void keep(std::string_view line) {
  const std::lock_guard lock(kept().mutex);
  KeptLines& those = is_grave(line) ? kept().graver : kept().others;
  KeptLine& place = those.lines[those.next++ % kLogTailLinesMax];
  place.text.assign(line.substr(0, kLogTailLineBytesMax));
  place.number = ++kept().lines_so_far;
}

}  // namespace

void keep_log_tail(LeavesOut leaves_out) noexcept {
  asked.store(leaves_out, std::memory_order_relaxed);
}

void note_log_lines(std::string_view lines) noexcept {
  const LeavesOut leaves_out = asked.load(std::memory_order_relaxed);
  if (leaves_out == nullptr) {
    return;
  }
  try {
    while (!lines.empty()) {
      const std::string_view line = take_until(lines, "\n");
      if (!leaves_out(line)) {
        keep(line);
      }
    }
  } catch (...) {
    // There is no memory for a copy. The lines are still in the log itself.
  }
}

LogTail log_tail(std::uint64_t after) {
  const std::lock_guard lock(kept().mutex);
  LogTail told{.lines_so_far = kept().lines_so_far, .lines = {}};
  std::vector<const KeptLine*> found;
  for (const KeptLines* those : {&kept().graver, &kept().others}) {
    for (const KeptLine& line : those->lines) {
      if (line.number > (after > told.lines_so_far ? 0 : after)) {
        found.push_back(&line);
      }
    }
  }
  std::ranges::sort(found, {}, [](const KeptLine* line) { return line->number; });
  for (const KeptLine* line : found) {
    told.lines.push_back(line->text);
  }
  return told;
}

}  // namespace eider::detail::base
