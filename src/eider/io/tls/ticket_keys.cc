#include "eider/io/tls/ticket_keys.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <bit>
#include <type_traits>

namespace eider::detail::tls {

namespace {

/// A TicketKey as words, which is also wiped.
struct KeyWords {
  KeyWords() = default;
  KeyWords(const KeyWords&) = delete;
  KeyWords& operator=(const KeyWords&) = delete;
  ~KeyWords() { OPENSSL_cleanse(words.data(), sizeof(words)); }

  std::array<std::uint64_t, sizeof(TicketKey) / sizeof(std::uint64_t)> words{};
};

bool fill_with_randomness(TicketKey& key) noexcept {
  return RAND_bytes(key.name.data(), static_cast<int>(key.name.size())) == 1 &&
         RAND_priv_bytes(key.cipher.data(), static_cast<int>(key.cipher.size())) == 1 &&
         RAND_priv_bytes(key.mac.data(), static_cast<int>(key.mac.size())) == 1;
}

}  // namespace

TicketKey::~TicketKey() {
  OPENSSL_cleanse(cipher.data(), cipher.size());
  OPENSSL_cleanse(mac.data(), mac.size());
}

TicketKeys::~TicketKeys() {
  // Wipe the keys, because freed memory may be read later.
  for (Slot& slot : slots_) {
    slot.write(0, TicketKey{});
  }
}

std::uint64_t TicketKeys::Slot::turn() const noexcept {
  return turn_.load(std::memory_order_acquire);
}

TicketKey TicketKeys::Slot::read(std::uint64_t& turn) const noexcept {
  KeyWords copy;
  std::uint64_t before = 0;
  do {
    before = changes_.load(std::memory_order_acquire);
    turn = turn_.load(std::memory_order_acquire);
    // Acquire: a thread that sees a new word also sees that its writer has started.
    for (std::size_t index = 0; index < kWords; ++index) {
      copy.words[index] = words_[index].load(std::memory_order_acquire);
    }
  } while (before % 2 != 0 || changes_.load(std::memory_order_relaxed) != before);
  TicketKey key;
  static_assert(sizeof(key) == sizeof(copy.words));
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(copy.words.data());
  std::copy_n(bytes, key.name.size(), key.name.data());
  std::copy_n(bytes + key.name.size(), key.cipher.size(), key.cipher.data());
  std::copy_n(bytes + key.name.size() + key.cipher.size(), key.mac.size(), key.mac.data());
  return key;
}

void TicketKeys::Slot::write(std::uint64_t turn, const TicketKey& key) noexcept {
  KeyWords copy;
  auto* bytes = reinterpret_cast<std::uint8_t*>(copy.words.data());
  bytes = std::ranges::copy(key.name, bytes).out;
  bytes = std::ranges::copy(key.cipher, bytes).out;
  std::ranges::copy(key.mac, bytes);
  // The count is odd while the words change, so a reader that sees a new word reads again.
  changes_.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t index = 0; index < kWords; ++index) {
    words_[index].store(copy.words[index], std::memory_order_release);
  }
  turn_.store(turn, std::memory_order_release);
  changes_.fetch_add(1, std::memory_order_release);
}

std::uint64_t TicketKeys::turn_at(Instant now) const noexcept {
  return now <= start_ ? 1 : 1 + static_cast<std::uint64_t>((now - start_) / kTurn);
}

/// Creates the key of `turn` if it does not exist, and removes keys that are too old.
bool TicketKeys::make_ready(std::uint64_t turn) noexcept {
  // Usually the key exists, and no lock is needed.
  Slot& mine = slots_[turn % kKept];
  if (mine.turn() >= turn) {
    return true;
  }
  const std::lock_guard turning(turning_);
  // Another thread may have created it meanwhile.
  if (mine.turn() >= turn) {
    return true;
  }
  TicketKey key;
  if (!fill_with_randomness(key)) {
    return false;
  }
  // Store the new key before old ones are removed, so that tickets can always be created.
  mine.write(turn, key);
  for (Slot& slot : slots_) {
    if (slot.turn() != 0 && slot.turn() + kKept <= turn) {
      slot.write(0, TicketKey{});
    }
  }
  return true;
}

std::optional<TicketKey> TicketKeys::newest(Instant now) noexcept {
  const std::uint64_t turn = turn_at(now);
  if (!make_ready(turn)) {
    return std::nullopt;
  }
  std::uint64_t its_turn = 0;
  return slots_[turn % kKept].read(its_turn);
}

std::optional<TicketKeys::Found> TicketKeys::find(
    std::span<const std::uint8_t, TicketKey::kNameBytes> name, Instant now) noexcept {
  const std::uint64_t newest = turn_at(now);
  static_cast<void>(make_ready(newest));
  for (const Slot& slot : slots_) {
    std::uint64_t turn = 0;
    const TicketKey key = slot.read(turn);
    // A key that is too old is not used, even if it was not wiped yet.
    if (turn != 0 && turn + kKept > newest && std::ranges::equal(key.name, name)) {
      return Found{.key = key, .is_newest = turn >= newest};
    }
  }
  return std::nullopt;
}

}  // namespace eider::detail::tls
