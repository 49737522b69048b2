// Finds frame headers in a client's bytes, for data that nghttp2 does not report.
// Layering: must not judge: its caller does, before nghttp2 sees the frame.
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
  /// The dependency of a PRIORITY frame, else 0.
  std::int32_t dependency = 0;
};

class FrameScanner {
 public:
  /// bytes       consumed from the input
  /// head        the frame whose header is complete, if any
  /// head_bytes  the size of the header and of the data read with it; some may be from earlier
  ///             input
  struct Step {
    std::size_t bytes = 0;
    std::optional<FrameHead> head;
    std::size_t head_bytes = 0;
  };

  /// preface_bytes  the number of bytes before the first frame
  explicit FrameScanner(std::size_t preface_bytes) noexcept : skip_(preface_bytes) {}

  /// Reads up to the end of the next frame header or of the input.
  [[nodiscard]] Step next(std::string_view in) noexcept {
    std::size_t at = std::min(skip_, in.size());
    skip_ -= at;
    if (filled_ == 0 && in.size() - at >= bytes_.size()) [[likely]] {
      return whole(in.data() + at, at);
    }
    const std::size_t count = std::min(in.size() - at, kHeadBytes - std::min(kHeadBytes, filled_));
    take(in.substr(at, count));
    at += count;
    const std::size_t more = std::min(in.size() - at, wanted() - filled_);
    // The dependency of a PRIORITY frame is read with its header, so wanted() may have grown.
    take(in.substr(at, more));
    at += more;
    if (filled_ < wanted()) {
      return {.bytes = at, .head = std::nullopt};
    }
    return step(bytes_.data(), std::exchange(filled_, 0), at);
  }

  /// Returns whether part of the current frame, or of the preface, has not arrived.
  [[nodiscard]] bool is_within_frame() const noexcept { return skip_ != 0; }
  /// Returns whether part of a frame header has arrived.
  [[nodiscard]] bool is_within_frame_head() const noexcept { return filled_ != 0; }
  [[nodiscard]] std::size_t missing_bytes() const noexcept { return skip_; }
  /// Returns the number of frames that have started.
  [[nodiscard]] std::uint64_t begun() const noexcept { return read_ + (filled_ != 0 ? 1 : 0); }

 private:
  static constexpr std::size_t kHeadBytes = 9;
  static constexpr std::size_t kDependencyBytes = 4;
  static constexpr std::uint8_t kPriority = 2;

  void take(std::string_view bytes) noexcept {
    std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(filled_));
    filled_ += bytes.size();
  }
  static std::uint32_t byte(const char* at) noexcept { return static_cast<unsigned char>(*at); }
  static std::uint32_t length(const char* head) noexcept {
    return byte(head) << 16 | byte(head + 1) << 8 | byte(head + 2);
  }
  static std::int32_t id(const char* at) noexcept {
    const std::uint32_t word =
        byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3);
    return static_cast<std::int32_t>(word & 0x7FFFFFFF);
  }
  /// Returns the size of a header, including the data that is read with it.
  static std::size_t wanted(const char* head) noexcept {
    const bool is_priority = byte(head + 3) == kPriority && length(head) >= kDependencyBytes;
    return is_priority ? kHeadBytes + kDependencyBytes : kHeadBytes;
  }
  /// Pre: the whole header is there, or less.
  [[nodiscard]] std::size_t wanted() const noexcept {
    return filled_ >= kHeadBytes ? wanted(bytes_.data()) : kHeadBytes;
  }
  /// Returns the next header if all of it is in the input. Pre: no header is incomplete.
  [[nodiscard]] Step whole(const char* head, std::size_t at) noexcept {
    const std::size_t head_bytes = wanted(head);
    return step(head, head_bytes, at + head_bytes);
  }
  [[nodiscard]] Step step(const char* head, std::size_t head_bytes, std::size_t at) noexcept {
    const FrameHead read{.length = length(head),
                         .type = static_cast<std::uint8_t>(byte(head + 3)),
                         .flags = static_cast<std::uint8_t>(byte(head + 4)),
                         .stream = id(head + 5),
                         .dependency = head_bytes > kHeadBytes ? id(head + kHeadBytes) : 0};
    skip_ = read.length - (head_bytes - kHeadBytes);
    ++read_;
    return {.bytes = at, .head = read, .head_bytes = head_bytes};
  }

  std::array<char, kHeadBytes + kDependencyBytes> bytes_{};
  std::size_t filled_ = 0;
  std::size_t skip_;
  std::uint64_t read_ = 0;  // the number of complete frame headers
};

}  // namespace eider::h2
