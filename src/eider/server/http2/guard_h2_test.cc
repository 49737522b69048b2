// Guards over HTTP/2 decide before the request body is read, and wait while other streams continue.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/guards_app.h"
#include "tests/support/h2_server.h"

namespace eider::detail::http2 {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::received_on;
using GuardH2Server = test::H2ServerOf<SimApp<&set_up_guards>>;

const std::vector<std::string> kH2Groups = {"/plain", "/waiting", "/hooked"};

std::string head_block(std::string_view method, std::string_view path, std::string_view who,
                       std::string_view more = {}) {
  return test::head(method, path) + test::literal("who", who) + std::string(more);
}

std::string get_by(std::uint32_t stream, const std::string& path, std::string_view who) {
  return test::frame(test::Type::headers, test::kEndHeaders | test::kEndStream, stream,
                     head_block("GET", path, who));
}

std::string post_by(std::uint32_t stream, const std::string& path, std::string_view who,
                    std::string_view more = {}) {
  return test::frame(test::Type::headers, test::kEndHeaders, stream,
                     head_block("POST", path, who, more));
}

std::string data(std::uint32_t stream, std::string_view bytes, std::uint8_t flags = 0) {
  return test::frame(test::Type::data, flags, stream, bytes);
}

TEST(GuardsH2, let_through_and_refuse) {
  for (const std::string& group : kH2Groups) {
    for (const char* target : {"/me", "/later", "/streamed", "/events"}) {
      GuardH2Server server;
      SimClient client = server.connect();
      client.send(get_by(1, group + target, "ann") + get_by(3, group + target, "") +
                  get_by(5, group + target, "broken"));
      server.kernel.advance(milliseconds(50));
      const std::string received = client.take_received();
      EXPECT_TRUE(received_on(received, 1).content.contains("ann")) << group << target;
      EXPECT_TRUE(received_on(received, 3).content.contains("\"status\":401")) << group << target;
      EXPECT_TRUE(received_on(received, 5).content.contains("\"status\":500")) << group << target;
    }
  }
}

TEST(GuardsH2, decide_ahead_of_the_content) {
  for (const std::string& group : kH2Groups) {
    GuardH2Server server;
    SimClient client = server.connect();
    client.send(post_by(1, group + "/content", "") + post_by(3, group + "/content", "ann"));
    server.kernel.advance(milliseconds(50));
    const std::string early = client.take_received();
    EXPECT_TRUE(received_on(early, 1).content.contains("\"status\":401")) << group;
    EXPECT_FALSE(received_on(early, 3).has_head) << group;
    EXPECT_EQ(take_steps(), (std::vector<std::string>{"hook", group.substr(1) + " guard of 0",
                                                      "hook", group.substr(1) + " guard of 0"}));
    client.send(data(3, "ab") + data(3, "cd", test::kEndStream));
    server.kernel.advance(milliseconds(50));
    EXPECT_EQ(received_on(client.take_received(), 3).content, "ann:4") << group;
  }
}

TEST(GuardsH2, say_continue_when_they_have_let_it_through) {
  for (const std::string& group : kH2Groups) {
    GuardH2Server server;
    SimClient client = server.connect();
    const std::string expects = test::literal("expect", "100-continue");
    client.send(post_by(1, group + "/content", "bad", expects) +
                post_by(3, group + "/content", "ann", expects));
    server.kernel.advance(milliseconds(50));
    const std::string early = client.take_received();
    EXPECT_TRUE(received_on(early, 1).content.contains("\"status\":403"));
    EXPECT_TRUE(received_on(early, 3).has_head) << group;
    EXPECT_FALSE(received_on(early, 3).is_whole);
    client.send(data(3, "abcd", test::kEndStream));
    server.kernel.advance(milliseconds(50));
    EXPECT_EQ(received_on(client.take_received(), 3).content, "ann:4");
  }
}

// Much more than a window: the client may continue to send while the body is collected.
TEST(GuardsH2, gather_what_is_larger_than_a_window) {
  for (const std::string& group : kH2Groups) {
    GuardH2Server server({}, {.stream_window_bytes = 65'535, .gathered_bytes_max = 100'000});
    SimClient client = server.connect();
    client.send(post_by(1, group + "/content", "ann"));
    std::string received;
    std::uint64_t credit = 65'535;
    std::size_t left = 600'000;
    while (left != 0) {
      server.kernel.advance(milliseconds(50));
      received += client.take_received();
      credit = 65'535;
      for (const test::Frame& one : test::frames_of(received)) {
        if (one.type == test::Type::window_update && one.stream == 1) {
          credit += (static_cast<std::uint64_t>(static_cast<unsigned char>(one.payload[1])) << 16) |
                    (static_cast<std::uint64_t>(static_cast<unsigned char>(one.payload[2])) << 8) |
                    static_cast<unsigned char>(one.payload[3]);
        }
      }
      const std::size_t sent = 600'000 - left;
      ASSERT_LT(sent, credit) << group << ": no room for more";
      const std::size_t bytes = std::min<std::size_t>({left, credit - sent, 16'384});
      left -= bytes;
      client.send(data(1, std::string(bytes, 'x'), left == 0 ? test::kEndStream : 0));
    }
    server.kernel.advance(milliseconds(50));
    received += client.take_received();
    EXPECT_EQ(received_on(received, 1).content, "ann:600000") << group;
  }
}

TEST(GuardsH2, hold_content_to_its_pace_and_bounds) {
  for (const std::string& group : kH2Groups) {
    GuardH2Server server;
    SimClient client = server.connect();
    client.send(post_by(1, group + "/content", "ann") + data(1, "a"));
    server.kernel.advance(seconds(120));
    EXPECT_TRUE(received_on(client.take_received(), 1).content.contains("\"status\":408")) << group;
  }
}

TEST(GuardsH2, are_destroyed_where_they_wait) {
  for (const std::string path : {"/waiting/me", "/waiting/blocking"}) {
    for (const bool is_reset : {true, false}) {
      GuardH2Server server;
      SimClient client = server.connect();
      client.send(get_by(1, path, "ann") + get_by(3, path, "ann"));
      server.kernel.run_until_idle();
      EXPECT_EQ(guards_noted().waiting, 2);
      if (is_reset) {
        client.send(test::frame(test::Type::rst_stream, 0, 1, test::word(8)));
        server.kernel.run_until_idle();
        EXPECT_EQ(guards_noted().waiting, 1) << path;
      }
      client.reset();
      server.kernel.run_until_idle();
      EXPECT_EQ(guards_noted().waiting, 0) << path;
    }
  }
}

TEST(GuardsH2, refuse_a_websocket) {
  for (const std::string& group : kH2Groups) {
    GuardH2Server server;
    SimClient client = server.connect();
    const auto open = [&group](std::uint32_t stream, std::string_view who,
                               std::string_view basket) {
      return test::frame(
          test::Type::headers, test::kEndHeaders, stream,
          test::literal(":method", "CONNECT") + test::literal(":protocol", "websocket") +
              test::literal(":scheme", "http") + test::literal(":path", group + "/socket") +
              test::literal(":authority", "h") + test::literal("who", who) +
              test::literal("basket", basket) + test::literal("sec-websocket-version", "13"));
    };
    client.send(open(1, "", "ann's") + open(3, "ann", "ann's"));
    server.kernel.advance(milliseconds(50));
    const std::string received = client.take_received();
    EXPECT_TRUE(received_on(received, 1).content.contains("\"status\":401")) << group;
    EXPECT_TRUE(received_on(received, 3).content.contains("ann's")) << group;
  }
}

}  // namespace
}  // namespace eider::detail::http2
