// Buffers a large request body: in memory up to a limit, then in a temporary file.
// Layering: must not block an event loop; the blocking pool writes the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/io/runtime/gathered_bytes.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/temp_file.h"
#include "eider/server/body_stream.h"

namespace eider {

/// A complete request body.
class SpooledBody {
 public:
  explicit SpooledBody(std::string bytes) noexcept : bytes_(std::move(bytes)) {}
  explicit SpooledBody(TempFile file) noexcept : file_(std::move(file)) {}

  [[nodiscard]] std::uint64_t size() const noexcept {
    return file_.has_value() ? file_->size() : bytes_.size();
  }
  [[nodiscard]] bool is_in_memory() const noexcept { return !file_.has_value(); }
  /// Returns the body. Pre: is_in_memory().
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }
  /// Returns the file, or null if the body is in memory.
  [[nodiscard]] TempFile* file() noexcept { return file_.has_value() ? &*file_ : nullptr; }

  /// Reads at most `bytes_max` from `offset`, from memory or the file; fewer only at the end.
  /// Throws a Failure with 500 if the file cannot be read.
  [[nodiscard]] Task<std::string> read(std::uint64_t offset, std::size_t bytes_max) const;

 private:
  std::string bytes_;
  std::optional<TempFile> file_;
};

/// Reads `body` to its end.
///
/// memory_bytes_max  larger bodies go to a file
/// bytes_max         maximum size of the body
/// directory         directory of the file, which has no name
/// errors            thrown as a Failure: 413 if the body is larger, 500 if the file cannot be
///                   written, 503 if the blocking pool is full, and the errors of BodyStream
[[nodiscard]] Task<SpooledBody> spool(BodyStream body, std::size_t memory_bytes_max,
                                      std::uint64_t bytes_max, std::string directory);

/// Collects pieces for a temporary file, so that each write to the blocking pool is large enough.
class TempFileWriter {
 public:
  static constexpr std::size_t kWriteBytes = 128UL * 1024;

  /// Creates the file. Throws a Failure with 500 if that fails.
  [[nodiscard]] static Task<TempFileWriter> create(std::string directory);

  /// returns  whether there are enough bytes: then await `write` before adding more
  [[nodiscard]] bool gather(std::string_view bytes) { return gathered_.add(bytes); }
  /// Writes the collected bytes. Throws a Failure with 500 if that fails.
  [[nodiscard]] Task<> write();
  /// Writes the collected bytes, and returns the file.
  [[nodiscard]] Task<TempFile> finish();

 private:
  explicit TempFileWriter(TempFile file) noexcept : file_(std::move(file)) {}

  TempFile file_;
  detail::runtime::GatheredBytes gathered_{kWriteBytes};
};

}  // namespace eider
