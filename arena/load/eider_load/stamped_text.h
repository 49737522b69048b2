// The text of a message that no other message of a run has.
// Must not allocate per message: it is stamped anew in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace load {

/// As many characters as asked for, of which the first 16, or those that there are, tell a number.
class StampedText {
 public:
  /// bytes  >= 1
  explicit StampedText(std::size_t bytes);

  /// The text with that number; valid until the next call. Texts under 16 bytes repeat.
  [[nodiscard]] std::string_view with(std::uint64_t number) noexcept;

 private:
  std::string text_;
};

}  // namespace load
