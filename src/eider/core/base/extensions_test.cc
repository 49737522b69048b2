#include "eider/core/base/extensions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/core/base/poison.h"

namespace eider {
namespace {

struct Named {
  std::string name;
};

/// Records its destruction.
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

TEST(Extensions, find_what_was_put_by_its_type) {
  Extensions extensions;
  EXPECT_EQ(extensions.find<Named>(), nullptr);
  Named& put = extensions.put(Named{"a name that does not fit into the string itself"});
  extensions.put(7);
  EXPECT_EQ(extensions.find<Named>(), &put);
  EXPECT_EQ(put.name, "a name that does not fit into the string itself");
  EXPECT_EQ(*extensions.find<int>(), 7);
  EXPECT_EQ(extensions.find<long>(), nullptr);
  EXPECT_TRUE(extensions.contains(&detail::base::kTypeKey<int>));
  EXPECT_FALSE(extensions.contains(&detail::base::kTypeKey<long>));
}

TEST(Extensions, find_the_newer_of_two_and_keep_the_older) {
  Extensions extensions;
  const Named& older = extensions.put(Named{"older"});
  extensions.put(Named{"newer"});
  EXPECT_EQ(extensions.find<Named>()->name, "newer");
  EXPECT_EQ(older.name, "older");
}

TEST(Extensions, destroy_the_newest_first) {
  std::vector<int> ends;
  Extensions extensions;
  for (int number = 0; number < 3; ++number) {
    extensions.put(Noting(ends, number));
  }
  EXPECT_TRUE(ends.empty());
  extensions.clear(0);
  EXPECT_EQ(ends, (std::vector{2, 1, 0}));
  EXPECT_FALSE(extensions.are_used());
  EXPECT_EQ(extensions.arena().capacity(), 0U);
}

TEST(Extensions, stay_where_they_are_when_they_move) {
  std::vector<int> ends;
  Extensions extensions;
  const Noting& put = extensions.put(Noting(ends, 1));
  Extensions other(std::move(extensions));
  EXPECT_FALSE(extensions.are_used());
  EXPECT_EQ(other.find<Noting>(), &put);
  extensions.clear(0);
  EXPECT_TRUE(ends.empty());
}

TEST(Extensions, own_no_memory_before_their_first_use) {
  Extensions extensions;
  EXPECT_FALSE(extensions.are_used());
  EXPECT_EQ(extensions.arena().capacity(), 0U);
}

TEST(Extensions, use_their_memory_again) {
  Extensions extensions;
  extensions.put(Named{"one"});
  const std::size_t capacity = extensions.arena().capacity();
  for (int round = 0; round < 100; ++round) {
    extensions.clear(capacity);
    EXPECT_FALSE(extensions.are_used());
    extensions.put(Named{"another"});
  }
  EXPECT_EQ(extensions.arena().capacity(), capacity);
}

TEST(Extensions, let_a_sanitizer_see_what_is_kept_too_long) {
  Extensions extensions;
  const std::string_view text = extensions.arena().copy("viewed");
  const int& number = extensions.put(7);
  EXPECT_FALSE(detail::base::is_poisoned(text.data()));
  extensions.clear(16384);
  EXPECT_EQ(detail::base::is_poisoned(text.data()), detail::base::kSeesPoison);
  EXPECT_EQ(detail::base::is_poisoned(&number), detail::base::kSeesPoison);
}

}  // namespace
}  // namespace eider
