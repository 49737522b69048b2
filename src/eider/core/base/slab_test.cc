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

}  // namespace
}  // namespace eider
