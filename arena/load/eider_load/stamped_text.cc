#include "stamped_text.h"

#include <algorithm>

namespace load {

namespace {

constexpr std::size_t kDigits = 16;
constexpr std::string_view kHexadecimal = "0123456789abcdef";
constexpr std::string_view kFilling = "The quick brown fox jumps over the lazy dog. ";

}  // namespace

StampedText::StampedText(std::size_t bytes) {
  text_.reserve(bytes + kFilling.size());
  while (text_.size() < bytes) {
    text_ += kFilling;
  }
  text_.resize(bytes);
}

std::string_view StampedText::with(std::uint64_t number) noexcept {
  // The last digits first, so that short texts differ too.
  for (std::size_t i = 0; i < std::min(kDigits, text_.size()); ++i) {
    text_[i] = kHexadecimal[number & 0xFU];
    number >>= 4U;
  }
  return text_;
}

}  // namespace load
