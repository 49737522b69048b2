#include "cli/bench/load.h"

#include <gtest/gtest.h>

namespace eider::bench {
namespace {

TEST(BenchShare, AddsUpToWhatWasAsked) {
  Options options;
  options.connections = 10;
  options.requests = 103;
  options.rate = 1000;
  for (const unsigned threads : {1U, 3U, 4U, 10U}) {
    unsigned connections = 0;
    std::uint64_t requests = 0;
    double rate = 0;
    for (unsigned i = 0; i < threads; ++i) {
      const Share share = share_of(options, i, threads);
      connections += share.connections;
      requests += share.requests_max;
      rate += share.rate;
    }
    EXPECT_EQ(connections, 10U);
    EXPECT_EQ(requests, 103U);
    EXPECT_NEAR(rate, 1000, 1e-9);
  }
}

TEST(BenchShare, HasNoBoundOfRequestsWhereNoneWasAsked) {
  const Share share = share_of(Options(), 0, 1);
  EXPECT_EQ(share.requests_max, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(share.rate, 0);
}

}  // namespace
}  // namespace eider::bench
