// A request's content that may be large: in memory up to a bound, then in a temporary file.
// Must not block a loop: the file is written on the blocking pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/io/runtime/task.h"
#include "eider/io/runtime/temp_file.h"
#include "eider/server/body_stream.h"

namespace eider {

/// Content that is complete.
class SpooledBody {
 public:
  explicit SpooledBody(std::string bytes) noexcept : bytes_(std::move(bytes)) {}
  explicit SpooledBody(TempFile file) noexcept : file_(std::move(file)) {}

  [[nodiscard]] std::uint64_t size() const noexcept {
    return file_.has_value() ? file_->size() : bytes_.size();
  }
  [[nodiscard]] bool is_in_memory() const noexcept { return !file_.has_value(); }
  /// All of it. Pre: is_in_memory().
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }
  /// Null when it is in memory.
  [[nodiscard]] TempFile* file() noexcept { return file_.has_value() ? &*file_ : nullptr; }

  /// At most `bytes_max` from `offset`, wherever it is; fewer only at the end.
  /// Throws a Failure with 500 when the file cannot be read.
  [[nodiscard]] Task<std::string> read(std::uint64_t offset, std::size_t bytes_max) const;

 private:
  std::string bytes_;
  std::optional<TempFile> file_;
};

/// Reads `body` to its end.
///
/// memory_bytes_max  larger content goes to a file
/// bytes_max         of all of it
/// directory         where the file lives, without a name
/// errors            thrown as a Failure: 413 when it is larger, 500 when the file cannot be
///                   written, 503 when the blocking pool is full, and what BodyStream says
[[nodiscard]] Task<SpooledBody> spool(BodyStream body, std::size_t memory_bytes_max,
                                      std::uint64_t bytes_max, std::string directory);

/// Gathers pieces for a temporary file, so that each write is worth its way to another thread.
class TempFileWriter {
 public:
  static constexpr std::size_t kWriteBytes = 128UL * 1024;

  /// Throws a Failure with 500 when the file cannot be made.
  [[nodiscard]] static Task<TempFileWriter> create(std::string directory);

  /// returns  whether enough is gathered: then await `write` before more comes
  [[nodiscard]] bool gather(std::string_view bytes) {
    gathered_.append(bytes);
    return gathered_.size() >= kWriteBytes;
  }
  /// Writes what is gathered. Throws a Failure with 500 when that fails.
  [[nodiscard]] Task<> write();
  /// Writes what is gathered, and gives the file away.
  [[nodiscard]] Task<TempFile> finish();

 private:
  explicit TempFileWriter(TempFile file) noexcept : file_(std::move(file)) {}

  TempFile file_;
  std::string gathered_;
};

}  // namespace eider
