#include "eider/core/base/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace eider {
namespace {

TEST(Arena, owns_no_memory_before_its_first_use) {
  EXPECT_EQ(Arena().capacity(), 0u);
}

TEST(Arena, hands_out_memory_that_does_not_overlap) {
  Arena arena;
  std::vector<std::string_view> copies;
  for (std::size_t size = 0; size < 500; ++size) {
    copies.push_back(arena.copy(std::string(size, static_cast<char>('a' + size % 26))));
  }
  for (std::size_t size = 0; size < 500; ++size) {
    EXPECT_EQ(copies[size], std::string(size, static_cast<char>('a' + size % 26)));
  }
}

TEST(Arena, keeps_every_alignment) {
  Arena arena;
  for (const std::size_t alignment : {1u, 2u, 4u, 8u, 16u}) {
    static_cast<void>(arena.allocate(1, 1));
    const auto at = reinterpret_cast<std::uintptr_t>(arena.allocate(3, alignment));
    EXPECT_EQ(at % alignment, 0u);
  }
}

TEST(Arena, holds_more_than_a_block_at_once) {
  Arena arena;
  const std::string text(100'000, 'x');
  const std::string_view small = arena.copy("small");
  EXPECT_EQ(arena.copy(text), text);
  EXPECT_EQ(small, "small");
}

TEST(Arena, makes_values_and_arrays) {
  struct Point {
    int x;
    int y;
  };
  Arena arena;
  EXPECT_EQ(arena.make<Point>(1, 2).y, 2);
  for (const int value : arena.make_array<int>(1000)) {
    EXPECT_EQ(value, 0);
  }
  EXPECT_TRUE(arena.make_array<int>(0).empty());
}

TEST(Arena, refuses_an_array_whose_size_does_not_fit) {
  Arena arena;
  EXPECT_THROW(static_cast<void>(arena.make_array<std::uint64_t>(SIZE_MAX / 4)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(arena.allocate(SIZE_MAX - 8)), std::bad_alloc);
}

TEST(Arena, uses_the_same_memory_again_after_a_reset) {
  Arena arena;
  static_cast<void>(arena.copy(std::string(5000, 'x')));
  static_cast<void>(arena.copy(std::string(5000, 'x')));
  arena.reset();
  const std::size_t capacity = arena.capacity();
  for (int count = 0; count < 1000; ++count) {
    static_cast<void>(arena.copy(std::string(4000, 'y')));
    arena.reset();
  }
  EXPECT_EQ(arena.capacity(), capacity);
}

TEST(Arena, gives_everything_back_on_release) {
  Arena arena;
  static_cast<void>(arena.copy("text"));
  arena.release();
  EXPECT_EQ(arena.capacity(), 0u);
  EXPECT_EQ(arena.copy("again"), "again");
}

TEST(Arena, moves_with_what_it_holds) {
  Arena first;
  const std::string_view text = first.copy("text");
  Arena second(std::move(first));
  EXPECT_EQ(text, "text");
  EXPECT_GT(second.capacity(), 0u);
}

}  // namespace
}  // namespace eider
