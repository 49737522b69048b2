// Reads the bytes of a file in slices, for content that the program must process.
// Layering: must not buffer more than a slice, and must not wait for a disk on the event loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "eider/io/runtime/task.h"
#include "eider/server/content.h"

namespace eider {

/// cost    one copy into the writer from the kernel's cache; what is not in there is read on the
///         blocking pool
/// errors  a file that ends before its content's end, or that cannot be read, fails the content
class FileBytes final : public ProducedContent {
 public:
  explicit FileBytes(ContentPtr<FileContent> content) noexcept : content_(std::move(content)) {}

  [[nodiscard]] Task<> produce(BodyWriter& out) override;
  [[nodiscard]] std::optional<std::uint64_t> length() const noexcept override {
    return content_->bytes();
  }

 private:
  [[nodiscard]] Task<> copy(BodyWriter& out, std::uint64_t begin, std::uint64_t end) const;

  ContentPtr<FileContent> content_;
};

}  // namespace eider
