// Properties of all awaiters: a chain that is destroyed at any of its waits leaves nothing behind,
// and in steady state waiting allocates no heap memory.
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/cancel.h"
#include "eider/io/runtime/channel.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/frame_pool.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/testkit/loop_sim.h"

namespace eider {

std::size_t heap_calls() noexcept;  // heap_calls_test.cc

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Counts the living objects of this class.
class Counted {
 public:
  explicit Counted(int& alive) : alive_(&alive) { ++*alive_; }
  Counted(const Counted& other) : alive_(other.alive_) { ++*alive_; }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*alive_; }

 private:
  int* alive_;
};

// Destroys the chain in the turn in which its last wait began, before the wait can end.
class Destroyer final : public Deferred {
 public:
  explicit Destroyer(Task<int>& chain) : chain_(chain) {}
  void run() override {
    chain_ = Task<int>();
    has_run = true;
  }
  bool has_run = false;

 private:
  Task<int>& chain_;
};

// The objects that the chain waits for, and the tasks that let it continue a millisecond later each
// time.
struct World {
  void about_to_wait() {
    if (++waits == last_wait) {
      Loop::current().defer(*destroyer);
    }
  }

  int waits = 0;
  int last_wait = 0;
  Destroyer* destroyer = nullptr;
  int alive = 0;
  AsyncEvent event;
  Semaphore semaphore{1};
  Channel<int> empty{1};
  Channel<int> full{1};
  CancelSource source;
  Scope partners;
};

Task<> set_event(World& world) {
  co_await sleep_for(milliseconds(1));
  world.event.set();
}

Task<> hold_permit(World& world) {
  Semaphore::Permit permit = co_await world.semaphore.acquire();
  co_await sleep_for(milliseconds(1));
}

Task<> fill(World& world) {
  co_await sleep_for(milliseconds(1));
  co_await world.empty.send(1);
}

Task<> drain(World& world) {
  co_await sleep_for(milliseconds(1));
  co_await world.full.receive();
  co_await world.full.receive();
}

Task<> cancel(World& world) {
  co_await sleep_for(milliseconds(1));
  world.source.cancel();
}

Task<int> nap(World& world, Duration duration, Counted held) {
  const Counted local(held);
  world.about_to_wait();
  co_await sleep_for(duration);
  co_return 1;
}

Task<> yield_in_scope(World& world, Counted held) {
  const Counted local(held);
  world.about_to_wait();
  co_await yield_now();
}

Task<int> fail_later(World& world, Counted held) {
  const Counted local(held);
  world.about_to_wait();
  co_await yield_now();
  throw std::runtime_error("later");
}

Task<int> wait_for_others(World& world, Counted held) {
  const Counted local(held);
  world.event.reset();
  world.partners.start(set_event(world));
  world.about_to_wait();
  co_await world.event.wait();
  world.partners.start(hold_permit(world));
  world.about_to_wait();
  const Semaphore::Permit permit = co_await world.semaphore.acquire();
  world.partners.start(fill(world));
  world.about_to_wait();
  const std::optional<int> value = co_await world.empty.receive();
  world.partners.start(drain(world));
  const bool first = co_await world.full.send(1);
  world.about_to_wait();
  const bool second = co_await world.full.send(2);
  co_return value.value_or(0) + (first ? 1 : 0) + (second ? 1 : 0);
}

Task<int> wait_for_tasks(World& world, Counted held) {
  const Counted local(held);
  int sum = 0;
  Task<int> late = nap(world, milliseconds(5), local);
  sum += (co_await with_deadline(std::move(late), milliseconds(2))).value_or(0);
  Task<int> in_time = nap(world, milliseconds(1), local);
  sum += (co_await with_deadline(std::move(in_time), milliseconds(2))).value_or(0);
  Task<int> cancelled = nap(world, milliseconds(5), local);
  world.partners.start(cancel(world));
  sum += (co_await with_cancel(std::move(cancelled), world.source.token())).value_or(0);
  Scope scope;
  scope.start(yield_in_scope(world, local));
  scope.start(yield_in_scope(world, local));
  world.about_to_wait();
  co_await scope.join();
  co_return sum;
}

