#include "eider/app/life/lifecycle.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/settings/options.h"
#include "eider/core/base/resource_probe.h"
#include "eider/core/base/work.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/sync.h"
#include "eider/server/server.h"
#include "eider/server/state.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

/// The events so far, in order, from any thread.
class Notes {
 public:
  void add(std::string note) {
    const std::lock_guard adding(mutex_);
    notes_.push_back(std::move(note));
  }
  [[nodiscard]] std::vector<std::string> all() const {
    const std::lock_guard reading(mutex_);
    return notes_;
  }
  [[nodiscard]] std::size_t count(std::string_view note) const {
    const std::vector<std::string> notes = all();
    return static_cast<std::size_t>(std::ranges::count(notes, note));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> notes_;
};

using List = std::vector<std::string>;

/// Adds a note when it is destroyed.
struct Witness {
  std::shared_ptr<Notes> notes;
  std::string name;
  ~Witness() { notes->add(name + " destroyed"); }
};

class NotedLog final : public LogSink {
 public:
  explicit NotedLog(std::shared_ptr<Notes> notes) : notes_(std::move(notes)) {}
  void write(LogLevel, std::string_view line) noexcept override { notes_->add(std::string(line)); }

 private:
  std::shared_ptr<Notes> notes_;
};

class AppLifecycle : public ::testing::Test {
 protected:
  AppLifecycle() { app.log_to(std::make_shared<NotedLog>(log)); }

  auto noted(std::string what) {
    return [notes = notes, what = std::move(what)] { notes->add(what); };
  }

  std::shared_ptr<Notes> notes = std::make_shared<Notes>();
  std::shared_ptr<Notes> log = std::make_shared<Notes>();
  App app;
};

TEST_F(AppLifecycle, starts_in_order_and_stops_in_reverse) {
  app.on_start("one", noted("start one"));
  app.on_stop("one", noted("stop one"));
  app.on_start("two", [notes = notes]() -> Task<> {
    co_await sleep_for(5s);
    notes->add("start two");
  });
  app.on_stop("two", [notes = notes]() -> Task<> {
    co_await sleep_for(5s);
    notes->add("stop two");
  });
  app.on_start("three", noted("start three"));
  {
    TestClient client(app);
    EXPECT_EQ(notes->all(), (List{"start one", "start two", "start three"}));
  }
  EXPECT_EQ(notes->all(), (List{"start one", "start two", "start three", "stop two", "stop one"}));
  EXPECT_EQ(log->all(), List{});
}

TEST_F(AppLifecycle, does_not_start_where_a_part_fails_and_stops_what_had_begun) {
  app.on_stop("one", noted("stop one"));
  app.on_start("database", []() -> Task<Result<void>> {
    co_await sleep_for(1s);
    co_return fail(Error::unavailable("no such file"));
  });
  app.on_stop("database", noted("stop database"));
  app.on_start("three", noted("start three"));
  try {
    const TestClient client(app);
    ADD_FAILURE() << "it started";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().cause(),
              "error[service-unreachable]: database cannot start: no such file");
  }
  EXPECT_EQ(notes->all(), List{"stop one"});
}

TEST_F(AppLifecycle, tells_what_a_start_throws) {
  app.on_start("index", [] { throw std::runtime_error("it is torn"); });
  EXPECT_EQ(app.serve({.port = 0, .threads = 1}).code(), 1);
  EXPECT_EQ(log->all(), List{"index cannot start: it is torn code=start-failed"});
}

TEST_F(AppLifecycle, gives_a_stop_up_when_its_time_is_over_and_goes_on_with_the_others) {
  app.on_stop("one", noted("stop one"));
  app.on_stop("mail", []() -> Task<> { co_await sleep_for(24h); });
  app.on_stop("index", [] { throw std::runtime_error("it is torn"); });
  {
    const TestClient client(app);
  }
  EXPECT_EQ(notes->all(), List{"stop one"});
  EXPECT_EQ(log->all(), (List{"index failed to stop: it is torn",
                              "mail did not stop within its time limit: 10s"}));
}

TEST_F(AppLifecycle, destroys_a_background_that_never_ends_ahead_of_what_it_uses) {
  app.on_start("pool", noted("start pool"));
  app.on_stop("pool", noted("stop pool"));
  app.background("mail", [notes = notes]() -> Task<> {
    const Witness witness{notes, "mail"};
    notes->add("mail");
    co_await sleep_for(24h * 365);
  });
  app.on_start("last", noted("start last"));
  {
    TestClient client(app);
    client.advance(1h);
    EXPECT_EQ(notes->all(), (List{"start pool", "mail", "start last"}));
  }
  EXPECT_EQ(notes->all(),
            (List{"start pool", "mail", "start last", "mail destroyed", "stop pool"}));
}

