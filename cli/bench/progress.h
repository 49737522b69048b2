// The line on a terminal that counts along while a run goes on.
// Must not write anywhere but to a terminal.
#pragma once

#include <cstdint>
#include <string>

#include "cli/bench/options.h"
#include "eider/io/runtime/time.h"

namespace eider::bench {

/// On the standard error, where that is a terminal and nobody has declined; erased at its end.
class ProgressLine {
 public:
  explicit ProgressLine(const Options& options);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// The counts since the begin.
  void show(std::uint64_t answered, std::uint64_t failed);

 private:
  bool is_shown_;
  Instant began_;
  Duration lasts_;
  Instant shown_at_;
  std::uint64_t shown_answered_ = 0;
};

/// "3.0 s of 10.0 s   1234567 answered   412345/s   0 failed"
[[nodiscard]] std::string progress_text(Duration passed, Duration lasts, std::uint64_t answered,
                                        double per_second, std::uint64_t failed);

}  // namespace eider::bench