Task<int> wait_everywhere(World& world) {
  const Counted local(world.alive);
  int sum = co_await nap(world, milliseconds(1), local);
  world.about_to_wait();
  co_await yield_now();
  sum += co_await wait_for_others(world, local);
  sum += co_await wait_for_tasks(world, local);
  world.about_to_wait();
  sum += co_await run_blocking([] { return 1; });
  try {
    sum += co_await fail_later(world, local);
  } catch (const std::runtime_error&) {
    const Counted in_handler(local);
    ++sum;
  }
  co_return sum;
}

// Runs the chain up to that wait and destroys it there. Returns whether there was such a wait.
bool destroy_at(int wait) {
  SimKernel kernel;
  SimLoop loop(kernel);
  World world;
  const std::ptrdiff_t frames_before = frames_in_use();
  Task<int> chain = wait_everywhere(world);
  Destroyer destroyer(chain);
  world.last_wait = wait;
  world.destroyer = &destroyer;
  if (wait > 0) {
    loop.post([&] { chain.start(); });
    kernel.advance(seconds(1));
    EXPECT_EQ(chain.is_done(), !destroyer.has_run);
  }
  const bool has_ended = chain.is_done();
  if (has_ended) {
    EXPECT_EQ(chain.take(), 1 + 3 + 1 + 1 + 1);
  }
  chain = Task<int>();
  EXPECT_EQ(world.alive, 0);
  // Its partners continue without it, or stay suspended.
  loop.call([&] { world.partners.cancel(); });
  EXPECT_EQ(world.semaphore.available(), 1U);
  EXPECT_EQ(frames_in_use(), frames_before);
  return !has_ended;
}

TEST(Awaiters, a_chain_destroyed_at_any_of_its_waits_leaves_nothing_behind) {
  int wait = 0;
  while (destroy_at(wait) && !::testing::Test::HasFailure()) {
    SCOPED_TRACE("destroyed at wait " + std::to_string(wait));
    ++wait;
  }
  EXPECT_EQ(wait, 15);
}

Task<> wait_alone(World& world) {
  const Counted local(world.alive);
  co_await sleep_for(milliseconds(1));
  co_await yield_now();
  co_await run_blocking([] { return 1; });
  Task<int> below = nap(world, milliseconds(1), local);
  co_await with_deadline(std::move(below), milliseconds(2));
  co_await wait_for_tasks(world, local);
}

TEST(Awaiters, a_chain_that_wakes_nobody_may_be_destroyed_after_its_loop) {
  for (int turns = 1; turns < 12; ++turns) {
    SimKernel kernel;
    World world;
    Task<> chain = wait_alone(world);
    {
      SimLoop loop(kernel);
      loop.post([&] { chain.start(); });
      for (int i = 0; i < turns; ++i) {
        kernel.step();
      }
    }
    chain = Task<>();
    EXPECT_EQ(world.alive, 0);
  }
}

Task<> measure_heap(World& world, std::size_t& calls, std::size_t& frames) {
  std::size_t before = 0;
  std::size_t frames_before = 0;
  for (int round = 0; round < 200; ++round) {
    if (round == 100) {
      before = heap_calls();
      frames_before = frames_from_heap();
    }
    co_await sleep_for(milliseconds(1));
    co_await yield_now();
    const Counted counted(world.alive);
    co_await wait_for_others(world, counted);
    Task<int> late = nap(world, milliseconds(5), counted);
    co_await with_deadline(std::move(late), milliseconds(2));
    Scope scope;
    scope.start(yield_in_scope(world, counted));
    co_await scope.join();
    co_await run_blocking([] { return 1; });
  }
  calls = heap_calls() - before;
  frames = frames_from_heap() - frames_before;
}

TEST(Awaiters, waiting_takes_nothing_from_the_heap_in_steady_state) {
  SimKernel kernel;
  SimLoop loop(kernel);
  World world;
  std::size_t calls = 1;
  std::size_t frames = 1;
  Task<> task = measure_heap(world, calls, frames);
  loop.call([&] { task.start(); });
  kernel.advance(seconds(100));
  ASSERT_TRUE(task.is_done());
  EXPECT_EQ(calls, 0U);
  if (kPoolsFrames) {
    EXPECT_EQ(frames, 0U);
  }
}

}  // namespace
}  // namespace eider