TEST_F(AppLifecycle, gets_back_what_a_background_holds) {
  const auto permits = std::make_shared<Semaphore>(1);
  app.on_stop("pool", [notes = notes, permits]() -> Task<> {
    const Semaphore::Permit permit = co_await permits->acquire();
    notes->add(permit.is_held() ? "held" : "not held");
  });
  app.background("holder", [permits]() -> Task<> {
    const Semaphore::Permit permit = co_await permits->acquire();
    co_await sleep_for(24h);
  });
  {
    const TestClient client(app);
  }
  EXPECT_EQ(notes->all(), List{"held"});
  EXPECT_EQ(log->all(), List{});
}

TEST_F(AppLifecycle, runs_a_background_as_work_of_its_name) {
  app.background("mail", [notes = notes]() -> Task<> {
    co_await sleep_for(1s);
    const Work* const work = Work::current();
    notes->add(std::string(work->method) + " " + std::string(work->route));
  });
  TestClient client(app);
  client.advance(2s);
  EXPECT_EQ(notes->all(), List{"background mail"});
}

TEST_F(AppLifecycle, begins_a_background_again_that_throws_later_each_time) {
  app.background("mail", [notes = notes]() -> Task<> {
    notes->add("mail");
    throw std::runtime_error("no route");
    co_return;
  });
  TestClient client(app);
  EXPECT_EQ(notes->count("mail"), 1U);
  client.advance(999ms);
  EXPECT_EQ(notes->count("mail"), 1U);
  client.advance(1ms);
  EXPECT_EQ(notes->count("mail"), 2U);
  client.advance(1999ms);
  EXPECT_EQ(notes->count("mail"), 2U);
  client.advance(1ms);
  EXPECT_EQ(notes->count("mail"), 3U);
  client.advance(10min);
  EXPECT_LT(notes->count("mail"), 20U);
  EXPECT_GT(notes->count("mail"), 14U);  // at most a minute apart
  EXPECT_EQ(log->all().front(), "mail failed and restarts: no route");
}

TEST_F(AppLifecycle, leaves_a_background_alone_that_has_come_to_its_end) {
  app.background("once", [notes = notes]() -> Task<> {
    notes->add("once");
    co_return;
  });
  app.background("no more",
                 [notes = notes]() -> Task<> {
                   notes->add("no more");
                   throw Failure(Error::internal("gone"));
                   co_return;
                 },
                 {.restart_policy = RestartPolicy::stop});
  TestClient client(app);
  client.advance(1h);
  EXPECT_EQ(notes->all(), (List{"once", "no more"}));
  EXPECT_EQ(log->all(), List{"no more failed and does not restart: gone"});
}

/// Returns the seconds since the start at which the function was called.
std::vector<int> seconds_of(App& app, Duration watched, EveryOptions options,
                            std::vector<Duration> takes) {
  struct Seen {
    Instant start;
    std::vector<int> at;
    std::vector<Duration> takes;
    int running = 0;
  };
  const auto seen = std::make_shared<Seen>();
  seen->takes = std::move(takes);
  app.on_start("clock", [seen] { seen->start = Loop::current().now(); });
  app.every(
      "tick", 10s,
      [seen]() -> Task<> {
        const Instant now = Loop::current().now();
        EXPECT_EQ(seen->running++, 0) << "while the one before goes on";
        const std::size_t call = seen->at.size();
        seen->at.push_back(static_cast<int>((now - seen->start) / 1s));
        if (call < seen->takes.size()) {
          co_await sleep_for(seen->takes[call]);
        }
        --seen->running;
      },
      options);
  TestClient client(app);
  client.advance(watched);
  return seen->at;
}

TEST_F(AppLifecycle, calls_by_the_clock_whatever_a_call_takes) {
  EXPECT_EQ(seconds_of(app, 45s, {}, {3s, 9s, 1s}), (std::vector{10, 20, 30, 40}));
}

TEST_F(AppLifecycle, leaves_out_the_times_that_a_slow_call_has_taken) {
  EXPECT_EQ(seconds_of(app, 75s, {}, {25s, 11s}), (std::vector{10, 40, 60, 70}));
}

