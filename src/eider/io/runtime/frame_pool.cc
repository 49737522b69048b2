#include "eider/io/runtime/frame_pool.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace eider {
namespace {

constexpr std::size_t kClassBytes = 64;
constexpr std::size_t kClassCount = kPooledFrameBytesMax / kClassBytes;
// A thread on which many tasks end, but few start, must not collect blocks without limit.
constexpr std::size_t kKeptBytesMax = std::size_t{2} << 20U;

struct FreeBlock {
  FreeBlock* next;
};

struct FreeList {
  FreeBlock* first = nullptr;
  std::uint32_t room = 0;  // how many more blocks it accepts; 0 until the thread's end is watched
};

enum class Phase : std::uint8_t { unused, in_use, ended };

// Trivial type, so that access needs no guard; `ThreadEnd` does the work of a destructor.
struct Lists {
  std::array<FreeList, kClassCount> by_class{};
  std::ptrdiff_t frames_in_use = 0;
  std::size_t frames_from_heap = 0;
  Phase phase = Phase::unused;
};

constinit thread_local Lists lists;

void free_blocks(FreeList& list) noexcept {
  while (list.first != nullptr) {
    FreeBlock* block = list.first;
    list.first = block->next;
    ++list.room;
    std::free(block);
  }
}

struct ThreadEnd {
  ThreadEnd() noexcept {
    for (std::size_t i = 0; i < kClassCount; ++i) {
      const std::size_t block_bytes = (i + 1) * kClassBytes;
      lists.by_class[i].room = static_cast<std::uint32_t>(kKeptBytesMax / block_bytes);
    }
    lists.phase = Phase::in_use;
  }
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;
  ~ThreadEnd() {
    // Destructors that run later on this thread may still release frames: those go to the heap.
    lists.phase = Phase::ended;
    for (FreeList& list : lists.by_class) {
      free_blocks(list);
      list.room = 0;
    }
  }
};

void watch_thread_end() noexcept {
  thread_local const ThreadEnd end;
}

constexpr std::size_t class_of(std::size_t bytes) noexcept {
  return (bytes - 1) / kClassBytes;
}

constexpr bool is_pooled(std::size_t bytes) noexcept {
  return kPoolsFrames && bytes <= kPooledFrameBytesMax;
}

void* allocate_from_heap(std::size_t bytes) {
  void* block = std::malloc(bytes);
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  ++lists.frames_in_use;
  ++lists.frames_from_heap;
  return block;
}

void keep(FreeList& list, void* frame) noexcept {
  list.first = new (frame) FreeBlock{list.first};
  --list.room;
}

}  // namespace

void* allocate_frame(std::size_t bytes) {
  if (!is_pooled(bytes)) [[unlikely]] {
    return allocate_from_heap(bytes);
  }
  FreeList& list = lists.by_class[class_of(bytes)];
  FreeBlock* block = list.first;
  if (block == nullptr) [[unlikely]] {
    // The block has the full size of its class, because a later frame in it may be larger.
    return allocate_from_heap((class_of(bytes) + 1) * kClassBytes);
  }
  list.first = block->next;
  ++list.room;
  ++lists.frames_in_use;
  return block;
}

void release_frame(void* frame, std::size_t bytes) noexcept {
  --lists.frames_in_use;
  if (!is_pooled(bytes)) [[unlikely]] {
    std::free(frame);
    return;
  }
  FreeList& list = lists.by_class[class_of(bytes)];
  if (list.room == 0) [[unlikely]] {
    if (lists.phase == Phase::unused) {
      watch_thread_end();
    }
    if (list.room == 0) {
      std::free(frame);
      return;
    }
  }
  keep(list, frame);
}

void release_kept_frames() noexcept {
  for (FreeList& list : lists.by_class) {
    free_blocks(list);
  }
}

std::ptrdiff_t frames_in_use() noexcept {
  return lists.frames_in_use;
}

std::size_t frames_from_heap() noexcept {
  return lists.frames_from_heap;
}

}  // namespace eider
