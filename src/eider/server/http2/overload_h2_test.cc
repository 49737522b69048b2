// An overloaded event loop, over HTTP/2.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/support/h2_server.h"

namespace eider::detail::http2::test {
namespace {

constexpr std::uint32_t kStreams = 100;

/// Repeatedly sends a hundred requests on one connection.
class Busy {
 public:
  explicit Busy() : client(server.connect(window_update(0, 1U << 20U))) {}

  /// returns  the received bytes
  std::string ask(std::string_view path) {
    std::string requests;
    for (std::uint32_t i = 0; i < kStreams; ++i) {
      requests += get(next_, path);
      next_ += 2;
    }
    return exchange(requests);
  }

  std::string exchange(const std::string& bytes) {
    client.send(bytes);
    server.kernel.run_until_idle();
    return client.take_received();
  }

  static std::uint32_t served(std::string_view bytes) {
    std::uint32_t count = 0;
    for (const Frame& one : frames_of(bytes)) {
      count += one.type == Type::data && one.payload == "done" ? 1 : 0;
    }
    return count;
  }

  void overload() {
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(served(ask("/busy?1000")), kStreams) << i;
    }
    ASSERT_EQ(served(ask("/busy?1000")), 0U);
  }

  [[nodiscard]] std::uint32_t take_stream() {
    const std::uint32_t stream = next_;
    next_ += 2;
    return stream;
  }

  H2Server server{{.queue_time = std::chrono::milliseconds(5)}};
  SimClient client;

 private:
  std::uint32_t next_ = 1;
};

TEST(OverloadH2, refuses_the_streams_that_wait_too_long_and_keeps_the_connection) {
  Busy busy;
  busy.overload();
  for (int i = 0; i < 20; ++i) {
    const std::string bytes = busy.ask("/busy?1000");
    EXPECT_LE(Busy::served(bytes), StandingQueue::kOthersMin);
    EXPECT_FALSE(has_goaway(bytes));
  }
  EXPECT_FALSE(busy.client.is_closed());
}

TEST(OverloadH2, answers_what_is_answered_however_much_there_is_to_do) {
  Busy busy;
  busy.overload();
  for (int i = 0; i < 4; ++i) {
    (void)busy.ask("/busy?1000");
    const std::uint32_t stream = busy.take_stream();
    EXPECT_EQ(received_on(busy.exchange(get(stream, "/vital")), stream).content, "hello");
  }
}

TEST(OverloadH2, refuses_a_stream_whose_content_is_still_to_come_and_reads_on) {
  Busy busy;
  busy.overload();
  std::string requests;
  const std::uint32_t first = busy.take_stream();
  std::uint32_t stream = first;
  for (std::uint32_t i = 0; i + 1 < kStreams; ++i) {
    requests += post(stream, "/busy?1000") + frame(Type::data, 0, stream, "some");
    stream = busy.take_stream();
  }
  std::string bytes = busy.exchange(requests);
  std::string rest;
  for (std::uint32_t one = first; one < stream; one += 2) {
    rest += frame(Type::data, kEndStream, one, "more");
  }
  bytes += busy.exchange(rest);
  EXPECT_FALSE(has_goaway(bytes));
  EXPECT_LE(Busy::served(bytes), StandingQueue::kOthersMin);
  EXPECT_EQ(received_on(busy.exchange(get(stream, "/vital")), stream).content, "hello");
  EXPECT_EQ(busy.server.worker().in_flight(), 0U);
}

}  // namespace
}  // namespace eider::detail::http2::test
