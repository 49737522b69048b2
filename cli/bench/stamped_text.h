// The text of a message that no other message of a run has.
// Must not allocate per message: it is stamped anew in its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace eider::bench {

/// A text whose first 16 characters, or those that there are, tell a number.
class StampedText {
 public:
  explicit StampedText(std::string text) noexcept : text_(std::move(text)) {}

  /// The text with that number; valid until the next call. Texts under 16 bytes repeat.
  [[nodiscard]] std::string_view with(std::uint64_t number) noexcept;

 private:
  std::string text_;
};

}  // namespace eider::bench
