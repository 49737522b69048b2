#include "eider/io/runtime/output_budget.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"

namespace eider::detail::runtime {
namespace {

using std::chrono::seconds;

/// Longer than the time after which a peer is judged, and shorter than the pause between two
/// checks.
constexpr auto kJudged = std::chrono::milliseconds(500);

class Queue final : public WaitingOutput {
 public:
  explicit Queue(OutputBudget& budget) noexcept : WaitingOutput(budget) {}

  bool frees_at_once = true;

  /// The peer reads `bytes` bytes.
  void take(std::size_t bytes) {
    given_ += bytes;
    set(own() - bytes, own() - bytes);
  }
  [[nodiscard]] bool is_given_up() const noexcept { return is_given_up_; }

 private:
  [[nodiscard]] OutputFlow flow() const noexcept override { return {.given = given_}; }
  void give_up() noexcept override {
    is_given_up_ = true;
    if (frees_at_once) {
      note_freed();
    }
  }

  std::uint64_t given_ = 0;
  bool is_given_up_ = false;
};

class OutputBudgetTest : public ::testing::Test {
 protected:
  OutputBudgetTest() {
    budget_.set_limits({.bytes_max = 1000, .span = seconds(8), .bytes_per_second_min = 1});
  }
  Queue& add(std::size_t bytes) {
    queues_.push_back(std::make_unique<Queue>(budget_));
    queues_.back()->set(bytes, bytes);
    return *queues_.back();
  }

  SimKernel kernel_;
  SimLoop loop_{kernel_};
  OutputBudget& budget_ = output_budget_of(loop_);
  std::vector<std::unique_ptr<Queue>> queues_;
};

TEST_F(OutputBudgetTest, counts_what_waits_and_what_is_shared_once) {
  Queue& first = add(100);
  add(200);
  EXPECT_EQ(budget_.held(), 300U);
  first.set(50, 50);
  EXPECT_EQ(budget_.held(), 250U);
  const int memory = 0;
  budget_.add_shared(&memory, 400);
  budget_.add_shared(&memory, 400);
  EXPECT_EQ(budget_.held(), 650U);
  EXPECT_EQ(budget_.left(), 350U);
  budget_.drop_shared(&memory);
  EXPECT_EQ(budget_.held(), 650U);
  budget_.drop_shared(&memory);
  queues_.clear();
  EXPECT_EQ(budget_.held(), 0U);
}

TEST_F(OutputBudgetTest, the_largest_goes_first_of_those_that_have_taken_nothing) {
  Queue& small = add(300);
  Queue& large = add(600);
  kernel_.advance(kJudged);
  const Queue& next = add(200);
  EXPECT_TRUE(large.is_given_up());
  EXPECT_FALSE(small.is_given_up());
  EXPECT_FALSE(next.is_given_up());
  EXPECT_EQ(budget_.held(), 500U);
  EXPECT_EQ(budget_.given_up(), 1U);
  large.set(800, 800);
  EXPECT_EQ(budget_.held(), 500U) << "it does not count any more";
}

TEST_F(OutputBudgetTest, one_that_has_taken_more_stays) {
  Queue& reader = add(700);
  const Queue& idle = add(100);
  kernel_.advance(kJudged);
  reader.take(10);
  const Queue& next = add(300);
  EXPECT_TRUE(idle.is_given_up());
  EXPECT_TRUE(reader.is_given_up()) << "more room was needed than the idle one had";
  EXPECT_FALSE(next.is_given_up()) << "it has had no time yet";
}

TEST_F(OutputBudgetTest, what_is_freed_later_counts_until_then) {
  Queue& late = add(900);
  late.frees_at_once = false;
  kernel_.advance(kJudged);
  const Queue& next = add(400);
  EXPECT_TRUE(late.is_given_up());
  EXPECT_FALSE(next.is_given_up()) << "nobody else has to go for it";
  EXPECT_EQ(budget_.held(), 1300U);
  EXPECT_EQ(budget_.left(), 0U);
  queues_.erase(queues_.begin());
  EXPECT_EQ(budget_.held(), 400U);
}

TEST_F(OutputBudgetTest, a_single_queue_may_be_larger_than_all_of_it) {
  const Queue& alone = add(5000);
  EXPECT_FALSE(alone.is_given_up());
  EXPECT_EQ(budget_.left(), 0U);
}

TEST_F(OutputBudgetTest, nobody_is_judged_while_half_of_it_is_free) {
  const Queue& idle = add(500);
  kernel_.advance(seconds(100));
  EXPECT_FALSE(idle.is_given_up());
}

TEST_F(OutputBudgetTest, beyond_half_of_it_a_pace_is_asked_for_that_rises) {
  Queue& slow = add(300);
  Queue& fast = add(300);
  for (int second = 0; second < 4; ++second) {
    // At 60 %: a fifth of 300 bytes in 8 seconds, plus the rest of the minimum pace: 8.3 per
    // second.
    slow.take(5);
    fast.take(15);
    kernel_.advance(seconds(1));
  }
  EXPECT_TRUE(slow.is_given_up());
  EXPECT_FALSE(fast.is_given_up());
}

/// Adds output when it is called.
class Work final : public RoomWaiter {
 public:
  Work(OutputBudget& budget, std::size_t bytes, std::vector<int>& order, int number)
      : output(budget), bytes_(bytes), order_(order), number_(number) {}
  void on_room() override {
    order_.push_back(number_);
    output.set(bytes_, bytes_);
  }

