#include "threads.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace load {
namespace {

Options options_for(unsigned connections, unsigned threads) {
  Options options;
  options.connections = connections;
  options.threads = threads;
  options.rate = 1000;
  return options;
}

TEST(Threads, SharesAddUpToWhatWasAsked) {
  const Options options = options_for(10, 4);
  unsigned connections = 0;
  double rate = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const Options share = share_of(options, i, 4);
    EXPECT_GE(share.connections, 2U);
    EXPECT_EQ(share.seed, options.seed + i);
    connections += share.connections;
    rate += share.rate;
  }
  EXPECT_EQ(connections, 10U);
  EXPECT_DOUBLE_EQ(rate, 1000);
}

Outcome count_one(const Options& options, const eider::Address&) {
  Outcome outcome;
  outcome.requests = options.connections;
  return outcome;
}

Outcome refuse(const Options&, const eider::Address&) {
  throw std::runtime_error("no connection");
}

TEST(Threads, OutcomesAreAddedUpWithNoMoreThreadsThanConnections) {
  const auto to = eider::Address::parse("127.0.0.1", 1);
  EXPECT_EQ(run_on_threads(count_one, options_for(3, 8), *to).requests, 3U);
}

TEST(Threads, AFailureOfOneIsThrown) {
  const auto to = eider::Address::parse("127.0.0.1", 1);
  EXPECT_THROW(static_cast<void>(run_on_threads(refuse, options_for(3, 2), *to)),
               std::runtime_error);
}

}  // namespace
}  // namespace load
