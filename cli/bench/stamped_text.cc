#include "cli/bench/stamped_text.h"

#include <algorithm>

namespace eider::bench {

std::string_view StampedText::with(std::uint64_t number) noexcept {
  constexpr std::size_t kDigits = 16;
  constexpr std::string_view kHexadecimal = "0123456789abcdef";
  // The last digits first, so that short texts differ too.
  for (std::size_t i = 0; i < std::min(kDigits, text_.size()); ++i) {
    text_[i] = kHexadecimal[number & 0xFU];
    number >>= 4U;
  }
  return text_;
}

}  // namespace eider::bench
