#include "eider/core/base/lru_map.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace eider {
namespace {

struct Item {
  std::string key;
  std::unique_ptr<int> value{};

  [[nodiscard]] const std::string& text() const noexcept { return key; }
};

template <class Map>
class LruMaps : public ::testing::Test {
 protected:
  LruMaps() {
    for (const char* key : {"a", "b", "c"}) {
      map_.add({key, std::make_unique<int>(*key)});
    }
  }

  Map map_;
};

using Maps =
    ::testing::Types<LruMap<Item, &Item::key>, LruMap<Item, &Item::text, LruKeys::of_clients>>;
TYPED_TEST_SUITE(LruMaps, Maps);

TYPED_TEST(LruMaps, find_an_entry_by_its_key) {
  EXPECT_EQ(*this->map_.find("b")->value, 'b');
  EXPECT_EQ(this->map_.find("d"), nullptr);
  EXPECT_TRUE(this->map_.contains("a"));
  EXPECT_FALSE(this->map_.contains(""));
  EXPECT_EQ(this->map_.size(), 3);
}

TYPED_TEST(LruMaps, give_the_entry_that_was_not_used_for_the_longest_time) {
  EXPECT_NE(this->map_.find("a"), nullptr);
  EXPECT_TRUE(this->map_.contains("b"));  // does not count as a use
  EXPECT_EQ(this->map_.take_oldest().key, "b");
  EXPECT_EQ(this->map_.take_oldest().key, "c");
  EXPECT_EQ(this->map_.take_oldest().key, "a");
  EXPECT_TRUE(this->map_.empty());
}

TYPED_TEST(LruMaps, give_an_entry_away_with_what_it_owns) {
  const std::string& key = this->map_.find("b")->key;
  const auto taken = this->map_.take(key);
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(*taken->value, 'b');
  EXPECT_FALSE(this->map_.contains("b"));
  EXPECT_FALSE(this->map_.take("b").has_value());
  EXPECT_EQ(this->map_.size(), 2);
}

TYPED_TEST(LruMaps, keep_entries_where_they_are) {
  const Item* const first = this->map_.find("a");
  for (int i = 0; i < 100; ++i) {
    this->map_.add({std::to_string(i)});
  }
  EXPECT_EQ(this->map_.find("a"), first);
  this->map_.clear();
  EXPECT_EQ(this->map_.find("a"), nullptr);
  EXPECT_EQ(this->map_.size(), 0);
  this->map_.add({"a"});
  EXPECT_EQ(this->map_.take_oldest().key, "a");
}

}  // namespace
}  // namespace eider
