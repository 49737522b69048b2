// Which ClientHellos are remembered, how long, and what happens when there is no room.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "eider/tls/detail/early_record.h"

namespace eider::detail {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using Bytes = std::array<std::uint8_t, EarlyRecord::kRandomBytes>;

const Instant kStart(hours(5));

/// set  which of the record's sets it falls into
Bytes random_of(std::uint64_t number, std::uint64_t set) {
  Bytes bytes{};
  number <<= 16U;
  std::memcpy(bytes.data(), &number, sizeof(number));
  std::memcpy(bytes.data() + sizeof(number), &set, sizeof(set));
  return bytes;
}

TEST(EarlyRecords, know_what_has_come) {
  EarlyRecord record(kStart);
  EXPECT_TRUE(record.note(random_of(1, 7), kStart));
  EXPECT_FALSE(record.note(random_of(1, 7), kStart));
  EXPECT_TRUE(record.note(random_of(2, 7), kStart));
  EXPECT_TRUE(record.note(random_of(1, 8), kStart));
  EXPECT_FALSE(record.note(random_of(1, 7), kStart + EarlyRecord::kKept));
  EXPECT_TRUE(record.note(random_of(1, 7), kStart + EarlyRecord::kKept + seconds(1)));
}

TEST(EarlyRecords, begin_anew_each_time_at_any_second_of_the_day) {
  EarlyRecord record(kStart);
  for (std::int64_t second = 0; second < 70'000; second += 17) {
    ASSERT_TRUE(record.note(random_of(3, 3), kStart + seconds(second))) << second;
    ASSERT_FALSE(record.note(random_of(3, 3), kStart + seconds(second + 15))) << second;
  }
}

TEST(EarlyRecords, refuse_when_there_is_no_room) {
  EarlyRecord record(kStart);
  for (std::uint64_t number = 1; number <= EarlyRecord::kPerSet; ++number) {
    ASSERT_TRUE(record.note(random_of(number, 0), kStart + seconds(number / 2)));
  }
  EXPECT_FALSE(record.note(random_of(100, 0), kStart + seconds(8)));
  EXPECT_TRUE(record.note(random_of(100, 1), kStart + seconds(8)));
  EXPECT_TRUE(record.note(random_of(100, 0), kStart + seconds(16))) << "the first is too old";
}

TEST(EarlyRecords, take_some_thousand_a_second) {
  EarlyRecord record(kStart);
  std::uint64_t state = 1;
  std::size_t refused = 0;
  constexpr std::uint64_t kPerSecond = 3000;
  for (std::uint64_t number = 0; number < kPerSecond * 40; ++number) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const bool is_new =
        record.note(random_of(number, state >> 33U), kStart + seconds(number / kPerSecond));
    refused += is_new ? 0U : 1U;
  }
  EXPECT_LT(refused, kPerSecond * 40 / 1000) << "of a thousand not one";
}

}  // namespace
}  // namespace eider::detail
