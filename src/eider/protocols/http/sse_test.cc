#include "eider/protocols/http/sse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider {
namespace {

using std::chrono::milliseconds;

std::string written_event(const SseEvent& event) {
  Buffer out;
  EXPECT_TRUE(write_event(out, event).has_value());
  return std::string(out.view());
}

TEST(WriteEvent, writes_what_is_there) {
  EXPECT_EQ(written_event({.data = "a"}), "data: a\n\n");
  EXPECT_EQ(written_event({.event = "tick", .data = "a", .id = "7"}),
            "id: 7\nevent: tick\ndata: a\n\n");
  EXPECT_EQ(written_event({.data = "a", .retry = milliseconds(1500), .comment = "c"}),
            ": c\nretry: 1500\ndata: a\n\n");
  EXPECT_EQ(written_event({.event = "tick"}), "event: tick\ndata:\n\n");
  EXPECT_EQ(written_event({.id = "7"}), "id: 7\n\n");
  EXPECT_EQ(written_event({}), "\n");
}

TEST(WriteEvent, splits_data_at_every_kind_of_line_end) {
  EXPECT_EQ(written_event({.data = "a\nb\rc\r\nd"}), "data: a\ndata: b\ndata: c\ndata: d\n\n");
  EXPECT_EQ(written_event({.data = "\n"}), "data:\ndata:\n\n");
  EXPECT_EQ(written_event({.data = "a\n\nb\n"}), "data: a\ndata:\ndata: b\ndata:\n\n");
  EXPECT_EQ(written_event({.data = "\r\r\n\n"}), "data:\ndata:\ndata:\ndata:\n\n");
  EXPECT_EQ(written_event({.data = " a"}), "data:  a\n\n");
  EXPECT_EQ(written_event({.data = "x", .comment = "a\r\n\nb"}), ": a\n:\n: b\ndata: x\n\n");
}

struct BadEvent {
  SseEvent event;
  SseError error;
};

TEST(WriteEvent, writes_nothing_of_what_would_say_something_else) {
  const BadEvent cases[] = {
      {{.event = "a\nb"}, SseError::bad_event},
      {{.event = "a\r"}, SseError::bad_event},
      {{.event = std::string_view("a\0", 2)}, SseError::bad_event},
      {{.data = "x", .id = "1\n"}, SseError::bad_id},
      {{.data = "x", .id = "\r1"}, SseError::bad_id},
      {{.data = "x", .id = std::string_view("\0", 1)}, SseError::bad_id},
      {{.data = "x", .retry = milliseconds(-1)}, SseError::bad_retry},
  };
  for (const BadEvent& one : cases) {
    Buffer out;
    EXPECT_EQ(write_event(out, one.event), fail(one.error));
    EXPECT_TRUE(out.empty());
    EXPECT_FALSE(text(one.error).empty());
  }
}

/// The events, each as "event|data|last id;", and "!" if the input was rejected.
class Stream {
 public:
  explicit Stream(const SseLimits& limits = {}) : parser_(limits) {}
  Stream& feed(std::string_view in) {
    const std::vector<char> exact(in.begin(), in.end());
    std::string_view rest(exact.data(), exact.size());
    SseStep step = parser_.read(rest);
    for (; step.status == SseStatus::event; step = parser_.read(rest)) {
      found_.append(parser_.event()).append("|").append(parser_.data()).append("|");
      found_.append(parser_.last_event_id()).append(";");
      rest.remove_prefix(step.consumed);
    }
    if (step.status == SseStatus::refused) {
      found_ += "!";
    } else {
      EXPECT_EQ(step.consumed, rest.size());
    }
    return *this;
  }
  const std::string& found() const { return found_; }
  const SseParser& parser() const { return parser_; }

