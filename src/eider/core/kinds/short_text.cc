#include "eider/core/kinds/short_text.h"

#include <charconv>

namespace eider {

ShortText& ShortText::add_digits(std::uint64_t number, std::size_t count) noexcept {
  ensure(size_ + count <= kBytesMax, "a short text is short");
  size_ += count;
  for (std::size_t i = 1; i <= count; ++i) {
    bytes_[size_ - i] = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  return *this;
}

ShortText& ShortText::add_number(std::uint64_t number) noexcept {
  const auto end = std::to_chars(bytes_ + size_, bytes_ + kBytesMax, number);
  ensure(end.ec == std::errc(), "a short text is short");
  size_ = static_cast<std::size_t>(end.ptr - bytes_);
  return *this;
}

}  // namespace eider
