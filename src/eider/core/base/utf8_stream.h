// Checks whether a stream of bytes is valid UTF-8 (RFC 3629), piece by piece.
// Layering: must not keep the text.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider {

/// The state between two pieces: three bytes.
class Utf8Stream {
 public:
  /// Goes on with the next piece, cut anywhere.
  ///
  /// returns  false when a byte of it, after all before, cannot be UTF-8; the same from then on
  /// cost     one pass; ASCII is passed over 32 bytes at a time
  /// source   RFC 3629, section 4
  [[nodiscard]] bool take(std::string_view piece) noexcept;

  /// The text may end here: nothing was wrong and no sequence is cut.
  [[nodiscard]] bool is_whole() const noexcept { return left_ == 0; }
  void restart() noexcept { *this = Utf8Stream(); }

 private:
  void begin_sequence(unsigned char first) noexcept;
  void continue_sequence(unsigned char byte) noexcept;
  [[nodiscard]] std::string_view finish_sequence(std::string_view piece) noexcept;

  static constexpr std::uint8_t kFailed = 0xFF;
  /// Bytes of the sequence under way that have not come.
  std::uint8_t left_ = 0;
  /// What the next of them must be between.
  std::uint8_t next_min_ = 0x80;
  std::uint8_t next_max_ = 0xBF;
};

}  // namespace eider
