// Finds the frames in a client's bytes, for what nghttp2 does not tell: each frame's head.
// Must not judge: whoever asks does, before nghttp2 has seen the frame.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace eider::h2 {

/// RFC 9113, section 4.1.
struct FrameHead {
  std::uint32_t length = 0;
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::int32_t stream = 0;
  /// Of a PRIORITY frame: what it depends on, else 0.
  std::int32_t dependency = 0;
};

class FrameScanner {
 public:
  /// bytes       read of the input
  /// head        the frame whose head ends there, if one does
  /// head_bytes  of the head and what was read with it; some may have come before this input
  struct Step {
    std::size_t bytes = 0;
    std::optional<FrameHead> head;
    std::size_t head_bytes = 0;
  };

  /// preface_bytes  that come ahead of the first frame
  explicit FrameScanner(std::size_t preface_bytes) noexcept : skip_(preface_bytes) {}

  /// Reads on, to the end of the next head or of the input.
  [[nodiscard]] Step next(std::string_view in) noexcept {
    std::size_t at = std::min(skip_, in.size());
    skip_ -= at;
    const std::size_t count = std::min(in.size() - at, kHeadBytes - std::min(kHeadBytes, filled_));
    take(in.substr(at, count));
    at += count;
    const std::size_t more = std::min(in.size() - at, wanted() - filled_);
    take(in.substr(at, more));
    at += more;
    if (filled_ < wanted()) {
      return {.bytes = at, .head = std::nullopt};
    }
    const FrameHead head = parse();
    const std::size_t head_bytes = std::exchange(filled_, 0);
    skip_ = head.length - (head_bytes - kHeadBytes);
    return {.bytes = at, .head = head, .head_bytes = head_bytes};
  }

  /// Some of the frame whose head was read last is still to come.
  [[nodiscard]] bool is_within_frame() const noexcept { return skip_ != 0; }

 private:
  static constexpr std::size_t kHeadBytes = 9;
  static constexpr std::size_t kDependencyBytes = 4;
  static constexpr std::uint8_t kPriority = 2;

  void take(std::string_view bytes) noexcept {
    std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(filled_));
    filled_ += bytes.size();
  }
  [[nodiscard]] std::uint32_t byte(std::size_t index) const noexcept {
    return static_cast<unsigned char>(bytes_[index]);
  }
  [[nodiscard]] std::uint32_t length() const noexcept {
    return byte(0) << 16 | byte(1) << 8 | byte(2);
  }
  [[nodiscard]] std::int32_t id(std::size_t at) const noexcept {
    const std::uint32_t word =
        byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3);
    return static_cast<std::int32_t>(word & 0x7FFFFFFF);
  }
  /// Pre: the head is there, or less.
  [[nodiscard]] std::size_t wanted() const noexcept {
    const bool is_priority =
        filled_ >= kHeadBytes && byte(3) == kPriority && length() >= kDependencyBytes;
    return is_priority ? kHeadBytes + kDependencyBytes : kHeadBytes;
  }
  [[nodiscard]] FrameHead parse() const noexcept {
    return {.length = length(),
            .type = static_cast<std::uint8_t>(byte(3)),
            .flags = static_cast<std::uint8_t>(byte(4)),
            .stream = id(5),
            .dependency = filled_ > kHeadBytes ? id(kHeadBytes) : 0};
  }

  std::array<char, kHeadBytes + kDependencyBytes> bytes_{};
  std::size_t filled_ = 0;
  std::size_t skip_;
};

}  // namespace eider::h2
