// The parts of an object that is uploaded, and the memory that they use.
// Layering: must not send requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "eider/io/runtime/task.h"
#include "eider/web/storage/stored_object.h"

namespace eider::detail::s3 {

/// Memory for the parts of one upload, of a limited total for all uploads of the process: slow
/// clients would otherwise use one part each.
class PartMemory {
 public:
  /// bytes_max  of all uploads; one upload alone may use more
  explicit PartMemory(std::size_t bytes_max) noexcept : bytes_max_(bytes_max) {}
  PartMemory(const PartMemory&) = delete;
  PartMemory& operator=(const PartMemory&) = delete;
  ~PartMemory();

  /// Reserves so many bytes until the upload ends. Throws a Failure with 503 if other uploads use
  /// too many.
  void raise_to(std::size_t bytes);

 private:
  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
};

/// The pieces of a source, in parts of one size.
class Parts {
 public:
  Parts(storage::ContentSource source, std::uint64_t bytes_max, std::size_t memory_max)
      : source_(std::move(source)), bytes_max_(bytes_max), memory_(memory_max) {}

  /// The next part, shorter than `bytes` only at the end. Throws a Failure with 413, or with 503.
  Task<std::string> next(std::size_t bytes);
  [[nodiscard]] bool is_over() const noexcept { return is_over_ && ahead_.empty(); }
  [[nodiscard]] std::uint64_t read() const noexcept { return read_; }

 private:
  storage::ContentSource source_;
  std::uint64_t bytes_max_;
  std::uint64_t read_ = 0;
  std::string ahead_;
  bool is_over_ = false;
  PartMemory memory_;
};

/// The ETag of an object without parts, if the server computes it with MD5: "\"…\"". Empty if this
/// machine has no MD5.
[[nodiscard]] std::string etag_of_content(std::string_view content);
/// The ETag of an object of these parts: the MD5 of their MD5s and their number. Nothing if one of
/// their ETags is not an MD5.
[[nodiscard]] std::optional<std::string> etag_of_parts(std::span<const std::string> etags);

}  // namespace eider::detail::s3
