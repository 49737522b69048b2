#include "eider/io/runtime/frame_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace eider {
namespace {

TEST(FramePool, a_released_block_is_given_out_again_for_the_same_size_class) {
  if (!kPoolsFrames) {
    GTEST_SKIP() << "the pool stands aside for AddressSanitizer";
  }
  void* first = allocate_frame(100);
  release_frame(first, 100);
  void* second = allocate_frame(65);
  EXPECT_EQ(first, second);
  release_frame(second, 65);
}

TEST(FramePool, taking_and_giving_back_for_ever_asks_the_heap_once) {
  if (!kPoolsFrames) {
    GTEST_SKIP() << "the pool stands aside for AddressSanitizer";
  }
  release_frame(allocate_frame(100), 100);
  const std::size_t before = frames_from_heap();
  for (int i = 0; i < 100'000; ++i) {
    release_frame(allocate_frame(100), 100);
  }
  EXPECT_EQ(frames_from_heap(), before);
}

TEST(FramePool, blocks_of_every_size_are_whole_and_apart) {
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (std::size_t bytes = 1; bytes <= kPooledFrameBytesMax + 200; bytes += 7) {
    auto* block = static_cast<unsigned char*>(allocate_frame(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0U);
    std::memset(block, static_cast<int>(bytes % 251), bytes);
    blocks.emplace_back(block, bytes);
  }
  for (auto [block, bytes] : blocks) {
    EXPECT_EQ(block[0], bytes % 251);
    EXPECT_EQ(block[bytes - 1], bytes % 251);
    release_frame(block, bytes);
  }
}

TEST(FramePool, the_balance_of_a_thread_is_what_it_took_minus_what_it_gave_back) {
  const std::ptrdiff_t before = frames_in_use();
  void* small = allocate_frame(10);
  void* large = allocate_frame(kPooledFrameBytesMax + 1);
  EXPECT_EQ(frames_in_use(), before + 2);
  release_frame(small, 10);
  release_frame(large, kPooledFrameBytesMax + 1);
  EXPECT_EQ(frames_in_use(), before);
}

TEST(FramePool, a_block_may_be_released_on_another_thread) {
  std::vector<void*> frames;
  for (int i = 0; i < 1000; ++i) {
    frames.push_back(allocate_frame(256));
  }
  std::ptrdiff_t balance_there = 0;
  std::thread other([&] {
    for (void* frame : frames) {
      release_frame(frame, 256);
    }
    balance_there = frames_in_use();
  });
  other.join();
  EXPECT_EQ(balance_there, -1000);
}

TEST(FramePool, a_thread_keeps_a_bounded_number_of_blocks) {
  std::thread other([] {
    std::vector<void*> frames(5000);
    for (void*& frame : frames) {
      frame = allocate_frame(4096);
    }
    for (void* frame : frames) {
      release_frame(frame, 4096);
    }
  });
  other.join();  // its kept frames were freed with it; otherwise the leak checker would report them
  SUCCEED();
}

// Released by the thread's last destructors, after the pool itself has ended.
struct LateRelease {
  void* frame = nullptr;
  ~LateRelease() {
    if (frame != nullptr) {
      release_frame(frame, 128);
    }
  }
};

TEST(FramePool, what_is_kept_can_be_given_back_to_the_heap) {
  if (!kPoolsFrames) {
    GTEST_SKIP() << "the pool stands aside for AddressSanitizer";
  }
  release_frame(allocate_frame(128), 128);
  const std::size_t before = frames_from_heap();
  release_frame(allocate_frame(128), 128);
  EXPECT_EQ(frames_from_heap(), before);
  release_kept_frames();
  release_frame(allocate_frame(128), 128);
  EXPECT_EQ(frames_from_heap(), before + 1);
  release_frame(allocate_frame(128), 128);
  EXPECT_EQ(frames_from_heap(), before + 1);
}

TEST(FramePool, a_release_after_the_thread_has_begun_to_end_is_safe) {
  std::thread other([] {
    thread_local LateRelease late;
    late.frame = allocate_frame(128);
    release_frame(allocate_frame(64), 64);
  });
  other.join();
  SUCCEED();
}

}  // namespace
}  // namespace eider
