#include "eider/core/base/slots.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/core/base/poison.h"

namespace eider {
namespace {

struct Named {
  std::string name;
};

/// Notes its end.
class Noting {
 public:
  Noting(std::vector<int>& ends, int number) : ends_(&ends), number_(number) {}
  Noting(Noting&& other) noexcept
      : ends_(std::exchange(other.ends_, nullptr)), number_(other.number_) {}
  Noting& operator=(Noting&&) = delete;
  ~Noting() {
    if (ends_ != nullptr) {
      ends_->push_back(number_);
    }
  }

 private:
  std::vector<int>* ends_;
  int number_;
};

TEST(Slots, find_what_was_put_by_its_type) {
  Slots slots;
  EXPECT_EQ(slots.find<Named>(), nullptr);
  Named& put = slots.put(Named{"a name that does not fit into the string itself"});
  slots.put(7);
  EXPECT_EQ(slots.find<Named>(), &put);
  EXPECT_EQ(put.name, "a name that does not fit into the string itself");
  EXPECT_EQ(*slots.find<int>(), 7);
  EXPECT_EQ(slots.find<long>(), nullptr);
  EXPECT_TRUE(slots.contains(&detail::base::kTypeKey<int>));
  EXPECT_FALSE(slots.contains(&detail::base::kTypeKey<long>));
}

TEST(Slots, find_the_newer_of_two_and_keep_the_older) {
  Slots slots;
  const Named& older = slots.put(Named{"older"});
  slots.put(Named{"newer"});
  EXPECT_EQ(slots.find<Named>()->name, "newer");
  EXPECT_EQ(older.name, "older");
}

TEST(Slots, destroy_the_newest_first) {
  std::vector<int> ends;
  Slots slots;
  for (int number = 0; number < 3; ++number) {
    slots.put(Noting(ends, number));
  }
  EXPECT_TRUE(ends.empty());
  slots.clear(0);
  EXPECT_EQ(ends, (std::vector{2, 1, 0}));
  EXPECT_FALSE(slots.are_used());
  EXPECT_EQ(slots.arena().capacity(), 0U);
}

TEST(Slots, stay_where_they_are_when_they_move) {
  std::vector<int> ends;
  Slots slots;
  const Noting& put = slots.put(Noting(ends, 1));
  Slots other(std::move(slots));
  EXPECT_FALSE(slots.are_used());
  EXPECT_EQ(other.find<Noting>(), &put);
  slots.clear(0);
  EXPECT_TRUE(ends.empty());
}

TEST(Slots, own_no_memory_before_their_first_use) {
  Slots slots;
  EXPECT_FALSE(slots.are_used());
  EXPECT_EQ(slots.arena().capacity(), 0U);
}

TEST(Slots, use_their_memory_again) {
  Slots slots;
  slots.put(Named{"one"});
  const std::size_t capacity = slots.arena().capacity();
  for (int round = 0; round < 100; ++round) {
    slots.clear(capacity);
    EXPECT_FALSE(slots.are_used());
    slots.put(Named{"another"});
  }
  EXPECT_EQ(slots.arena().capacity(), capacity);
}

TEST(Slots, let_a_sanitizer_see_what_is_kept_too_long) {
  Slots slots;
  const std::string_view text = slots.arena().copy("viewed");
  const int& number = slots.put(7);
  EXPECT_FALSE(detail::base::is_poisoned(text.data()));
  slots.clear(16384);
  EXPECT_EQ(detail::base::is_poisoned(text.data()), detail::base::kSeesPoison);
  EXPECT_EQ(detail::base::is_poisoned(&number), detail::base::kSeesPoison);
}

}  // namespace
}  // namespace eider
