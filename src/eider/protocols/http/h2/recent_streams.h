// What became of a client's latest streams, two bits for each.
// Must not be asked about streams that are still open.
#pragma once

#include <cstdint>

namespace eider::h2 {

class RecentStreams {
 public:
  enum class Fate : std::uint8_t {
    /// A later one was opened before it, which closed it (RFC 9113, section 5.1.1).
    never_opened,
    /// The peer has said that it sends no more on it.
    ended_by_peer,
    /// We have ended it, or it is too long ago.
    unknown,
  };

  /// The latest that was opened; 0 before the first.
  [[nodiscard]] std::int32_t last() const noexcept { return last_; }

  /// Pre: id is odd and larger than last().
  void note_opened(std::int32_t id) noexcept {
    const std::uint32_t ids = static_cast<std::uint32_t>(id) - static_cast<std::uint32_t>(last_);
    const std::uint32_t step = (ids + 1) / 2;
    // Streams that were passed over count as never opened: their bits stay zero.
    opened_ = step < kCount ? opened_ << step | 1 : 1;
    ended_ = step < kCount ? ended_ << step : 0;
    last_ = id;
  }
  void note_ended(std::int32_t id) noexcept {
    if (is_recent(id)) {
      ended_ |= bit_of(id);
    }
  }
  /// Pre: id <= last().
  [[nodiscard]] Fate fate_of(std::int32_t id) const noexcept {
    if (!is_recent(id)) {
      return Fate::unknown;
    }
    if ((opened_ & bit_of(id)) == 0) {
      return Fate::never_opened;
    }
    return (ended_ & bit_of(id)) != 0 ? Fate::ended_by_peer : Fate::unknown;
  }

 private:
  static constexpr std::uint32_t kCount = 64;

  [[nodiscard]] bool is_recent(std::int32_t id) const noexcept {
    return id % 2 == 1 && id <= last_ && static_cast<std::uint32_t>(last_ - id) / 2 < kCount;
  }
  [[nodiscard]] std::uint64_t bit_of(std::int32_t id) const noexcept {
    return std::uint64_t{1} << (static_cast<std::uint32_t>(last_ - id) / 2);
  }

  std::uint64_t opened_ = 0;  // bit 0 is the latest's
  std::uint64_t ended_ = 0;
  std::int32_t last_ = 0;
};

}  // namespace eider::h2
