#include "eider/proxy/detail/upstreams.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider::detail {
namespace {

const std::vector<std::string> kThree{"http://a", "http://b", "http://c"};
const Instant kNow{std::chrono::seconds(1000)};

std::vector<std::size_t> owners(const Upstreams& upstreams, std::uint64_t tried = 0) {
  std::vector<std::size_t> all;
  for (int key = 0; key < 3000; ++key) {
    all.push_back(upstreams.responsible("client " + std::to_string(key), tried, kNow));
  }
  return all;
}

TEST(Upstreams, the_least_busy_is_asked) {
  const Upstreams upstreams(kThree);
  EXPECT_EQ(upstreams.least_busy({2, 1, 3}, 0, kNow), 1U);
  EXPECT_EQ(upstreams.least_busy({0, 0, 0}, 0, kNow), 0U);
}

TEST(Upstreams, who_was_tried_is_last_and_who_is_out_is_before_that) {
  const Upstreams upstreams(kThree);
  EXPECT_EQ(upstreams.least_busy({0, 5, 9}, 1, kNow), 1U);
  upstreams[1].take_out_until(kNow + std::chrono::seconds(1));
  EXPECT_EQ(upstreams.least_busy({0, 5, 9}, 1, kNow), 2U);
  EXPECT_EQ(upstreams.least_busy({0, 5, 9}, 5, kNow), 1U);
  EXPECT_EQ(upstreams.least_busy({0, 5, 9}, 7, kNow), 0U);
}

TEST(Upstreams, failures_in_a_row_take_one_out_for_a_while) {
  const ProxyOptions options{.failures_max = 2, .out_for = std::chrono::seconds(10)};
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
  EXPECT_EQ(owners(upstreams, 7), before) << "when nobody is left the owner is asked";
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
}  // namespace eider::detail
