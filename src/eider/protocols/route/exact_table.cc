#include "eider/protocols/route/exact_table.h"

#include <bit>

namespace eider::route {
namespace {

std::uint32_t short_hash(std::string_view path) noexcept {
  return static_cast<std::uint32_t>(hash_bytes(path) >> 32U);
}

}  // namespace

void ExactTable::add(std::string_view path, Leaf leaf) {
  entries_.push_back(
      {static_cast<std::uint32_t>(texts_.size()), static_cast<std::uint32_t>(path.size()), leaf});
  texts_.append(path);
  sizes_ |= size_bit(path.size());
}

void ExactTable::freeze() {
  if (entries_.size() <= kComparedMax) {
    return;
  }
  // At most half full, so that a probe nearly always ends at its first slot.
  slots_.resize(std::bit_ceil(entries_.size() * 2));
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    const std::uint32_t hash = short_hash({texts_.data() + entries_[i].text, entries_[i].size});
    std::size_t at = hash & mask;
    while (slots_[at].entry != kNoEntry) {
      at = (at + 1) & mask;
    }
    slots_[at] = {hash, i};
  }
}

const Leaf* ExactTable::probe(std::string_view path) const noexcept {
  const std::uint32_t hash = short_hash(path);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].entry != kNoEntry; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && matches(entries_[slots_[at].entry], path)) {
      return &entries_[slots_[at].entry].leaf;
    }
  }
  return nullptr;
}

}  // namespace eider::route
