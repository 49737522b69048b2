#include "eider/io/runtime/task.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace eider {
namespace {

// Waits until the test opens it; leaves the list when it is destroyed.
class Gate {
 public:
  class Awaiter {
   public:
    explicit Awaiter(Gate& gate) noexcept : gate_(gate) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    ~Awaiter() {
      if (gate_.waiting_ == this) {
        gate_.waiting_ = nullptr;
      }
    }
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) noexcept {
      handle_ = waiting;
      gate_.waiting_ = this;
    }
    void await_resume() const noexcept {}

   private:
    friend Gate;
    Gate& gate_;
    std::coroutine_handle<> handle_;
  };

  Awaiter operator co_await() noexcept { return Awaiter(*this); }
  bool is_awaited() const noexcept { return waiting_ != nullptr; }
  void open() { std::exchange(waiting_, nullptr)->handle_.resume(); }

 private:
  Awaiter* waiting_ = nullptr;
};

// Counts the living objects, so that a missing or duplicate destructor call is detected.
class CountedValue {
 public:
  explicit CountedValue(int& alive) : alive_(&alive) { ++*alive_; }
  CountedValue(const CountedValue& other) : alive_(other.alive_) { ++*alive_; }
  CountedValue(CountedValue&& other) noexcept : alive_(other.alive_) { ++*alive_; }
  CountedValue& operator=(const CountedValue&) = delete;
  ~CountedValue() { --*alive_; }
  int value() const { return 1; }

 private:
  int* alive_;
};

Task<int> response(int value) {
  co_return value;
}
Task<> nothing() {
  co_return;
}

Task<std::string> text_or_throw(bool throws) {
  if (throws) {
    throw std::runtime_error("no text");
  }
  co_return "text";
}

TEST(Task, does_not_begin_before_it_is_started) {
  bool has_begun = false;
  auto body = [](bool& begun) -> Task<> {
    begun = true;
    co_return;
  };
  Task<> task = body(has_begun);
  EXPECT_FALSE(has_begun);
  EXPECT_TRUE(task.start());
  EXPECT_TRUE(has_begun);
}

TEST(Task, leaves_its_value) {
  Task<int> task = response(42);
  ASSERT_TRUE(task.start());
  EXPECT_EQ(task.take(), 42);
}

TEST(Task, leaves_a_value_that_can_only_be_moved) {
  auto body = []() -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
  Task<std::unique_ptr<int>> task = body();
  ASSERT_TRUE(task.start());
  EXPECT_EQ(*task.take(), 7);
}

TEST(Task, throws_what_its_body_threw_when_the_result_is_taken) {
  Task<std::string> task = text_or_throw(true);
  ASSERT_TRUE(task.start());
  EXPECT_THROW(task.take(), std::runtime_error);
}

TEST(Task, carries_an_exception_through_every_level_that_does_not_catch_it) {
  auto middle = []() -> Task<std::string> {
    std::string text = co_await text_or_throw(true);
    co_return text + "!";
  };
  auto top = [](auto inner) -> Task<std::string> {
    try {
      co_return co_await inner();
    } catch (const std::runtime_error& error) {
      co_return error.what();
    }
  };
  Task<std::string> task = top(middle);
  ASSERT_TRUE(task.start());
  EXPECT_EQ(task.take(), "no text");
}

TEST(Task, a_void_task_throws_too) {
  auto body = []() -> Task<> {
    throw 5;
    co_return;
  };
  Task<> task = body();
  ASSERT_TRUE(task.start());
  EXPECT_THROW(task.take(), int);
}

TEST(Task, waits_and_goes_on) {
  Gate gate;
  auto leaf = [](Gate& at) -> Task<int> {
    co_await at;
    co_return 3;
  };
  auto root = [](auto inner, Gate& at) -> Task<int> {
    int sum = co_await inner(at);
    sum += co_await inner(at);
    co_return sum;
  };
  Task<int> task = root(leaf, gate);
  EXPECT_FALSE(task.start());
  gate.open();
  EXPECT_FALSE(task.is_done());
  gate.open();
  ASSERT_TRUE(task.is_done());
  EXPECT_EQ(task.take(), 6);
}

TEST(Task, an_already_started_task_can_be_awaited) {
  Gate first_gate;
  Gate second_gate;
  auto leaf = [](Gate& at, int value) -> Task<int> {
    co_await at;
    co_return value;
  };
  auto root = [](auto inner, Gate& first, Gate& second) -> Task<int> {
    Task<int> one = inner(first, 1);
    Task<int> two = inner(second, 20);
    one.start();
    two.start();
    const int sum = co_await std::move(one);
    co_return sum + co_await std::move(two);
  };
  Task<int> task = root(leaf, first_gate, second_gate);
  EXPECT_FALSE(task.start());
  second_gate.open();
  EXPECT_FALSE(task.is_done());
  first_gate.open();
  ASSERT_TRUE(task.is_done());
  EXPECT_EQ(task.take(), 21);
}

class NotingOwner final : public TaskOwner {
 public:
  void on_task_done() noexcept override { ++ends; }
  int ends = 0;
};

