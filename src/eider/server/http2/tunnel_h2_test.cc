// Another protocol on an HTTP/2 stream (RFC 8441): data in both directions, backpressure, and ends.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/sim/streaming_service.h"
#include "tests/support/h2_server.h"

namespace eider::detail::http2::test {
namespace {

using std::chrono::milliseconds;

/// Records the protocol's events, and contains its actions.
struct Script {
  std::string heard;
  std::string greeting;
  UpgradedLine* line = nullptr;
  int opened = 0;
  int gone = 0;
  bool pauses = false;
  bool stays = false;  // even though the server stops
};

class Scripted final : public Upgraded {
 public:
  Scripted(Script& script, UpgradedLine& line) : script_(script) {
    script_.line = &line;
    ++script_.opened;
    line.output().append(script_.greeting);
  }
  Scripted(const Scripted&) = delete;
  Scripted& operator=(const Scripted&) = delete;
  ~Scripted() override { ++script_.gone; }

  void on_bytes(std::string_view bytes) override {
    script_.heard += bytes;
    if (script_.pauses) {
      script_.line->pause_reading();
    }
  }
  void on_end() override { script_.heard += "<end>"; }
  void on_drained() override { script_.heard += "<drained>"; }
  void on_broken() override { script_.heard += "<broken>"; }
  void on_stopping() override {
    script_.heard += "<stopping>";
    script_.line->output().append("bye");
    (void)script_.line->flush();
    if (!script_.stays) {
      script_.line->close();
    }
  }

 private:
  Script& script_;
};

class ScriptedUpgrade final : public Upgrade {
 public:
  explicit ScriptedUpgrade(Script& script) : script_(script) {}
  UpgradedPtr take_over(UpgradedLine& line) override {
    return std::make_unique<Scripted>(script_, line);
  }

 private:
  Script& script_;
};

/// /line, and /later after 50 ms: another protocol. /ok, /no: an HTTP response.
class LineService final : public RequestService {
 public:
  RequestPlan plan(Request& request) noexcept override {
    return {.endpoint = this, .body_bytes_max = 1000, .waits = request.path() == "/later"};
  }
  void respond(const RequestPlan&, Request& request, Response& response) noexcept override {
    if (request.path() == "/ok" || request.path() == "/no") {
      response.set_status(request.path() == "/ok" ? 200 : 403).set_static_body("plain");
    } else {
      response.set_status(101).add_header("Upgrade", "websocket");
      response.set_content(std::make_unique<ScriptedUpgrade>(script));
    }
  }
  Task<> respond_later(const RequestPlan& plan, Request& request, Response& response,
                       const Ongoing&) override {
    co_await sleep_for(milliseconds(50));
    respond(plan, request, response);
  }
  void respond_failed(const Request&, Response*, std::exception_ptr) noexcept override {}
  void refuse(int status, std::string_view detail, Response& response) noexcept override {
    response.set_status(status).set_static_body(detail);
  }

  Script script;
};

using LineServer = H2ServerOf<LineService>;

std::string open_line(std::uint32_t stream, std::string_view path = "/line") {
  return frame(Type::headers, kEndHeaders, stream,
               literal(":method", "CONNECT") + literal(":protocol", "websocket") +
                   literal(":scheme", "http") + literal(":path", path) +
                   literal(":authority", "h"));
}

std::string data(std::uint32_t stream, std::string_view bytes, std::uint8_t flags = 0) {
  return frame(Type::data, flags, stream, bytes);
}

/// Returns the status of the response, which is the first header: an index of the static table, or
/// a literal of three digits.
std::string status_on(std::string_view bytes, std::uint32_t stream) {
  for (const Frame& one : frames_of(bytes)) {
    if (one.stream == stream && one.type == Type::headers) {
      return one.payload.front() == '\x88' ? "200" : "other";
    }
  }
  return "none";
}

/// Returns the bytes that the session has permitted the client to send on that stream.
std::uint64_t credit_on(std::string_view bytes, std::uint32_t stream) {
  std::uint64_t sum = 0;
  for (const Frame& one : frames_of(bytes)) {
    if (one.stream == stream && one.type == Type::window_update) {
      for (std::uint32_t shift = 0, at = 0; at < 4; ++at, shift += 8) {
        sum += std::uint64_t{static_cast<unsigned char>(one.payload[3 - at])} << shift;
      }
    }
  }
  return sum;
}

TEST(H2Tunnel, is_announced_and_passes_bytes_both_ways) {
  LineServer server;
  SimClient client = server.connect(open_line(1));
  EXPECT_NE(client.received().find(std::string("\0\x8\0\0\0\1", 6)), std::string_view::npos);
  EXPECT_EQ(status_on(client.received(), 1), "200");
  EXPECT_EQ(received_on(client.received(), 1).content, "");
  client.send(data(1, "hello"));
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.script.heard, "hello");
  server.service.script.line->output().append("world");
  server.kernel.run_until_idle();
  EXPECT_EQ(received_on(client.received(), 1).content, "world");
  EXPECT_FALSE(received_on(client.received(), 1).is_whole);
}

TEST(H2Tunnel, hears_the_same_however_its_frames_are_cut) {
  const std::string all = data(1, "hel") + data(1, "") + data(1, "lo", kEndStream);
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    LineServer server;
    SimClient client = server.connect(open_line(1) + all.substr(0, cut));
    client.send(all.substr(cut));
    server.kernel.run_until_idle();
    ASSERT_EQ(server.service.script.heard, "hello<end>") << cut;
  }
}

