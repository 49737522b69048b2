// Checks whether a stream of bytes is valid UTF-8 (RFC 3629), piece by piece.
// Layering: must not keep the text.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider {

/// The state between two pieces: three bytes.
class Utf8Stream {
 public:
  /// Checks the next piece. A piece may be cut anywhere.
  ///
  /// returns  false if the text so far cannot be valid UTF-8, and for each later piece
  /// cost     one pass; ASCII is checked 32 bytes at a time
  /// source   RFC 3629, section 4
  [[nodiscard]] bool take(std::string_view piece) noexcept;

  /// Returns whether the text may end here: it is valid and no sequence is incomplete.
  [[nodiscard]] bool is_whole() const noexcept { return left_ == 0; }
  void restart() noexcept { *this = Utf8Stream(); }

 private:
  void begin_sequence(unsigned char first) noexcept;
  void continue_sequence(unsigned char byte) noexcept;
  [[nodiscard]] std::string_view finish_sequence(std::string_view piece) noexcept;

  static constexpr std::uint8_t kFailed = 0xFF;
  /// The number of missing bytes of the current sequence.
  std::uint8_t left_ = 0;
  /// The range of the next byte.
  std::uint8_t next_min_ = 0x80;
  std::uint8_t next_max_ = 0xBF;
};

}  // namespace eider
