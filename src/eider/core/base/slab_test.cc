#include "eider/core/base/slab.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace eider {
namespace {

struct Counted {
  explicit Counted(int& alive_count, std::string its_name = "")
      : alive(alive_count), name(std::move(its_name)) {
    ++alive;
  }
  ~Counted() { --alive; }
  int& alive;
  std::string name;
};

TEST(Slab, makes_and_destroys_objects) {
  int alive = 0;
  Slab<Counted> slab;
  Counted& first = slab.make(alive, "first");
  Counted& second = slab.make(alive, "second");
  EXPECT_EQ(alive, 2);
  EXPECT_EQ(slab.in_use(), 2U);
  EXPECT_EQ(first.name, "first");
  slab.destroy(first);
  slab.destroy(second);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(slab.in_use(), 0U);
}

TEST(Slab, gives_every_object_a_place_of_its_own) {
  Slab<std::uint64_t> slab;
  std::set<std::uint64_t*> places;
  for (std::uint64_t value = 0; value < 10000; ++value) {
    std::uint64_t& made = slab.make(value);
    EXPECT_TRUE(places.insert(&made).second);
  }
  std::uint64_t sum = 0;
  for (std::uint64_t* place : places) {
    sum += *place;
    slab.destroy(*place);
  }
  EXPECT_EQ(sum, 10000U * 9999U / 2);
}

TEST(Slab, uses_the_place_most_lately_left_again) {
  Slab<int> slab;
  int& first = slab.make(1);
  int& second = slab.make(2);
  int* const place = &first;
  slab.destroy(first);
  int& third = slab.make(3);
  EXPECT_EQ(&third, place);
  slab.destroy(second);
  slab.destroy(third);
}

TEST(Slab, a_constructor_that_throws_leaves_its_place_free) {
  struct Thrower {
    Thrower() { throw std::runtime_error("no"); }
  };
  Slab<Thrower> slab;
  for (int round = 0; round < 3; ++round) {
    EXPECT_THROW((void)slab.make(), std::runtime_error);
    EXPECT_EQ(slab.in_use(), 0U);
  }
}

TEST(Slab, keeps_the_alignment_of_its_objects) {
  struct alignas(64) Line {
    char byte = 0;
  };
  Slab<Line> slab;
  std::vector<Line*> lines;
  for (int count = 0; count < 300; ++count) {
    lines.push_back(&slab.make());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(lines.back()) % 64, 0U);
  }
  for (Line* line : lines) {
    slab.destroy(*line);
  }
}

// Otherwise a server that once had many clients would keep their memory forever.
TEST(Slab, gives_back_the_blocks_of_objects_that_are_gone) {
  Slab<std::uint64_t> slab;
  std::vector<std::uint64_t*> made;
  for (std::uint64_t value = 0; value < 100'000; ++value) {
    made.push_back(&slab.make(value));
  }
  const std::size_t most = slab.blocks();
  EXPECT_GE(most, 10U);
  // From both ends, because connections end in any order.
  for (std::size_t index = 0; index < made.size() / 2; ++index) {
    slab.destroy(*made[index]);
    slab.destroy(*made[made.size() - 1 - index]);
  }
  EXPECT_EQ(slab.blocks(), 1U) << "one is kept";
}

TEST(Slab, gives_back_half_when_half_are_gone) {
  Slab<std::uint64_t> slab;
  std::vector<std::uint64_t*> made;
  for (std::uint64_t value = 0; value < 100'000; ++value) {
    made.push_back(&slab.make(value));
  }
  const std::size_t most = slab.blocks();
  for (std::size_t index = 0; index < made.size() / 2; ++index) {
    slab.destroy(*made[index]);
  }
  EXPECT_LE(slab.blocks(), most * 5 / 8);
  for (std::size_t index = made.size() / 2; index < made.size(); ++index) {
    EXPECT_EQ(*made[index], index) << "what stays is untouched";
    slab.destroy(*made[index]);
  }
}

TEST(Slab, does_not_return_to_the_heap_for_each_object_at_the_edge_of_a_block) {
  Slab<std::uint64_t> slab;
  std::vector<std::uint64_t*> made;
  while (slab.blocks() < 2) {
    made.push_back(&slab.make(0U));
  }
  for (int round = 0; round < 100; ++round) {
    slab.destroy(*made.back());
    EXPECT_EQ(slab.blocks(), 2U);
    made.back() = &slab.make(0U);
    EXPECT_EQ(slab.blocks(), 2U);
  }
  for (std::uint64_t* object : made) {
    slab.destroy(*object);
  }
}

}  // namespace
}  // namespace eider