 private:
  SseParser parser_;
  std::string found_;
};

struct StreamCase {
  std::string_view stream;
  std::string_view found;
};

constexpr StreamCase kCases[] = {
    // The examples of the standard.
    {"data: YHOO\ndata: +2\ndata: 10\n\n", "message|YHOO\n+2\n10|;"},
    {": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
     "message|first event|1;message|second event|;message| third event|;"},
    {"data\n\ndata\ndata\n\ndata:", "message||;message|\n|;"},
    {"data:test\n\ndata: test\n\n", "message|test|;message|test|;"},
    // Line ends.
    {"data: a\r\rdata: b\r\n\r\ndata: c\n\r", "message|a|;message|b|;message|c|;"},
    {"data: a\r\n\n", "message|a|;"},
    {"data: a\n\r\ndata: b\n\n", "message|a|;message|b|;"},
    {"\n\n\r\r\n", ""},
    // The byte order mark.
    {"\xEF\xBB\xBF"
     "data: a\n\n",
     "message|a|;"},
    {"\xEF\xBB\xBF\xEF\xBB\xBF"
     "data: a\n\n",
     ""},
    {"\xEF\xBB"
     "data: a\ndata: b\n\n",
     "message|b|;"},
    {"\xEF\xBB\xBF\n", ""},
    {"\n\xEF\xBB\xBF"
     "data: a\n\n",
     ""},
    // Fields.
    {"event: tick\ndata: a\n\ndata: b\n\n", "tick|a|;message|b|;"},
    {"event: tick\nevent: tock\ndata: a\n\n", "tock|a|;"},
    {"event: tick\nevent\ndata: a\n\n", "message|a|;"},
    {"event: tick\n\ndata: a\n\n", "message|a|;"},
    {"id: 1\n\ndata: a\n\n", "message|a|1;"},
    {"id: 1\ndata: a\n\ndata: b\n\n", "message|a|1;message|b|1;"},
    {"data: a:b: c\n\n", "message|a:b: c|;"},
    {"Data: a\n\n", ""},
    {" data: a\n\n", ""},
    {"data : a\n\n", ""},
    {"other: x\ndata: a\n\n", "message|a|;"},
    {":\n:a\n: data: b\ndata: a\n\n", "message|a|;"},
    {"data: a", ""},
    {"data: a\n", ""},
    {"retry: 10\ndata: a\nretry: x\n\n", "message|a|;"},
};

TEST(SseParser, finds_the_events_of_every_case) {
  for (const StreamCase& one : kCases) {
    EXPECT_EQ(Stream().feed(one.stream).found(), one.found) << one.stream;
  }
  EXPECT_EQ(Stream().feed(std::string_view("id: 1\nid: 2\0\ndata: a\n\n", 22)).found(),
            "message|a|1;")
      << "an id with NUL is none";
}

TEST(SseParser, finds_the_same_byte_by_byte) {
  for (const StreamCase& one : kCases) {
    Stream stream;
    for (const char& byte : one.stream) {
      stream.feed({&byte, 1});
    }
    EXPECT_EQ(stream.found(), one.found) << one.stream;
  }
}

TEST(SseParser, finds_the_same_cut_in_two_anywhere) {
  for (const StreamCase& one : kCases) {
    for (std::size_t size = 0; size <= one.stream.size(); ++size) {
      Stream stream;
      stream.feed(one.stream.substr(0, size)).feed(one.stream.substr(size));
      EXPECT_EQ(stream.found(), one.found) << one.stream << " cut at " << size;
    }
  }
}

TEST(SseParser, an_id_counts_from_the_end_of_its_block) {
  Stream stream;
  stream.feed("id: 1\n");
  EXPECT_EQ(stream.parser().last_event_id(), "");
  stream.feed("\n");
  EXPECT_EQ(stream.parser().last_event_id(), "1");
}

TEST(SseParser, takes_a_retry_time_of_digits_alone) {
  Stream stream;
  stream.feed("retry: 1500\n");
  EXPECT_EQ(stream.parser().retry(), milliseconds(1500));
  for (const std::string_view line :
       {"retry: -1\n", "retry: +1\n", "retry: 1s\n", "retry:  1\n", "retry:\n", "retry\n",
        "retry: 1.5\n", "retry: 100000000000000000000\n", "retry: 100000000000000\n"}) {
    stream.feed(line);
    EXPECT_EQ(stream.parser().retry(), milliseconds(1500)) << line;
  }
  stream.feed("retry:0\n");
  EXPECT_EQ(stream.parser().retry(), milliseconds(0));
}

TEST(SseParser, knows_whether_an_event_has_begun_to_come) {
  SseParser parser;
  const auto is_within_behind = [&parser](std::string_view in) {
    while (!in.empty()) {
      in.remove_prefix(parser.read(in).consumed);
    }
    return parser.is_within_event();
  };
  EXPECT_FALSE(is_within_behind(""));
  EXPECT_FALSE(is_within_behind(": comment\n\nretry: 5\n"));
  for (const std::string_view piece : {"d", "ata: a", "\n"}) {
    EXPECT_TRUE(is_within_behind(piece)) << piece;
  }
  EXPECT_FALSE(is_within_behind("\n"));
  EXPECT_TRUE(is_within_behind("event: a\n"));
  EXPECT_FALSE(is_within_behind("\n"));
  EXPECT_TRUE(is_within_behind("id: 7\n"));
  EXPECT_FALSE(is_within_behind("\n"));
  EXPECT_TRUE(is_within_behind(": com"));
}

TEST(SseParser, takes_as_much_as_its_limits_say_and_no_more) {
  const SseLimits limits{.line_bytes_max = 8, .data_bytes_max = 5};
  EXPECT_EQ(Stream(limits).feed("data: ab\n\n").found(), "message|ab|;");
  EXPECT_EQ(Stream(limits).feed("data: abc").found(), "!");
  EXPECT_EQ(Stream(limits).feed("data: ab").feed("c").found(), "!");
  EXPECT_EQ(Stream(limits).feed(":1234567\n:12345678").found(), "!");
  EXPECT_EQ(Stream(limits).feed("data:ab\ndata:cd\n\n").found(), "message|ab\ncd|;");
  EXPECT_EQ(Stream(limits).feed("data:ab\ndata:cde\n\ndata:a\n\n").found(), "!");
}

TEST(SseParser, reads_what_is_written) {
  Buffer out;
  EXPECT_TRUE(write_event(out, {.event = "e", .data = " a\r\n\rb\n", .id = "7"}).has_value());
  write_comment(out, "still\nhere");
  EXPECT_TRUE(write_event(out, {.data = "c", .comment = "d"}).has_value());
  EXPECT_EQ(Stream().feed(out.view()).found(), "e| a\n\nb\n|7;message|c|7;");
}

}  // namespace
}  // namespace eider