TEST(H2Tunnel, hears_later_what_came_before_the_response) {
  LineServer server;
  SimClient client = server.connect(open_line(1, "/later") + data(1, "early", kEndStream));
  EXPECT_EQ(server.service.script.opened, 0);
  server.kernel.advance(milliseconds(60));
  EXPECT_EQ(status_on(client.received(), 1), "200");
  EXPECT_EQ(server.service.script.heard, "early<end>");
}

TEST(H2Tunnel, may_speak_first) {
  for (const std::string_view path : {"/line", "/later"}) {
    LineServer server;
    server.service.script.greeting = "welcome";
    SimClient client = server.connect(open_line(1, path) + open_line(3, "/later"));
    server.kernel.advance(milliseconds(60));
    EXPECT_EQ(received_on(client.received(), 1).content, "welcome") << path;
    EXPECT_EQ(received_on(client.received(), 3).content, "welcome") << path;
    client.send(data(1, "x") + data(3, "y"));
    server.kernel.run_until_idle();
    EXPECT_EQ(server.service.script.heard, "xy") << path;
  }
}

TEST(H2Tunnel, is_refused_where_http_alone_is_spoken) {
  LineServer server;
  SimClient client = server.connect(open_line(1, "/ok") + open_line(3, "/no") + data(1, "x"));
  EXPECT_EQ(status_on(client.received(), 1), "other");
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
  EXPECT_EQ(received_on(client.received(), 3).content, "plain");
  EXPECT_EQ(server.service.script.opened, 0);
}

TEST(H2Tunnel, lets_the_client_send_no_more_than_the_protocol_takes) {
  LineServer server;
  server.service.script.pauses = true;
  SimClient client = server.connect(open_line(1));
  const std::string piece(16'000, 'x');
  client.send(data(1, piece));
  server.kernel.run_until_idle();
  for (int count = 0; count < 3; ++count) {
    client.send(data(1, piece));
  }
  client.send(data(1, "", kEndStream));
  server.kernel.run_until_idle();
  const std::uint64_t credit = credit_on(client.received(), 1);
  EXPECT_LE(credit, piece.size());
  EXPECT_EQ(server.service.script.heard.size(), piece.size());
  server.service.script.pauses = false;
  server.service.script.line->resume_reading();
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.script.heard.size(), 4 * piece.size() + std::string("<end>").size());
  EXPECT_TRUE(server.service.script.heard.ends_with("x<end>"));
}

TEST(H2Tunnel, waits_for_the_client_s_window_and_tells_when_it_has_drained) {
  LineServer server;
  SimClient client = server.connect(initial_window(10) + open_line(1));
  UpgradedLine& line = *server.service.script.line;
  line.output().append("0123456789");
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.script.heard, "");  // it was sent immediately
  line.output().append("more");
  EXPECT_FALSE(line.flush());
  server.kernel.run_until_idle();
  EXPECT_EQ(line.waiting_bytes(), 4U);
  line.output().append("!");
  EXPECT_EQ(line.waiting_bytes(), 4U);
  server.kernel.run_until_idle();
  client.send(window_update(1, 3));
  server.kernel.run_until_idle();
  EXPECT_EQ(line.waiting_bytes(), 2U);
  EXPECT_EQ(server.service.script.heard, "");
  client.send(window_update(1, 30));
  server.kernel.run_until_idle();
  EXPECT_EQ(line.waiting_bytes(), 0U);
  EXPECT_EQ(server.service.script.heard, "<drained>");
  EXPECT_EQ(received_on(client.received(), 1).content, "0123456789more!");
}

TEST(H2Tunnel, ends_when_both_sides_have_ended) {
  LineServer server;
  SimClient client = server.connect(open_line(1));
  server.service.script.line->output().append("last");
  server.service.script.line->close();
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.script.gone, 1);
  EXPECT_EQ(received_on(client.received(), 1).content, "last");
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
  client.send(data(1, "ignored") + data(1, "", kEndStream) + get(3, "/ok"));
  server.kernel.run_until_idle();
  EXPECT_FALSE(received_on(client.received(), 1).is_reset);
  EXPECT_EQ(received_on(client.received(), 3).content, "plain");
  EXPECT_EQ(server.service.script.heard, "");
}