TEST_F(AppLifecycle, calls_at_once_where_that_is_wanted) {
  EXPECT_EQ(seconds_of(app, 25s, {.is_at_once = true}, {}), (std::vector{0, 10, 20}));
}

TEST_F(AppLifecycle, puts_each_time_off_by_no_more_than_the_jitter) {
  const std::vector<int> at = seconds_of(app, 1001s, {.jitter = 9s}, {});
  EXPECT_GE(at.size(), 99U);
  std::size_t late = 0;
  for (std::size_t index = 0; index < at.size(); ++index) {
    const int due = static_cast<int>(index + 1) * 10;
    EXPECT_GE(at[index], due);
    EXPECT_LE(at[index], due + 9);
    late += at[index] > due ? 1U : 0U;
  }
  EXPECT_GT(late, 50U);
}

TEST_F(AppLifecycle, calls_again_behind_a_call_that_throws) {
  app.every(1s, [notes = notes] {
    notes->add("tick");
    throw std::runtime_error("no");
  });
  TestClient client(app);
  client.advance(3s);
  EXPECT_EQ(notes->count("tick"), 3U);
  EXPECT_EQ(log->all().front(), "every 1s failed and runs again at the next interval: no");
}

TEST_F(AppLifecycle, tells_with_the_state_of_the_process_what_is_done_beside_requests) {
  app.every("cleaning", 1s, []() -> Task<> {
    co_await sleep_for(100ms);
    throw std::runtime_error("no");
  });
  const auto told = [] {
    for (const ResourceState& one : ResourceProbe::all()) {
      if (one.kind == "background" && one.name == "cleaning") {
        return one.numbers;
      }
    }
    return std::map<std::string, std::int64_t>();
  };
  {
    TestClient client(app);
    EXPECT_EQ(told(),
              (std::map<std::string, std::int64_t>{{"running", 0}, {"started", 0}, {"failed", 0}}));
    client.advance(1050ms);
    EXPECT_EQ(told()["running"], 1);
    client.advance(1s);
    EXPECT_EQ(told()["started"], 2);
    EXPECT_EQ(told()["failed"], 1);
  }
  EXPECT_TRUE(told().empty());
}

TEST_F(AppLifecycle, does_not_wait_for_a_call_that_goes_on_when_it_stops) {
  app.every(1s, [notes = notes]() -> Task<> {
    const Witness witness{notes, "tick"};
    co_await sleep_for(24h);
  });
  {
    TestClient client(app);
    client.advance(2s);
    EXPECT_EQ(notes->all(), List{});
  }
  EXPECT_EQ(notes->all(), List{"tick destroyed"});
}

TEST_F(AppLifecycle, has_no_intervals_of_nothing) {
  EXPECT_THROW(app.every(0s, [] {}), Failure);
  EXPECT_THROW(app.every(-1s, [] {}), Failure);
}

TEST_F(AppLifecycle, gives_its_states_to_what_goes_on_beside_requests) {
  app.state(std::make_unique<int>(7));
  app.state(notes);
  app.on_start("one", [](State<std::unique_ptr<int>> number, State<std::shared_ptr<Notes>> its) {
    (*its)->add("start " + std::to_string(**number));
  });
  app.background("two", [](State<std::shared_ptr<Notes>> its) -> Task<> {
    (*its)->add("background");
    co_return;
  });
  const TestClient client(app);
  EXPECT_EQ(notes->all(), (List{"start 7", "background"}));
}

TEST_F(AppLifecycle, names_a_state_that_nobody_gave) {
  app.every("cleaning", 1s, [](State<Notes>) {});
  const auto service = app.make_service();
  ASSERT_FALSE(service);
  EXPECT_TRUE(service.error().cause().starts_with("error[missing-state]: cleaning needs State<"))
      << service.error().cause();
}

TEST_F(AppLifecycle, starts_and_stops_anew_in_each_run_of_one_app) {
  app.on_start("one", noted("start"));
  app.background("two", [notes = notes]() -> Task<> {
    notes->add("background");
    co_await sleep_for(24h);
  });
  app.on_stop("three", noted("stop"));
  for (int run = 0; run < 3; ++run) {
    const TestClient client(app);
  }
  {
    const TestClient first(app), second(app);
  }
  EXPECT_EQ(notes->count("start"), 5U);
  EXPECT_EQ(notes->count("background"), 5U);
  EXPECT_EQ(notes->count("stop"), 5U);
}

