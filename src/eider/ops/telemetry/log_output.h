// The output of log lines: a file with rotation, a pipe or a terminal.
// Layering: must be used by one thread, which may wait.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/time.h"

namespace eider::detail::telemetry {

class LogOutput {
 public:
  /// Asked while it cannot write: waits for so long, and says whether to give up.
  using Patience = std::function<bool(Duration)>;

  /// Standard error, or another descriptor that stays open.
  explicit LogOutput(int fd) noexcept;
  /// errors  the file cannot be opened
  [[nodiscard]] static Result<LogOutput> open(std::string file, std::uint64_t file_bytes_max,
                                              unsigned files_max);

  [[nodiscard]] bool is_terminal() const noexcept;
  /// Whole lines. Of a pipe, waits until somebody reads; of a full disk, until there is room.
  ///
  /// returns  false where it gave up, or nobody will ever read
  [[nodiscard]] bool write(std::string_view lines, const Patience& gives_up);

 private:
  [[nodiscard]] bool open_file();
  [[nodiscard]] bool write_piece(std::string_view piece, const Patience& gives_up);
  [[nodiscard]] bool is_ready() const noexcept;
  [[nodiscard]] bool is_of_its_name() const noexcept;
  [[nodiscard]] std::uint64_t file_bytes() const noexcept;
  void follow_file();
  void rotate();

  std::string file_;  // empty: somebody else's descriptor
  std::uint64_t file_bytes_max_ = 0;
  unsigned files_max_ = 0;
  Descriptor own_;
  int fd_;
  bool may_block_ = false;  // a pipe or a terminal
  std::uint64_t rotates_at_ = 0;
  std::int64_t looked_at_ = 0;  // when it was last seen whether the file is still there
};

}  // namespace eider::detail::telemetry
