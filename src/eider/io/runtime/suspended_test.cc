#include "eider/io/runtime/suspended.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/core/base/span.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/channel.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/sync.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

WorkRef work_named(std::string_view name) {
  auto* const work = new Work;
  work->set_request_id(name);
  return WorkRef(work);
}

std::string who() {
  return Work::current() == nullptr ? "nobody" : std::string(Work::current()->request_id());
}

using Heard = std::vector<std::string>;

Task<> sleeps(Heard& heard) {
  co_await sleep_for(1ms);
  heard.push_back(who());
  co_await yield_now();
  heard.push_back(who());
}

Task<> waits_in_every_way(Heard& heard, AsyncEvent& event, Semaphore& permits) {
  heard.push_back(who());
  co_await sleeps(heard);
  co_await with_deadline(sleeps(heard), 5s);
  co_await event.wait();
  heard.push_back(who());
  auto permit = co_await permits.acquire();
  heard.push_back(who());
}

TEST(Work, goes_on_behind_every_wait_and_is_nobodys_elsewhere) {
  const auto loop = std::move(*Loop::create(Backend::epoll));
  Heard heard;
  Heard others;
  AsyncEvent event;
  Semaphore permits(1);
  std::unique_ptr<Scope> scope;
  loop->post([&] {
    scope = std::make_unique<Scope>();
    {
      const Within within(work_named("ann"));
      scope->start(waits_in_every_way(heard, event, permits));
      others.push_back(who());
    }
    {
      const Within within(work_named("bob"));
      scope->start(sleeps(others));
    }
    others.push_back(who());
    scope->start([](AsyncEvent& its, Loop& of, Heard& first, Heard& said) -> Task<> {
      while (first.size() < 5 ||
             said.size() < 4) {  // until ann waits for the event, and bob has ended
        co_await sleep_for(1ms);
      }
      said.push_back(who());
      its.set();
      while (first.size() < 7) {
        co_await sleep_for(1ms);
      }
      of.stop();
    }(event, *loop, heard, others));
  });
  loop->run();
  EXPECT_EQ(heard, Heard(7, "ann"));
  EXPECT_EQ(others, (Heard{"ann", "nobody", "bob", "bob", "nobody"}));
  EXPECT_EQ(who(), "nobody");
}

Task<> blocks(Heard& heard) {
  heard.push_back(co_await run_blocking([] { return who(); }));
  heard.push_back(who());
}

TEST(Work, goes_along_to_threads_that_block) {
  const auto loop = std::move(*Loop::create(Backend::epoll));
  BlockingPool pool;
  loop->set_blocking_pool(&pool);
  Heard heard;
  std::unique_ptr<Scope> scope;
  loop->post([&] {
    scope = std::make_unique<Scope>();
    const Within within(work_named("ann"));
    scope->start([](Heard& said, Loop& of) -> Task<> {
      co_await blocks(said);
      of.stop();
    }(heard, *loop));
  });
  loop->run();
  pool.stop();
  EXPECT_EQ(heard, (Heard{"ann", "ann"}));
}

// A task that enters its own work and waits must not leave its starter in that work.
TEST(Work, of_a_started_task_is_not_its_starters) {
  const auto loop = std::move(*Loop::create(Backend::epoll));
  Heard heard;
  WorkRef own = work_named("own");
  std::unique_ptr<Scope> scope;
  loop->post([&] {
    scope = std::make_unique<Scope>();
    scope->start([](WorkRef mine, Heard& said, Loop& of) -> Task<> {
      WorkKept::enter(mine.get());
      co_await sleep_for(1ms);
      said.push_back(who());
      of.stop();
    }(own, heard, *loop));
    heard.push_back(who());
  });
  loop->run();
  EXPECT_EQ(heard, (Heard{"nobody", "own"}));
}

struct TakesSpans : SpanSink {
  void take(SpanRecord /*span*/) noexcept override {}
};

/// Waits within a span, and after it.
Task<> outlives_its_request(Heard& heard, AsyncEvent& is_over, Loop& loop) {
  co_await is_over.wait();
  {
    const Span span("counts");
    co_await yield_now();
    heard.push_back(who());
  }
  const WorkRef others = work_named("bob");  // would reuse memory that was freed too early
  heard.push_back(who());
  co_await yield_now();
  heard.push_back(who());
  loop.stop();
}

// The span has the last reference to the request's work: afterwards, the rest of the coroutine
// keeps it.
TEST(Work, of_a_request_that_is_over_stays_behind_a_span) {
  const auto loop = std::move(*Loop::create(Backend::epoll));
  const auto sink = std::make_shared<TakesSpans>();
  Heard heard;
  AsyncEvent is_over;
  std::unique_ptr<Scope> scope;
  loop->post([&] {
    scope = std::make_unique<Scope>();
    auto* const work = new Work;
    work->set_request_id("ann");
    work->spans = sink;
    work->place = {.trace_high = 1, .trace_low = 2, .span = 3, .is_sampled = true};
    {
      const Within within{WorkRef(work)};
      scope->start(outlives_its_request(heard, is_over, *loop));
    }
    is_over.set();
  });
  loop->run();
  EXPECT_EQ(heard, Heard(3, "ann"));
  EXPECT_EQ(sink.use_count(), 1);  // and it is released at the end
}

}  // namespace
}  // namespace eider
