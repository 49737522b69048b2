#include "eider/core/base/arena.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace eider {

namespace {
// Large enough for a usual request's head and headers, so that most requests need one block.
constexpr std::size_t kSmallestBlockBytes = 2048;
constexpr std::size_t kLargestBytes = std::size_t{1} << 62;
}  // namespace

struct alignas(std::max_align_t) Arena::Block {
  Block* older;
  std::size_t bytes;

  static void check() { static_assert(sizeof(Block) == kBlockHeaderBytes); }
};

Arena::~Arena() {
  release();
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) {
    return {};
  }
  char* memory = static_cast<char*>(allocate(text.size(), 1));
  std::memcpy(memory, text.data(), text.size());
  return {memory, text.size()};
}

void* Arena::allocate_in_new_block(std::size_t bytes) {
  if (bytes > kLargestBytes) {
    throw std::bad_alloc();
  }
  const std::size_t capacity = std::max({kSmallestBlockBytes, end_ * 2, sizeof(Block) + bytes});
  auto* block = static_cast<Block*>(std::malloc(capacity));
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  block->older = reinterpret_cast<Block*>(memory_);
  block->bytes = capacity;
  memory_ = reinterpret_cast<char*>(block);
  end_ = capacity;
  at_ = sizeof(Block) + bytes;
  detail::base::poison(memory_ + at_, end_ - at_);
  return memory_ + sizeof(Block);
}

void Arena::free_blocks(Block* newest) noexcept {
  while (newest != nullptr) {
    Block* older = newest->older;
    detail::base::unpoison(newest, newest->bytes);  // the memory belongs to the heap again
    std::free(newest);
    newest = older;
  }
}

void Arena::reset() noexcept {
  if (memory_ == nullptr) {
    return;
  }
  auto* newest = reinterpret_cast<Block*>(memory_);
  free_blocks(std::exchange(newest->older, nullptr));
  at_ = sizeof(Block);
  detail::base::poison(memory_ + at_, end_ - at_);
}

void Arena::release() noexcept {
  free_blocks(reinterpret_cast<Block*>(memory_));
  memory_ = nullptr;
  at_ = 0;
  end_ = 0;
}

std::size_t Arena::capacity() const noexcept {
  std::size_t bytes = 0;
  for (auto* block = reinterpret_cast<const Block*>(memory_); block != nullptr;
       block = block->older) {
    bytes += block->bytes;
  }
  return bytes;
}

}  // namespace eider