TEST(Task, its_owner_is_told_of_the_end_once) {
  Gate gate;
  NotingOwner owner;
  auto body = [](Gate& at) -> Task<> { co_await at; };
  Task<> task = body(gate);
  ASSERT_FALSE(task.start());
  task.tell(owner);
  EXPECT_EQ(owner.ends, 0);
  gate.open();
  EXPECT_EQ(owner.ends, 1);
  task = Task<>();
  EXPECT_EQ(owner.ends, 1);
}

TEST(Task, a_cancelled_task_does_not_tell_its_owner) {
  Gate gate;
  NotingOwner owner;
  auto body = [](Gate& at) -> Task<> { co_await at; };
  Task<> task = body(gate);
  ASSERT_FALSE(task.start());
  task.tell(owner);
  task = Task<>();
  EXPECT_EQ(owner.ends, 0);
  EXPECT_FALSE(gate.is_awaited());
}

TEST(Task, a_task_never_started_destroys_its_parameters) {
  int alive = 0;
  auto body = [](CountedValue) -> Task<> { co_return; };
  {
    CountedValue original(alive);
    Task<> task = body(original);
    EXPECT_GE(alive, 2);
  }
  EXPECT_EQ(alive, 0);
}

// A chain with a local, a parameter and a temporary at each level, and several waits in each.
Task<int> leaf(Gate& gate, CountedValue held) {
  CountedValue local(held);
  co_await gate;
  const int first = local.value();
  co_await gate;
  co_return first + held.value();
}

Task<int> middle(Gate& gate, CountedValue held) {
  CountedValue local(held);
  int sum = co_await leaf(gate, local);
  co_await gate;
  sum += co_await leaf(gate, local);
  try {
    CountedValue in_try(local);
    co_await gate;
    throw std::runtime_error("on");
  } catch (const std::runtime_error&) {
    ++sum;
  }
  co_await nothing();
  co_return sum + held.value();
}

Task<int> root(Gate& gate, int& alive) {
  CountedValue local(alive);
  int sum = 0;
  for (int i = 0; i < 2; ++i) {
    sum += co_await middle(gate, local);
  }
  std::vector<CountedValue> many(3, local);
  co_await gate;
  co_return sum + static_cast<int>(many.size());
}

constexpr int kWaitsOfRoot = 2 * (2 + 1 + 2 + 1) + 1;

TEST(Task, nothing_is_left_when_it_is_destroyed_at_any_of_its_waits) {
  for (int waits = 0; waits <= kWaitsOfRoot; ++waits) {
    const std::ptrdiff_t frames_before = frames_in_use();
    int alive = 0;
    Gate gate;
    {
      Task<int> task = root(gate, alive);
      if (waits > 0) {
        EXPECT_FALSE(task.start());
      }
      for (int i = 1; i < waits; ++i) {
        gate.open();
      }
      EXPECT_FALSE(task.is_done()) << "after " << waits << " waits";
    }
    EXPECT_EQ(alive, 0) << "after " << waits << " waits";
    EXPECT_EQ(frames_in_use(), frames_before) << "after " << waits << " waits";
    EXPECT_FALSE(gate.is_awaited());
  }
}

TEST(Task, nothing_is_left_when_it_runs_to_its_end) {
  const std::ptrdiff_t frames_before = frames_in_use();
  int alive = 0;
  Gate gate;
  {
    Task<int> task = root(gate, alive);
    EXPECT_FALSE(task.start());
    for (int i = 0; i < kWaitsOfRoot; ++i) {
      gate.open();
    }
    ASSERT_TRUE(task.is_done());
    EXPECT_EQ(task.take(), 2 * (2 + 2 + 1 + 1) + 3);
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(frames_in_use(), frames_before);
}

TEST(Task, a_hundred_thousand_ready_awaits_do_not_use_up_the_stack) {
  auto sum_up = []() -> Task<long> {
    long sum = 0;
    for (int i = 0; i < 100'000; ++i) {
      sum += co_await response(1);
    }
    co_return sum;
  };
  Task<long> task = sum_up();
  ASSERT_TRUE(task.start());
  EXPECT_EQ(task.take(), 100'000);
}

TEST(Task, a_ready_await_costs_at_most_one_frame_and_gives_it_back) {
  auto body = [](std::ptrdiff_t& during) -> Task<> {
    Task<int> below = response(1);
    during = frames_in_use();
    co_await std::move(below);
  };
  std::ptrdiff_t during = 0;
  const std::ptrdiff_t before = frames_in_use();
  {
    Task<> task = body(during);
    task.start();
  }
  EXPECT_LE(during, before + 2);  // clang combines both in one frame
  EXPECT_EQ(frames_in_use(), before);
}

TEST(Task, a_moved_from_task_is_empty) {
  Task<int> task = response(1);
  Task<int> other = std::move(task);
  EXPECT_TRUE(task.is_empty());  // NOLINT(bugprone-use-after-move): this is the subject of the test
  EXPECT_FALSE(task.is_done());
  EXPECT_TRUE(other.start());
}

Task<int> seven() {
  co_return 7;
}

Task<int> await_in_each_way() {
  auto named = seven();
  auto moved = seven();
  const int of_named = co_await named;
  const int of_moved = co_await std::move(moved);
  co_return of_named + of_moved + co_await seven();
}

TEST(Task, is_awaited_at_once_and_by_name) {
  Task<int> task = await_in_each_way();
  EXPECT_TRUE(task.start());
  EXPECT_EQ(task.take(), 21);
}

}  // namespace
}  // namespace eider