  Queue output;

 private:
  std::size_t bytes_;
  std::vector<int>& order_;
  int number_;
};

class RoomTest : public OutputBudgetTest {
 protected:
  Work& wait(std::size_t bytes) {
    work_.push_back(
        std::make_unique<Work>(budget_, bytes, order_, static_cast<int>(work_.size()) + 1));
    budget_.await_room(*work_.back());
    return *work_.back();
  }

  std::vector<int> order_;
  std::vector<std::unique_ptr<Work>> work_;
};

TEST_F(RoomTest, is_offered_in_the_order_of_waiting) {
  Queue& full = add(1000);
  EXPECT_TRUE(budget_.is_crowded());
  wait(600);
  wait(600);
  wait(600);
  kernel_.run_until_idle();
  EXPECT_TRUE(order_.empty());
  full.take(500);
  EXPECT_TRUE(budget_.is_crowded()) << "others wait already";
  kernel_.run_until_idle();
  EXPECT_EQ(order_, std::vector{1}) << "its output takes the room";
  full.take(500);
  kernel_.run_until_idle();
  EXPECT_EQ(order_, (std::vector{1, 2}));
  work_.pop_back();
  EXPECT_EQ(budget_.held(), 1200U);
  work_[0]->output.take(600);
  kernel_.run_until_idle();
  EXPECT_EQ(order_, (std::vector{1, 2})) << "a destroyed waiter is not called";
  EXPECT_FALSE(budget_.is_crowded());
}

TEST_F(RoomTest, is_offered_when_the_limit_rises) {
  add(1000);
  wait(100);
  budget_.set_limits({.bytes_max = 2000, .span = seconds(8)});
  kernel_.run_until_idle();
  EXPECT_EQ(order_, std::vector{1});
}

TEST_F(RoomTest, is_made_by_a_peer_that_takes_nothing) {
  const Queue& idle = add(600);
  const Queue& other = add(400);
  wait(10);
  EXPECT_FALSE(idle.is_given_up());
  kernel_.advance(kJudged);
  EXPECT_TRUE(idle.is_given_up());
  EXPECT_FALSE(other.is_given_up());
  EXPECT_EQ(order_, std::vector{1});
}

TEST_F(RoomTest, a_peer_must_read_faster_while_work_waits) {
  Queue& slow = add(700);
  Queue& fast = add(700);
  // At a full budget 88 bytes per second are enough: all of the output within the span.
  kernel_.advance(std::chrono::milliseconds(200));
  slow.take(40);
  fast.take(200);
  kernel_.advance(std::chrono::milliseconds(100));
  EXPECT_FALSE(slow.is_given_up());
  // From now on, all of it must leave within an eighth of the span.
  wait(10);
  kernel_.advance(std::chrono::milliseconds(260));
  EXPECT_TRUE(slow.is_given_up());
  EXPECT_FALSE(fast.is_given_up());
  EXPECT_EQ(order_, std::vector{1});
}

TEST_F(RoomTest, is_offered_after_the_span_in_any_case) {
  Queue& full = add(8000);
  wait(10);
  for (int step = 0; step < 79; ++step) {
    full.take(150);
    full.set(8000, 8000);
    kernel_.advance(std::chrono::milliseconds(100));
  }
  EXPECT_FALSE(full.is_given_up()) << "the last one stays";
  EXPECT_TRUE(order_.empty());
  kernel_.advance(std::chrono::milliseconds(500));
  EXPECT_EQ(order_, std::vector{1});
}

TEST_F(OutputBudgetTest, a_new_peer_is_reset_at_twice_the_budget_only) {
  for (int count = 0; count < 10; ++count) {
    add(200);
  }
  EXPECT_EQ(budget_.given_up(), 0U);
  add(200);
  EXPECT_GE(budget_.given_up(), 1U);
  EXPECT_LE(budget_.held(), 2000U);
  kernel_.advance(kJudged);
  EXPECT_LE(budget_.held(), 1000U) << "nobody has read anything";
}

}  // namespace
}  // namespace eider::detail::runtime
