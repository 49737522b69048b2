#include "eider/tls/detail/early_record.h"

#include <algorithm>
#include <cstring>

namespace eider::detail {

namespace {

constexpr unsigned kMomentBits = 16;
constexpr std::uint64_t kMomentMask = (std::uint64_t{1} << kMomentBits) - 1;
/// Seconds go round after these: who comes again after eighteen hours may be taken for young.
constexpr std::uint64_t kMoments = kMomentMask;

std::uint64_t word_at(EarlyRecord::Random random, std::size_t at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, random.data() + at, sizeof(word));
  return word;
}

}  // namespace

/// From 1, so that no entry is 0.
std::uint16_t EarlyRecord::moment(Instant now) const noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - start_).count();
  return static_cast<std::uint16_t>(1 + static_cast<std::uint64_t>(seconds) % kMoments);
}

bool EarlyRecord::is_old(Entry entry, std::uint16_t now) noexcept {
  constexpr std::uint64_t kSeconds =
      std::chrono::duration_cast<std::chrono::seconds>(kKept).count();
  const std::uint64_t age = (now + kMoments - (entry & kMomentMask)) % kMoments;
  return entry == 0 || age > kSeconds;
}

bool EarlyRecord::note(Random random, Instant now) {
  const std::uint16_t at = moment(now);
  const Entry mine = (word_at(random, 0) & ~kMomentMask) | at;
  const std::span<Entry> set =
      std::span(entries_).subspan(word_at(random, sizeof(Entry)) % kSets * kPerSet, kPerSet);
  const std::lock_guard noting(noting_);
  const bool is_known = std::ranges::any_of(set, [mine, at](Entry entry) {
    return !is_old(entry, at) && (entry & ~kMomentMask) == (mine & ~kMomentMask);
  });
  const auto free = std::ranges::find_if(set, [at](Entry entry) { return is_old(entry, at); });
  if (is_known || free == set.end()) {
    return false;
  }
  *free = mine;
  return true;
}

}  // namespace eider::detail