class AppRuns : public AppLifecycle, public ::testing::WithParamInterface<Backend> {
 protected:
  /// Serves on three event loops until there are `until` notes.
  void serve_until(std::size_t until) {
    const auto service = app.make_service().value();
    Server server(*service, {.port = 0, .threads = 3, .backend = GetParam()});
    ASSERT_TRUE(server.start());
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (notes->all().size() < until) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      std::this_thread::yield();
    }
    server.stop();
    EXPECT_TRUE(server.wait());
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, AppRuns, ::testing::Values(Backend::epoll, Backend::io_uring),
                         [](const auto& backend) {
                           return backend.param == Backend::epoll ? "epoll" : "io_uring";
                         });

TEST_P(AppRuns, what_is_once_for_all_loops_once_and_the_rest_on_each) {
  app.on_start("one", noted("start"));
  app.on_stop("one", noted("stop"));
  const auto going_on = [notes = notes](const char* what) {
    return [notes, what]() -> Task<> {
      const Witness witness{notes, what};
      notes->add(what);
      co_await sleep_for(24h);
    };
  };
  app.background("process", going_on("process"));
  app.background("loop", going_on("loop"), {.runs_on = RunsOn::each_loop});
  app.every("cleaning", 24h, noted("cleaning"), {.runs_on = RunsOn::each_loop, .is_at_once = true});
  serve_until(1 + 1 + 3 + 3);
  EXPECT_EQ(notes->count("start"), 1U);
  EXPECT_EQ(notes->count("process"), 1U);
  EXPECT_EQ(notes->count("loop"), 3U);
  EXPECT_EQ(notes->count("cleaning"), 3U);
  EXPECT_EQ(notes->count("loop destroyed"), 3U);
  EXPECT_EQ(notes->count("process destroyed"), 1U);
  const List all = notes->all();
  EXPECT_EQ(List(all.end() - 2, all.end()), (List{"process destroyed", "stop"}));
}

TEST_P(AppRuns, tell_with_the_state_of_the_server_what_they_wait_for) {
  const auto sleeping = []() -> Task<> { co_await sleep_for(24h); };
  app.background("process", sleeping);
  app.background("loop", sleeping, {.runs_on = RunsOn::each_loop});
  app.background("asking", [notes = notes]() -> Task<> {
    List told;
    while (told.size() != 5) {
      told.clear();
      const auto state = co_await server_state();
      for (const LoopState& loop : state->loops) {
        for (const BackgroundState& one : loop.background) {
          told.push_back(one.name + (one.waits_for.empty() ? "" : " " + one.waits_for[0].what));
        }
      }
      co_await sleep_for(1ms);
    }
    std::ranges::sort(told);
    std::ranges::for_each(told, [&](const std::string& one) { notes->add(one); });
  });
  serve_until(5);
  EXPECT_EQ(notes->all(),
            (List{"asking", "loop sleep", "loop sleep", "loop sleep", "process sleep"}));
}

TEST_P(AppRuns, may_be_in_the_blocking_pool_when_they_stop) {
  const auto may_end = std::make_shared<std::atomic<bool>>(false);
  app.on_stop("one", [notes = notes, may_end] {
    notes->add("stop");
    *may_end = true;
  });
  app.background("crunching", [notes = notes, may_end]() -> Task<> {
    const Witness witness{notes, "crunching"};
    co_await run_blocking([notes, may_end] {
      notes->add("work");
      while (!may_end->load()) {
        std::this_thread::yield();
      }
      notes->add("work done");
    });
    notes->add("never");
  });
  serve_until(1);
  EXPECT_EQ(notes->all(), (List{"work", "crunching destroyed", "stop", "work done"}));
}

// Forks a process that serves until a signal, and writes its events to a pipe.
TEST_P(AppRuns, end_with_0_when_the_signal_comes_during_the_start) {
#ifdef __has_feature  // clang only
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer knows no threads that are begun behind a fork";
#endif
#endif
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto tell = [to = ends[1]](char byte) {
      return [to, byte] { (void)!::write(to, &byte, 1); };
    };
    App serving;
    serving.on_stop("one", tell('1'));
    serving.on_start("slow", [told = tell('s')]() -> Task<> {
      told();
      co_await sleep_for(24h);
    });
    serving.on_stop("slow", tell('2'));
    ::_exit(serving.serve({.port = 0, .threads = 2, .backend = GetParam()}).code());
  }
  ::close(ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, 's');
  ::kill(child, SIGTERM);
  EXPECT_EQ(::read(ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, '1');
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace eider
