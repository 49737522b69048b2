// An overloaded event loop, in simulated time: which requests are rejected, and how.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tests/sim/sim_server.h"
#include "tests/sim/streaming_service.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kClients = 40;

std::string request_for(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

std::string request_with(std::string_view target, std::string_view content) {
  return "POST " + std::string(target) +
         " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(content.size()) + "\r\n\r\n" +
         std::string(content);
}

std::size_t count(const std::vector<ReadResponse>& responses, int status) {
  return static_cast<std::size_t>(std::ranges::count(responses, status, &ReadResponse::status));
}

/// A server whose clients all send at the same time, and again after each response.
template <class S>
class Busy {
 public:
  explicit Busy(Limits limits = {.queue_time = std::chrono::milliseconds(5)}) : server(limits) {
    for (std::size_t i = 0; i < kClients; ++i) {
      clients.push_back(server.connect());
    }
    server.kernel.run_until_idle();
  }

  std::vector<ReadResponse> ask(std::string_view bytes, std::size_t of = kClients) {
    for (std::size_t i = 0; i < of; ++i) {
      clients[i].send(bytes);
    }
    server.kernel.run_until_idle();
    std::vector<ReadResponse> all;
    for (std::size_t i = 0; i < of; ++i) {
      const auto own = read_responses(clients[i].take_received());
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  /// Sends until the server rejects requests, and once more: the next requests follow a turn that
  /// has only rejected.
  void overload() {
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(count(ask(request_for("/busy?1000")), 200), kClients) << i;
    }
    ASSERT_EQ(count(ask(request_for("/busy?1000")), 503), kClients);
  }

  SimServerOf<S> server;
  std::vector<SimClient> clients;
};

using BusyServer = Busy<ScriptedService>;

TEST(Overload, refuses_nobody_of_a_burst) {
  BusyServer busy;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(count(busy.ask(request_for("/busy?2000")), 200), kClients);
    busy.server.kernel.advance(milliseconds(20));
    // A short turn shows that the burst is over.
    EXPECT_EQ(count(busy.ask(request_for("/busy?1000"), 1), 200), 1U);
  }
}

TEST(Overload, serves_as_many_as_have_not_waited_too_long_and_refuses_the_others) {
  BusyServer busy;
  busy.overload();
  std::size_t served = 0;
  const Instant begin = busy.server.kernel.now();
  for (int i = 0; i < 100; ++i) {
    const auto responses = busy.ask(request_for("/busy?1000"));
    ASSERT_EQ(responses.size(), kClients);
    const std::size_t here = count(responses, 200);
    EXPECT_LE(here, StandingQueue::kOthersMin);
    EXPECT_EQ(count(responses, 503), kClients - here);
    served += here;
  }
  EXPECT_GE(served, 400U);
  EXPECT_EQ(busy.server.kernel.now() - begin, milliseconds(served));  // rejecting took no time
}

TEST(Overload, refuses_with_a_time_to_ask_again_and_keeps_the_connection) {
  BusyServer busy;
  busy.overload();
  const auto responses = busy.ask(request_for("/busy?1000"));
  const auto refused = std::ranges::find(responses, 503, &ReadResponse::status);
  ASSERT_NE(refused, responses.end());
  EXPECT_NE(refused->head.find("Retry-After: 1\r\n"), std::string::npos) << refused->head;
  EXPECT_EQ(refused->head.find("Connection: close"), std::string::npos) << refused->head;
  EXPECT_TRUE(std::ranges::none_of(busy.clients, &SimClient::is_closed));
}

TEST(Overload, refuses_nobody_who_asks_for_what_is_answered_however_much_there_is_to_do) {
  BusyServer busy;
  busy.overload();
  for (int i = 0; i < 10; ++i) {
    const auto responses = busy.ask(request_for("/busy?1000") + request_for("/vital"));
    ASSERT_EQ(responses.size(), 2 * kClients);
    EXPECT_EQ(std::ranges::count(responses, "hello", &ReadResponse::body), kClients);
  }
}

TEST(Overload, refuses_what_of_a_pipeline_waits_too_long_in_its_order) {
  constexpr int kRequests = 1000;
  BusyServer busy;
  busy.overload();
  std::string pipeline;
  for (int i = 0; i < kRequests; ++i) {
    pipeline += request_for("/busy?1000");
  }
  const auto responses = busy.ask(pipeline + request_for("/vital"), 1);
  ASSERT_EQ(responses.size(), kRequests + 1U);
  EXPECT_GE(count(responses, 200), 6U);
  EXPECT_LE(count(responses, 200), 200U);
  EXPECT_EQ(responses.front().status, 200);
  EXPECT_EQ(responses.back().body, "hello");
}

TEST(Overload, goes_on_behind_the_content_of_what_it_refuses) {
  BusyServer busy;
  busy.overload();
  const std::string trap = request_for("/status?204");
  for (int i = 0; i < 3; ++i) {
    const auto responses = busy.ask(request_with("/busy?1000", trap) + request_for("/vital"));
    ASSERT_EQ(responses.size(), 2 * kClients);
    EXPECT_EQ(count(responses, 204), 0U);
    EXPECT_GT(count(responses, 503), 0U);
  }
}

TEST(Overload, ends_the_connection_of_content_that_is_still_to_come_once_the_response_is_read) {
  BusyServer busy;
  busy.overload();
  const std::string all = request_with("/busy?1000", std::string(100, 'c'));
  std::vector<ReadResponse> responses;
  for (int i = 0; i < 2; ++i) {  // one of two rounds is rejected
    responses = busy.ask(i == 0 ? request_for("/busy?1000") : all.substr(0, all.size() - 50));
  }
  ASSERT_EQ(count(responses, 503), kClients - count(busy.ask(std::string(50, 'c')), 200));
  const auto refused = std::ranges::find(responses, 503, &ReadResponse::status);
  ASSERT_NE(refused, responses.end());
  EXPECT_NE(refused->head.find("Connection: close\r\n"), std::string::npos) << refused->head;
  // Further input is read and ignored, so that no reset overtakes the response.
  for (SimClient& client : busy.clients) {
    client.send(std::string(10'000, 'c'));
    busy.server.kernel.run_until_idle();
    EXPECT_FALSE(client.is_reset());
    client.half_close();
  }
  busy.server.kernel.run_until_idle();
  EXPECT_EQ(busy.server.worker().in_flight(), 0U);
}

TEST(Overload, refuses_what_the_kernel_has_kept_back_for_too_long) {
  BusyServer busy;
  busy.overload();
  busy.server.kernel.set_events_max(10);  // four turns read the concurrent requests
  std::size_t served = 0;
  for (int i = 0; i < 10; ++i) {
    const auto responses = busy.ask(request_for("/busy?4000"));
    ASSERT_EQ(responses.size(), kClients);
    served += count(responses, 200);
  }
  EXPECT_LE(served, 200U);
}

TEST(Overload, refuses_nobody_of_a_burst_of_which_the_kernel_keeps_back_some_behind_an_idle_loop) {
  BusyServer busy({.queue_time = milliseconds(50)});
  busy.server.kernel.set_events_max(2);
  for (int i = 0; i < 10; ++i) {
    busy.server.kernel.advance(seconds(10));
    EXPECT_EQ(count(busy.ask(request_for("/busy?2000")), 200), kClients) << i;
  }
}

TEST(Overload, refuses_nobody_whose_client_was_answered_a_moment_ago) {
  // A constant number of clients keeps the loop busy for hours, and no request waits long.
  BusyServer busy({.queue_time = milliseconds(80)});
  busy.server.kernel.set_events_max(20);
  for (SimClient& client : busy.clients) {
    client.send(request_for("/busy?1000"));
  }
  std::size_t asked = 0;
  while (asked < 4000 && busy.server.kernel.step()) {
    for (SimClient& client : busy.clients) {
      const auto responses = read_responses(client.take_received());
      EXPECT_EQ(count(responses, 503), 0U) << asked;
      if (!responses.empty()) {
        client.send(request_for("/busy?1000"));
        ++asked;
      }
    }
  }
  EXPECT_EQ(asked, 4000U);
}

TEST(Overload, is_found_out_also_where_turns_are_short_as_the_kernel_keeps_back_the_rest) {
  BusyServer busy({.queue_time = milliseconds(50)});
  busy.server.kernel.set_events_max(2);
  EXPECT_GT(count(busy.ask(request_for("/busy?10000")), 503), 0U);
}

TEST(Overload, refuses_what_would_wait_before_it_begins) {
  BusyServer busy;
  busy.overload();
  const int before = busy.server.service.finished;
  std::size_t refused = 0;
  for (int i = 0; i < 4; ++i) {
    refused += count(busy.ask(request_for("/busy?1000") + request_for("/wait-now")), 503);
  }
  EXPECT_GT(refused, 3 * kClients);
  EXPECT_LT(busy.server.service.finished - before, 3 * static_cast<int>(kClients));
  EXPECT_EQ(busy.server.worker().in_flight(), 0U);
}

TEST(Overload, is_over_when_nobody_was_late_for_a_second) {
  BusyServer busy;
  busy.overload();
  busy.server.kernel.advance(seconds(2));
  EXPECT_EQ(count(busy.ask(request_for("/busy?1000"), 1), 200), 1U);
  EXPECT_EQ(count(busy.ask(request_for("/busy?1000")), 200), kClients);
}

TEST(Overload, refuses_nobody_for_what_a_turn_took_behind_which_the_loop_was_idle) {
  BusyServer busy;
  busy.overload();
  for (int i = 0; i < 100; ++i) {
    busy.server.kernel.advance(milliseconds(20));
    EXPECT_EQ(count(busy.ask(request_for("/busy?1000"), StandingQueue::kOthersMin), 200),
              StandingQueue::kOthersMin);
  }
}

TEST(Overload, refuses_nobody_of_those_who_come_at_once_to_a_loop_that_was_idle) {
  BusyServer busy;
  busy.overload();
  for (int i = 0; i < 5; ++i) {
    busy.server.kernel.advance(milliseconds(900));
    EXPECT_EQ(count(busy.ask(request_for("/busy?10")), 200), kClients) << i;
  }
}

TEST(Overload, lets_in_no_more_than_it_can_do_soon_of_what_takes_its_time_behind_a_wait) {
  BusyServer busy;
  busy.overload();
  std::size_t served = 0;
  for (int i = 0; i < 20; ++i) {
    const std::size_t refused = count(busy.ask(request_for("/wait-busy?1000")), 503);
    EXPECT_GE(refused, kClients / 2) << i;
    served += kClients - refused;
    // It sleeps for 1 ms, works on the accepted requests, and sleeps again.
    busy.server.kernel.advance(milliseconds(1));
    busy.server.kernel.run_until_idle();
    busy.server.kernel.advance(milliseconds(1));
    for (SimClient& client : busy.clients) {
      (void)client.take_received();
    }
  }
  EXPECT_GE(served, 100U);
}

TEST(Overload, is_over_where_bursts_are_worked_off_though_some_of_each_are_late) {
  BusyServer busy;
  busy.overload();
  std::size_t refused = 0;
  for (int i = 0; i < 40; ++i) {
    refused = count(busy.ask(request_for("/busy?1000")), 503);
    busy.server.kernel.advance(milliseconds(60));
    EXPECT_EQ(count(busy.ask(request_for("/busy?1000"), 1), 200), 1U);
  }
  EXPECT_EQ(refused, 0U);
}

TEST(Overload, serves_by_the_time_that_it_has_slept_also_what_is_read_a_turn_later) {
  BusyServer busy;
  busy.overload();
  busy.server.kernel.set_events_max(10);
  busy.server.kernel.advance(milliseconds(900));
  EXPECT_EQ(count(busy.ask(request_for("/busy?100")), 200), kClients);
}

TEST(Overload, serves_by_the_time_that_it_has_slept_also_where_nobody_was_read_in_that_turn) {
  BusyServer busy;
  busy.overload();
  busy.server.kernel.advance(milliseconds(50));
  EXPECT_EQ(count(busy.ask(request_for("/vital"), 1), 200), 1U);
  EXPECT_EQ(count(busy.ask(request_for("/busy?10")), 200), kClients);
}

TEST(Overload, is_none_where_one_turn_was_stuck_and_what_has_waited_is_served) {
  BusyServer busy;
  EXPECT_EQ(count(busy.ask(request_for("/busy?500000"), 1), 200), 1U);
  // Half of the load that the server can handle arrives all the time.
  for (const std::size_t waiting : {40U, 20U, 10U, 5U, 2U, 1U}) {
    EXPECT_EQ(count(busy.ask(request_for("/busy?1000"), waiting), 200), waiting);
  }
  EXPECT_EQ(count(busy.ask(request_for("/busy?1000")), 200), kClients);
}

TEST(Overload, refuses_nobody_for_a_queue_of_what_costs_as_little_as_a_refusal) {
  BusyServer busy;
  for (int i = 0; i < 30; ++i) {
    std::string pipeline;
    for (int one = 0; one < 20; ++one) {
      pipeline += request_for("/busy?10");  // 8 ms per turn, all the time
    }
    EXPECT_EQ(count(busy.ask(pipeline), 503), 0U);
  }
}

TEST(Overload, refuses_nobody_where_everybody_may_wait) {
  BusyServer busy;
  busy.overload();
  busy.server.worker().take({.queue_time = Duration::zero()});
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(count(busy.ask(request_for("/busy?1000")), 503), 0U);
  }
}

}  // namespace
}  // namespace eider
