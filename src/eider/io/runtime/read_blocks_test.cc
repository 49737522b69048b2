#include "eider/io/runtime/read_blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>

namespace eider {
namespace {

constexpr std::size_t kBytes = 32UL * 1024;

/// Receives `kBytes` copies of a letter, and lends them while the block is open.
std::string_view receive(ReadBlocks& blocks, char letter, ReadLoan& loan) {
  char* const room = blocks.open();
  std::memset(room, letter, kBytes);
  EXPECT_TRUE(blocks.lend({room, kBytes}, loan));
  blocks.close();
  return loan.view();
}

TEST(ReadBlocks, a_block_that_comes_back_is_used_again) {
  ReadBlocks blocks;
  ReadLoan loan;
  const char* const first = receive(blocks, 'a', loan).data();
  EXPECT_TRUE(blocks.is_lent());
  loan.end();
  EXPECT_FALSE(blocks.is_lent());
  EXPECT_FALSE(loan.is_open());
  EXPECT_EQ(blocks.open(), first);
  blocks.close();
}

TEST(ReadBlocks, lent_bytes_stay_while_others_are_received) {
  ReadBlocks blocks;
  ReadLoan slow;
  const std::string_view kept = receive(blocks, 'a', slow);
  for (const char letter : {'b', 'c', 'd'}) {
    ReadLoan fast;
    const std::string_view other = receive(blocks, letter, fast);
    EXPECT_NE(other.data(), kept.data());
    EXPECT_EQ(other, std::string(kBytes, letter));
  }
  EXPECT_EQ(kept, std::string(kBytes, 'a'));
}

TEST(ReadBlocks, several_borrow_and_end_in_any_order) {
  ReadBlocks blocks;
  ReadLoan first;
  ReadLoan second;
  ReadLoan third;
  (void)receive(blocks, 'a', first);
  (void)receive(blocks, 'b', second);
  (void)receive(blocks, 'c', third);
  second.end();
  EXPECT_EQ(first.view(), std::string(kBytes, 'a'));
  EXPECT_EQ(third.view(), std::string(kBytes, 'c'));
  third.end();
  first.end();
  (void)receive(blocks, 'd', second);
  EXPECT_EQ(second.view(), std::string(kBytes, 'd'));
}

TEST(ReadBlocks, few_bytes_and_bytes_of_others_are_not_lent) {
  ReadBlocks blocks;
  ReadLoan loan;
  char* const room = blocks.open();
  EXPECT_FALSE(blocks.lend({room, ReadBlocks::kLentBytesMin - 1}, loan));
  const std::string other(kBytes, 'x');
  EXPECT_FALSE(blocks.lend(other, loan));
  EXPECT_FALSE(blocks.lend({room + 1, ReadBlocks::kBytes}, loan)) << "ends after the block";
  EXPECT_TRUE(blocks.lend({room + 7, ReadBlocks::kLentBytesMin}, loan));
  ReadLoan second;
  EXPECT_FALSE(blocks.lend({room, kBytes}, second)) << "some of it is lent";
  blocks.close();
}

TEST(ReadBlocks, nothing_is_lent_after_the_callback) {
  ReadBlocks blocks;
  ReadLoan loan;
  char* const room = blocks.open();
  blocks.close();
  EXPECT_FALSE(blocks.lend({room, kBytes}, loan));
}

}  // namespace
}  // namespace eider
