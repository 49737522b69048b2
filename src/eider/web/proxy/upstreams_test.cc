#include "eider/web/proxy/upstreams.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider::detail::proxy {
namespace {

const std::vector<std::string> kThree{"http://a", "http://b", "http://c"};
const Instant kNow{std::chrono::seconds(1000)};

using Tried = std::vector<std::size_t>;

std::vector<std::size_t> owners(const Upstreams& upstreams, const Tried& tried = {}) {
  std::vector<std::size_t> all;
  for (int key = 0; key < 3000; ++key) {
    all.push_back(upstreams.responsible("client " + std::to_string(key), tried, kNow));
  }
  return all;
}

TEST(Upstreams, the_least_busy_is_asked) {
  const Upstreams upstreams(kThree);
  EXPECT_EQ(upstreams.least_busy({2, 1, 3}, {}, kNow), 1U);
  EXPECT_EQ(upstreams.least_busy({0, 0, 0}, {}, kNow), 0U);
}

TEST(Upstreams, who_was_tried_is_last_and_who_is_out_is_before_that) {
  const Upstreams upstreams(kThree);
  EXPECT_EQ(upstreams.least_busy({0, 5, 9}, Tried{0}, kNow), 1U);
  upstreams[1].take_out_until(kNow + std::chrono::seconds(1));
  EXPECT_EQ(upstreams.least_busy({0, 5, 9}, Tried{0}, kNow), 2U);
  EXPECT_EQ(upstreams.least_busy({0, 5, 9}, Tried{0, 2}, kNow), 1U);
  EXPECT_EQ(upstreams.least_busy({0, 5, 9}, Tried{0, 1, 2}, kNow), 0U);
}

TEST(Upstreams, of_a_hundred_the_one_that_was_tried_is_passed_over_and_no_other) {
  std::vector<std::string> urls;
  for (int number = 0; number < 100; ++number) {
    urls.push_back("http://a" + std::to_string(number));
  }
  const Upstreams upstreams(urls);
  std::vector<unsigned> busy(100, 9);
  busy[3] = 1;
  busy[67] = 0;
  EXPECT_EQ(upstreams.least_busy(busy, {}, kNow), 67U);
  EXPECT_EQ(upstreams.least_busy(busy, Tried{67}, kNow), 3U) << "67 is 3 beyond 64";
  for (const std::size_t owner : owners(upstreams, {67, 99})) {
    EXPECT_TRUE(owner != 67 && owner != 99);
  }
}

TEST(Upstreams, failures_in_a_row_take_one_out_for_a_while) {
  const ProxyOptions options{.failures_max = 2, .ejected_for = std::chrono::seconds(10)};
  const Upstreams upstreams(kThree);
  upstreams[0].note_failure(kNow, options);
  upstreams[0].note_success();
  upstreams[0].note_failure(kNow, options);
  EXPECT_FALSE(upstreams[0].is_out(kNow));
  upstreams[0].note_failure(kNow, options);
  EXPECT_TRUE(upstreams[0].is_out(kNow));
  EXPECT_TRUE(upstreams[0].is_out(kNow + std::chrono::seconds(9)));
  EXPECT_FALSE(upstreams[0].is_out(kNow + std::chrono::seconds(10)));
  upstreams[0].take_in();
  EXPECT_FALSE(upstreams[0].is_out(kNow));
}

TEST(Upstreams, one_that_was_taken_out_is_out_until_it_is_taken_in) {
  const ProxyOptions options{.failures_max = 1, .ejected_for = std::chrono::seconds(10)};
  const Upstreams upstreams(kThree);
  upstreams[0].take_out();
  upstreams[0].note_failure(kNow, options);  // no end of it after 10 s
  EXPECT_TRUE(upstreams[0].is_out(kNow));
  EXPECT_TRUE(upstreams[0].is_out(kNow + std::chrono::hours(24)));
  upstreams[0].take_in();
  EXPECT_FALSE(upstreams[0].is_out(kNow));
}

TEST(Upstreams, keys_are_spread_evenly) {
  std::vector<int> shares(3);
  for (const std::size_t owner : owners(Upstreams(kThree))) {
    ++shares[owner];
  }
  for (const int share : shares) {
    EXPECT_GT(share, 700);
    EXPECT_LT(share, 1300);
  }
}

TEST(Upstreams, keys_keep_their_owner_while_it_is_well) {
  const Upstreams upstreams(kThree);
  const auto before = owners(upstreams);
  upstreams[2].take_out_until(kNow + std::chrono::seconds(1));
  const auto after = owners(upstreams);
  for (std::size_t key = 0; key < before.size(); ++key) {
    if (before[key] != 2) {
      EXPECT_EQ(after[key], before[key]);
    } else {
      EXPECT_NE(after[key], 2U);
    }
  }
  EXPECT_EQ(owners(upstreams, {0, 1, 2}), before) << "when nobody is left the owner is asked";
}

TEST(Upstreams, a_further_one_takes_keys_over_but_moves_none_between_the_others) {
  const auto before = owners(Upstreams(kThree));
  std::vector<std::string> four = kThree;
  four.emplace_back("http://d");
  const auto after = owners(Upstreams(four));
  for (std::size_t key = 0; key < before.size(); ++key) {
    EXPECT_TRUE(after[key] == before[key] || after[key] == 3);
  }
}

}  // namespace
}  // namespace eider::detail::proxy