TEST(H2Tunnel, is_half_open_while_its_protocol_waits_for_the_client_s_end) {
  LineServer server;
  SimClient client = server.connect(open_line(1));
  server.service.script.line->end();
  server.kernel.run_until_idle();
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
  client.send(data(1, "still", kEndStream));
  server.kernel.run_until_idle();
  EXPECT_TRUE(server.service.script.heard.starts_with("still"));
  EXPECT_EQ(server.service.script.gone, 1);
}

TEST(H2Tunnel, whose_client_never_ends_is_reset_after_a_while) {
  LineServer server({.linger = milliseconds(500)});
  SimClient client = server.connect(open_line(1));
  server.service.script.line->end();
  server.kernel.run_until_idle();
  server.service.script.line->close();
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.script.gone, 1);
  server.kernel.advance(std::chrono::seconds(5));
  EXPECT_TRUE(received_on(client.received(), 1).is_reset);
  EXPECT_FALSE(client.is_closed());
}

TEST(H2Tunnel, is_cut_off_by_force) {
  LineServer server;
  SimClient client = server.connect(initial_window(2) + open_line(1));
  server.service.script.line->output().append("too much");
  server.kernel.run_until_idle();
  server.service.script.line->reset();
  server.service.script.line->close();
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.script.gone, 1);
  const auto frames = frames_of(client.received());
  EXPECT_EQ(frames.back().type, Type::rst_stream);
  EXPECT_EQ(frames.back().payload, word(8));  // CANCEL
}

TEST(H2Tunnel, is_broken_by_the_client_s_reset_and_with_its_connection) {
  LineServer server;
  SimClient client = server.connect(open_line(1));
  client.send(frame(Type::rst_stream, 0, 1, word(8)));
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.script.heard, "<broken>");
  EXPECT_EQ(server.service.script.gone, 1);
  client.send(open_line(3));
  server.kernel.run_until_idle();
  client.reset();
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.script.heard, "<broken><broken>");
  EXPECT_EQ(server.service.script.gone, 2);
}

TEST(H2Tunnel, is_broken_as_soon_as_its_connection_is_ended_for_an_error) {
  LineServer server;
  SimClient client = server.connect(open_line(1));
  client.send(data(0, "on no stream"));
  server.kernel.run_until_idle();
  EXPECT_TRUE(has_goaway(client.received()));
  EXPECT_EQ(server.service.script.heard, "<broken>");
  EXPECT_EQ(server.service.script.gone, 1);
}

TEST(H2Tunnel, says_goodbye_when_the_server_stops) {
  LineServer server;
  SimClient client = server.connect(open_line(1));
  server.drain(std::chrono::seconds(5));
  server.kernel.advance(milliseconds(200));
  EXPECT_EQ(server.service.script.heard, "<stopping>");
  EXPECT_EQ(received_on(client.received(), 1).content, "bye");
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
  client.send(data(1, "", kEndStream));
  server.kernel.advance(milliseconds(1500));
  EXPECT_TRUE(has_goaway(client.received()));
}

TEST(H2Tunnel, that_begins_while_the_server_stops_is_told_so_once) {
  LineServer server;
  SimClient client = server.connect();
  server.service.script.stays = true;
  server.drain(std::chrono::seconds(10));
  server.kernel.advance(milliseconds(70));
  client.send(open_line(1));
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.script.opened, 1);
  EXPECT_EQ(server.service.script.heard, "");
  server.kernel.advance(std::chrono::seconds(4));
  EXPECT_EQ(server.service.script.heard, "<stopping><drained>");
  EXPECT_EQ(received_on(client.received(), 1).content, "bye");
}

TEST(H2Tunnel, that_outlasts_the_drain_is_destroyed) {
  LineServer server;
  {
    SimClient client = server.connect(open_line(1, "/later"));
    server.kernel.advance(milliseconds(60));
    server.drain(milliseconds(100));
    server.kernel.advance(std::chrono::seconds(2));
  }
  EXPECT_EQ(server.service.script.opened, server.service.script.gone);
}

TEST(H2Tunnel, loses_nothing_whatever_the_kernel_does) {
  const std::string piece(1000, 'x');
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    H2ServerOf<StreamingService> server;
    server.kernel.set_faults(SimFaults::harmless(0.3));
    SimClient client = server.connect(window_update(0, 1 << 20) + open_line(1, "/shout"));
    for (int count = 0; count < 60; ++count) {
      client.send(data(1, piece));
      server.kernel.advance(milliseconds(1));
    }
    client.send(data(1, "", kEndStream));
    server.kernel.advance(milliseconds(100));
    const Received all = received_on(client.received(), 1);
    ASSERT_EQ(all.content.size(), 60'000U) << seed;
    ASSERT_EQ(all.content, std::string(60'000, 'X')) << seed;
    ASSERT_TRUE(all.is_whole) << seed;
  }
}

}  // namespace
}  // namespace eider::detail::http2::test
