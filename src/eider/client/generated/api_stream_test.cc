#include "eider/client/generated/api_stream.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "eider/client/generated/api_request.h"
#include "eider/client/test_client_line.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/sleep.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using testing::ClientLine;
using testing::response;

struct Reading {
  int value = 0;
};

/// The body ends with the connection, so that it can be split anywhere.
constexpr std::string_view kEvents =
    "HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\n\r\n";
constexpr std::string_view kChunkedEvents =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr std::string_view kLines = "HTTP/1.1 200 OK\r\nContent-Type: application/jsonl\r\n\r\n";

std::string text_of(const ApiEvent<std::string>& event) {
  return event.event + " [" + event.data + "] " + event.id;
}
std::string text_of(const ApiEvent<Reading>& event) {
  return event.event + " " + std::to_string(event.data.value) + " " + event.id;
}
std::string text_of(const Reading& reading) {
  return std::to_string(reading.value);
}
std::string text_of(const Error& error) {
  return std::to_string(error.status()) +
         (error.detail().contains("does not match its OpenAPI document") ? " not as told" : "");
}

/// Two calls after an error show whether it was the last one.
template <class S>
Task<> take_all(Task<Result<S>> opening, std::string& told) {
  Result<S> stream = co_await std::move(opening);
  if (!stream) {
    told += text_of(stream.error()) + "; ";
    co_return;
  }
  for (int faults = 0; faults < 3;) {
    auto next = co_await stream->next();
    if (next && *next) {
      told += text_of(**next) + "; ";
    } else if (next) {
      told += "end; ";
      co_return;
    } else {
      told += text_of(next.error()) + "; ";
      ++faults;
    }
  }
}

/// Reads a stream as it arrives.
template <class S>
class Taken : public ClientLine {
 public:
  explicit Taken(ApiStreamLimits limits = {}) : server_{client, "http://a", nullptr, limits} {
    loop.call([&] {
      task_ = take_all(open(ApiRequest(server_, Method::get, "/")), told_);
      task_.start();
    });
  }

  /// Returns the events since the last call.
  std::string told(std::string_view bytes) {
    say(bytes);
    return told();
  }
  std::string told() { return std::exchange(told_, {}); }
  void drop() {
    task_ = Task<>();
    kernel.run_until_idle();
  }

 private:
  static Task<Result<S>> open(ApiRequest request) {
    if constexpr (std::same_as<S, ApiLines<Reading>>) {
      return std::move(request).get_lines<Reading>();
    } else if constexpr (std::same_as<S, ApiEvents<Reading>>) {
      return std::move(request).get_events<Reading>();
    } else {
      return std::move(request).get_events<std::string>();
    }
  }

  ApiServer server_;
  std::string told_;
  Task<> task_;
};

/// Returns all events of a body that arrives in two pieces, split at `cut`.
template <class S>
std::string told_of(std::string_view head, std::string_view content, std::size_t cut) {
  Taken<S> taken;
  taken.say(head);
  taken.say(content.substr(0, cut));
  taken.say(content.substr(cut));
  taken.end();
  return taken.told();
}

TEST(ApiEvents, come_one_by_one_however_their_bytes_are_cut) {
  constexpr std::string_view kContent =
      "\xEF\xBB\xBF: hello\n\ndata: one\r\ndata: two\r\nid: 7\r\n\r\nevent: tick\rdata\r\r"
      "id\n\nevent: none\n\ndata: 3\n\ndata: cut off";
  for (std::size_t cut = 0; cut <= kContent.size(); ++cut) {
    EXPECT_EQ(told_of<ApiEvents<std::string>>(kEvents, kContent, cut),
              "message [one\ntwo] 7; tick [] 7; message [3] ; end; ")
        << cut;
  }
}

TEST(ApiEvents, are_asked_for_by_their_type) {
  Taken<ApiEvents<std::string>> taken;
  EXPECT_TRUE(taken.sent().contains("\r\nAccept: text/event-stream\r\n"));
}

TEST(ApiEvents, hold_structs_and_one_that_does_not_ends_nothing) {
  Taken<ApiEvents<Reading>> taken;
  taken.say(kEvents);
  EXPECT_EQ(taken.told("data: {\"value\":\ndata: 5, \"new\": true}\nid: 1\n\n"), "message 5 1; ");
  EXPECT_EQ(taken.told("data: {\"value\":\"x\"}\n\ndata: {\"value\":6}\n\n"),
            "502 not as told; message 6 1; ");
}

TEST(ApiLines, come_one_by_one_however_their_bytes_are_cut) {
  constexpr std::string_view kContent =
      "{\"value\":1}\r\n\n \t\r\n{\"value\":2}\nnull\n{\"value\":3}";
  for (std::size_t cut = 0; cut <= kContent.size(); ++cut) {
    EXPECT_EQ(told_of<ApiLines<Reading>>(kLines, kContent, cut), "1; 2; 502 not as told; 3; end; ")
        << cut;
  }
}

