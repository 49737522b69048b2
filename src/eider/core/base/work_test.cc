#include "eider/core/base/work.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "eider/core/base/resource_probe.h"

namespace eider {
namespace {

using What = WaitNote::What;

const std::chrono::steady_clock::time_point kNow{};

std::vector<std::string> waits_of(const Work& work) {
  std::vector<std::string> told;
  work.waits().look_through([&](const WaitNote& note) {
    told.push_back(std::string(to_text(note.what())).append(" ").append(note.text()));
    return true;
  });
  return told;
}

TEST(WaitNote, is_told_to_the_work_that_runs_until_its_end) {
  auto* const work = new Work;
  const WorkRef kept(work);
  const Within within(kept);
  {
    const WaitNote first(What::sleep, "", kNow);
    const WaitNote second(What::statement, "select 1", kNow);
    EXPECT_EQ(waits_of(*work), (std::vector<std::string>{"sleep ", "statement select 1"}));
  }
  EXPECT_TRUE(waits_of(*work).empty());
}

TEST(WaitNote, costs_nobody_who_is_not_followed) {
  WaitNote note(What::sleep, "", kNow);
  EXPECT_FALSE(note.is_there());
  note.end();
}

TEST(WaitNote, of_what_is_within_a_work_is_told_to_the_outermost) {
  auto* const outer = new Work;
  const WorkRef kept(outer);
  WorkRef innermost;
  {
    auto* const middle = new Work;
    const WorkRef until_here(middle);
    middle->set_outer(*outer);
    auto* const inner = new Work;
    innermost = WorkRef(inner);
    inner->set_outer(*middle);
  }
  const Within within(innermost);
  const WaitNote note(What::request, "GET http://a", kNow);
  EXPECT_EQ(waits_of(*outer), (std::vector<std::string>{"request GET http://a"}));
}

TEST(WaitNote, keeps_its_work) {
  auto* const work = new Work;
  WaitNote note;
  {
    const WorkRef kept(work);
    const Within within(kept);
    note.begin(What::sleep, "", kNow);
  }
  EXPECT_EQ(waits_of(*work).size(), 1U);
  note.end();  // and, with its last reference, the work
}

TEST(WaitNote, may_begin_anew) {
  auto* const work = new Work;
  const WorkRef kept(work);
  const Within within(kept);
  WaitNote note(What::sleep, "", kNow);
  note.begin(What::client, "to read more", kNow);
  EXPECT_EQ(waits_of(*work), (std::vector<std::string>{"client to read more"}));
}

// Only the work's own thread may change the list.
TEST(WaitNote, of_another_thread_is_not_told) {
  auto* const work = new Work;
  const WorkRef kept(work);
  std::thread([&kept] {
    const Within within(kept);
    const WaitNote note(What::sleep, "", kNow);
    EXPECT_FALSE(note.is_there());
  }).join();
  EXPECT_TRUE(waits_of(*work).empty());
}

std::int64_t told_of(std::string_view name) {
  for (const ResourceState& one : ResourceProbe::all()) {
    if (one.name == name) {
      return one.numbers.at("waiting");
    }
  }
  return -1;
}

TEST(ResourceProbe, tells_as_long_as_it_lives) {
  std::int64_t waiting = 3;
  {
    const ResourceProbe inspected([&waiting] {
      return ResourceState{.kind = "queue", .name = "mails", .numbers = {{"waiting", waiting}}};
    });
    EXPECT_EQ(told_of("mails"), 3);
    waiting = 4;
    EXPECT_EQ(told_of("mails"), 4);
  }
  EXPECT_EQ(told_of("mails"), -1);
}

TEST(ResourceProbe, comes_and_goes_while_others_ask) {
  std::jthread asks([](const std::stop_token& stopped) {
    while (!stopped.stop_requested()) {
      EXPECT_GE(told_of("passing"), -1);
    }
  });
  for (int round = 0; round < 1000; ++round) {
    auto number = std::make_unique<std::int64_t>(round);
    const ResourceProbe inspected([&own = *number] {
      return ResourceState{.kind = "queue", .name = "passing", .numbers = {{"waiting", own}}};
    });
  }
}

TEST(ResourceProbe, reports_all_objects_or_at_most_a_number) {
  std::vector<std::unique_ptr<ResourceProbe>> many;
  for (int count = 0; count < 200; ++count) {
    many.push_back(std::make_unique<ResourceProbe>([] { return ResourceState(); }));
  }
  EXPECT_EQ(ResourceProbe::all(100).size(), 100U);
  EXPECT_GE(ResourceProbe::all().size(), 200U);
}

/// Returns the next number of a child of this process.
std::uint64_t next_of_child() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::uint64_t id = next_span_id();
    ::_exit(::write(ends[1], &id, sizeof id) == sizeof id ? 0 : 1);
  }
  std::uint64_t id = 0;
  EXPECT_EQ(::read(ends[0], &id, sizeof id), static_cast<ssize_t>(sizeof id));
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(ends[0]);
  ::close(ends[1]);
  return id;
}

TEST(SpanIds, of_processes_that_were_forked_differ) {
  const std::uint64_t own = next_span_id();
  const std::uint64_t first = next_of_child();
  const std::uint64_t second = next_of_child();
  EXPECT_EQ((std::set{own, first, second, next_span_id()}).size(), 4U);
}

TEST(Traceparent, is_read_as_the_standard_has_it) {
  constexpr std::string_view kGood = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const auto place = read_traceparent(kGood);
  ASSERT_TRUE(place.has_value());
  EXPECT_TRUE(place->is_sampled);
  EXPECT_EQ(traceparent_text(*place), kGood);
  EXPECT_FALSE(
      read_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02")->is_sampled);
  EXPECT_TRUE(
      read_traceparent("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes"));
  const std::array<std::string, 12> bad = {
      "",
      "00",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-010",
      "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.what",
      "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
      "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e473\n-00f067aa0ba902b7-01",
  };
  for (const std::string& text : bad) {
    EXPECT_FALSE(read_traceparent(text).has_value()) << text;
  }
  for (std::size_t bytes = 0; bytes < kGood.size(); ++bytes) {
    EXPECT_FALSE(read_traceparent(kGood.substr(0, bytes)).has_value()) << bytes;
  }
}

}  // namespace
}  // namespace eider
