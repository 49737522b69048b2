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
  /// Called while the output cannot be written: waits for that time, and returns whether to give
  /// up.
  using Patience = std::function<bool(Duration)>;

  /// Standard error, or another descriptor that stays open.
  explicit LogOutput(int fd) noexcept;
  /// errors  the file cannot be opened
  [[nodiscard]] static Result<LogOutput> open(std::string file, std::uint64_t file_bytes_max,
                                              unsigned files_max);

  [[nodiscard]] bool is_terminal() const noexcept;
  /// Writes complete lines. Waits for the reader of a pipe, and for space on a full disk.
  ///
  /// returns  false if it gave up, or if the pipe has no reader any more
  [[nodiscard]] bool write(std::string_view lines, const Patience& gives_up);

 private:
  [[nodiscard]] bool open_file();
  [[nodiscard]] bool write_piece(std::string_view piece, const Patience& gives_up);
  [[nodiscard]] bool is_ready() const noexcept;
  [[nodiscard]] bool is_of_its_name() const noexcept;
  [[nodiscard]] std::uint64_t file_bytes() const noexcept;
  void follow_file();
  /// returns  whether the file with the name is "<name>.1" now
  [[nodiscard]] bool move_files() const;
  void rotate();

  std::string file_;  // empty: a descriptor that this object does not own
  std::uint64_t file_bytes_max_ = 0;
  unsigned files_max_ = 0;
  Descriptor own_;
  int fd_;
  bool may_block_ = false;  // a pipe or a terminal
  std::uint64_t rotates_at_ = 0;
  std::int64_t looked_at_ = 0;  // time of the last check whether the file still exists
};

}  // namespace eider::detail::telemetry