TEST(ApiLines, end_with_the_content) {
  Taken<ApiLines<Reading>> none;
  EXPECT_EQ(none.told(response("")), "end; ");
  Taken<ApiLines<Reading>> empty;
  EXPECT_EQ(empty.told(response("\n  ")), "end; ");
}

TEST(ApiStreams, are_bounded_item_by_item) {
  const ApiStreamLimits limits{.item_bytes_max = 20};
  Taken<ApiEvents<std::string>> events(limits);
  events.say(kEvents);
  const std::string longest(10, 'x');
  EXPECT_EQ(events.told("data:" + longest + "\n\ndata:" + longest + "\ndata:123456789\n\n"),
            "message [" + longest + "] ; message [" + longest + "\n123456789] ; ");
  EXPECT_EQ(events.told("data:" + longest + "\ndata:" + longest + "\n\n"), "502; 502; 502; ");
  EXPECT_TRUE(events.peers[0].is_closed());
  Taken<ApiLines<Reading>> lines(limits);
  lines.say(kLines);
  EXPECT_EQ(lines.told("{\"value\":1}" + std::string(9, ' ') + "\n{\"value\": 1234567890"), "1; ");
  EXPECT_EQ(lines.told("1"), "502; 502; 502; ");
  EXPECT_TRUE(lines.peers[0].is_closed());
}

TEST(ApiStreams, are_left_when_an_item_does_not_come_to_its_end) {
  const auto fed_slowly = [](auto& taken, std::string_view piece) {
    for (int left = 4; left > 0 && !taken.peers[0].is_closed(); --left) {
      taken.say(piece);
      taken.kernel.advance(10s);
    }
    return taken.told();
  };
  Taken<ApiEvents<std::string>> events;
  events.say(kEvents);
  EXPECT_EQ(fed_slowly(events, ":still here\n\n"), "") << "a comment is no event";
  events.say("data: x\n\n");
  EXPECT_EQ(events.told(), "message [x] ; ");
  EXPECT_EQ(fed_slowly(events, "data:\n"), "504; 504; 504; ");
  Taken<ApiLines<Reading>> lines;
  lines.say(kLines);
  EXPECT_EQ(fed_slowly(lines, "1"), "504; 504; 504; ");
}

TEST(ApiStreams, are_left_when_the_server_falls_silent_or_is_lost) {
  Taken<ApiEvents<std::string>> silent;
  silent.say(kEvents);
  silent.kernel.advance(31s);
  EXPECT_EQ(silent.told(), "504; 504; 504; ");
  Taken<ApiEvents<std::string>> lost;
  lost.say(kChunkedEvents);
  lost.say("9\r\ndata: x\n\n\r\n");
  lost.end();
  EXPECT_EQ(lost.told(), "message [x] ; 502; 502; 502; ");
}

TEST(ApiStreams, are_none_where_the_response_is_another) {
  Taken<ApiEvents<std::string>> page;
  EXPECT_EQ(page.told(response("<p>", "Content-Type: text/html\r\n")), "502 not as told; ");
  Taken<ApiEvents<std::string>> bare;
  EXPECT_EQ(bare.told(response("data: x\n\n")), "502 not as told; ");
  Taken<ApiEvents<std::string>> nothing;
  EXPECT_EQ(nothing.told("HTTP/1.1 204 No Content\r\n\r\n"), "end; ");
  Taken<ApiEvents<std::string>> refused;
  EXPECT_EQ(refused.told(response("no", {}, "403 Forbidden")), "403; ");
}

TEST(ApiStreams, end_their_request_when_they_are_dropped) {
  Taken<ApiEvents<std::string>> taken;
  taken.say(kEvents);
  taken.say("data: x\n");
  taken.drop();
  EXPECT_TRUE(taken.peers[0].is_closed());
}

/// Waits a second for each event, and pauses for a minute after an event that did not arrive.
Task<> poll(Task<Result<ApiEvents<std::string>>> opening, std::string& told) {
  Result<ApiEvents<std::string>> stream = co_await std::move(opening);
  while (true) {
    auto next = co_await with_deadline(stream->next(), 1s);
    if (!next) {
      told += "late; ";
      co_await sleep_for(1min);
    } else if (*next && **next) {
      told += text_of(***next) + "; ";
    } else {
      told += *next ? "end; " : "fault; ";
      co_return;
    }
  }
}

TEST(ApiStreams, lose_nothing_when_a_wait_is_given_up) {
  ClientLine line;
  ApiServer server{line.client, "http://a"};
  std::string told;
  Task<> task;
  line.loop.call([&] {
    task = poll(ApiRequest(server, Method::get, "/").get_events<std::string>(), told);
    task.start();
  });
  line.say(kEvents);
  line.say("data: on");
  line.kernel.advance(10s);
  line.say("e\n\ndata: two\n\ndata: th");
  line.kernel.advance(55s);
  line.say("ree\n\n");
  line.kernel.advance(70s);
  line.end();
  line.kernel.advance(70s);
  EXPECT_EQ(told, "late; message [one] ; message [two] ; late; message [three] ; late; end; ");
}

}  // namespace
}  // namespace eider
