#include "eider/core/base/intrusive_list.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace eider {
namespace {

struct Number : ListNode {
  explicit Number(int number) : value(number) {}
  int value;
};

std::vector<int> drained(IntrusiveList<Number>& list) {
  std::vector<int> values;
  while (Number* number = list.pop_front()) {
    values.push_back(number->value);
  }
  return values;
}

TEST(IntrusiveList, gives_members_back_in_the_order_of_joining) {
  IntrusiveList<Number> list;
  Number one(1);
  Number two(2);
  Number three(3);
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.front(), nullptr);
  list.push_back(one);
  list.push_back(two);
  list.push_back(three);
  EXPECT_EQ(list.front(), &one);
  EXPECT_EQ(drained(list), (std::vector{1, 2, 3}));
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.pop_front(), nullptr);
}

TEST(IntrusiveList, a_member_leaves_from_anywhere_when_it_is_destroyed) {
  for (int victim = 0; victim < 3; ++victim) {
    IntrusiveList<Number> list;
    std::vector<std::unique_ptr<Number>> numbers;
    std::vector<int> expected;
    for (int i = 0; i < 3; ++i) {
      numbers.push_back(std::make_unique<Number>(i));
      list.push_back(*numbers.back());
      if (i != victim) {
        expected.push_back(i);
      }
    }
    numbers[static_cast<std::size_t>(victim)].reset();
    EXPECT_EQ(drained(list), expected);
  }
}

TEST(IntrusiveList, members_outlive_the_list) {
  Number one(1);
  Number two(2);
  {
    IntrusiveList<Number> list;
    list.push_back(one);
    list.push_back(two);
    EXPECT_TRUE(one.is_linked());
  }
  EXPECT_FALSE(one.is_linked());
  EXPECT_FALSE(two.is_linked());
}

TEST(IntrusiveList, leaving_twice_is_leaving_once) {
  IntrusiveList<Number> list;
  Number one(1);
  list.push_back(one);
  one.unlink();
  one.unlink();
  EXPECT_TRUE(list.empty());
  list.push_back(one);
  EXPECT_FALSE(list.empty());
}

TEST(IntrusiveList, takes_the_members_of_another_list_behind_its_own) {
  Number one(1);
  Number two(2);
  Number three(3);
  IntrusiveList<Number> list;
  IntrusiveList<Number> other;
  list.push_back(one);
  other.push_back(two);
  other.push_back(three);
  list.take(other);
  EXPECT_TRUE(other.empty());
  EXPECT_EQ(drained(list), (std::vector{1, 2, 3}));
}

}  // namespace
}  // namespace eider
