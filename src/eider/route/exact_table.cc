#include "eider/route/exact_table.h"

#include <bit>

namespace eider::route {
namespace {

std::uint32_t short_hash(std::string_view path) noexcept {
  return static_cast<std::uint32_t>(hash_bytes(path) >> 32U);
}

}  // namespace

void ExactTable::add(std::string_view path, Leaf leaf) {
  entries_.push_back({short_hash(path), static_cast<std::uint32_t>(texts_.size()),
                      static_cast<std::uint32_t>(path.size()), leaf});
  texts_.append(path);
  sizes_ |= size_bit(path.size());
}

void ExactTable::freeze() {
  if (entries_.size() <= kComparedMax) {
    return;
  }
  // At most half full, so that a probe nearly always ends at its first slot.
  std::vector<Entry> table(std::bit_ceil(entries_.size() * 2));
  mask_ = static_cast<std::uint32_t>(table.size() - 1);
  for (const Entry& entry : entries_) {
    std::uint32_t slot = entry.hash & mask_;
    while (table[slot].size != 0) {
      slot = (slot + 1) & mask_;
    }
    table[slot] = entry;
  }
  entries_ = std::move(table);
}

const Leaf* ExactTable::probe(std::string_view path) const noexcept {
  const std::uint32_t hash = short_hash(path);
  for (std::uint32_t slot = hash & mask_; entries_[slot].size != 0; slot = (slot + 1) & mask_) {
    if (entries_[slot].hash == hash && matches(entries_[slot], path)) {
      return &entries_[slot].leaf;
    }
  }
  return nullptr;
}

}  // namespace eider::route
