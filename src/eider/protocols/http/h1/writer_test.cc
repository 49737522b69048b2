#include "eider/protocols/http/h1/writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace eider::h1 {
namespace {

/// At Sun, 06 Nov 1994 08:49:37 GMT.
const HeadStart& start() {
  static HeadStart start;
  return start.at(784111777);
}

std::string written(const ResponseHead& head) {
  Buffer out;
  write_head(out, head);
  return std::string(out.view());
}

TEST(WriteHead, writes_the_usual_head_byte_by_byte) {
  EXPECT_EQ(written({.content_length = 13, .content_type = "text/plain", .start = &start()}),
            "HTTP/1.1 200 OK\r\nServer: eider\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Content-Type: text/plain\r\nContent-Length: 13\r\n\r\n");
}

TEST(WriteHead, writes_every_part_that_it_is_told_to) {
  EXPECT_EQ(written({.status = 201,
                     .framing = Framing::chunked,
                     .persistence = Persistence::close,
                     .content_type = "application/json",
                     .start = &start(),
                     .field_lines = "Location: /a\r\nX: y\r\n"}),
            "HTTP/1.1 201 Created\r\nServer: eider\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
            "Connection: close\r\nLocation: /a\r\nX: y\r\n\r\n");
}

TEST(WriteHead, begins_in_the_same_way_whatever_is_usual_in_it) {
  constexpr std::string_view kServerAndDate =
      "Server: eider\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
  const std::string_view type_line = "Content-Type: text/plain\r\n";
  const auto expected = [&](std::string_view status, std::string_view type) {
    return std::string("HTTP/1.1 ")
        .append(status)
        .append("\r\n")
        .append(kServerAndDate)
        .append(type)
        .append("Content-Length: 0\r\n\r\n");
  };
  EXPECT_EQ(written({.content_type = "text/plain", .start = &start()}),
            expected("200 OK", type_line));
  EXPECT_EQ(written({.start = &start()}), expected("200 OK", ""));
  EXPECT_EQ(written({.status = 404, .content_type = "text/plain", .start = &start()}),
            expected("404 Not Found", type_line));
}

TEST(HeadStart, follows_the_seconds_that_it_is_given) {
  HeadStart start;
  EXPECT_EQ(start.at(784111777).date(), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(start.at(784111778).date(), "Sun, 06 Nov 1994 08:49:38 GMT");
  EXPECT_EQ(start.at(0).date(), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(start.at(784111777).date(), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(WriteHead, leaves_out_what_it_is_not_told) {
  EXPECT_EQ(written({.status = 204, .framing = Framing::none}),
            "HTTP/1.1 204 No Content\r\nServer: eider\r\n\r\n");
}

TEST(WriteHead, says_keep_alive_to_who_has_asked_for_it) {
  EXPECT_EQ(written({.persistence = Persistence::spoken}),
            "HTTP/1.1 200 OK\r\nServer: eider\r\nContent-Length: 0\r\n"
            "Connection: keep-alive\r\n\r\n");
}

TEST(WriteHead, keeps_the_space_where_a_status_has_no_phrase) {
  // RFC 9112, section 4: the reason phrase may be empty, the space before it may not be missing.
  EXPECT_EQ(written({.status = 299, .framing = Framing::none}),
            "HTTP/1.1 299 \r\nServer: eider\r\n\r\n");
}

TEST(WriteHead, writes_any_length_and_any_size_of_text) {
  for (std::size_t size = 1; size < 80; ++size) {
    const std::string type(size, 't');
    EXPECT_EQ(written({.content_type = type, .field_lines = "A: b\r\n"}),
              "HTTP/1.1 200 OK\r\nServer: eider\r\nContent-Type: " + type +
                  "\r\nContent-Length: 0\r\nA: b\r\n\r\n");
  }
  for (std::uint64_t length = 1; length < std::numeric_limits<std::uint64_t>::max() / 10;
       length *= 10) {
    for (const std::uint64_t number : {length - 1, length, length + 1}) {
      EXPECT_EQ(written({.content_length = number}),
                "HTTP/1.1 200 OK\r\nServer: eider\r\nContent-Length: " + std::to_string(number) +
                    "\r\n\r\n");
    }
  }
  EXPECT_EQ(written({.content_length = std::numeric_limits<std::uint64_t>::max()}),
            "HTTP/1.1 200 OK\r\nServer: eider\r\nContent-Length: 18446744073709551615\r\n\r\n");
}

TEST(WriteHead, leaves_what_stands_in_the_buffer_before_it) {
  Buffer out;
  out.append("before");
  write_head(out, {.status = 204, .framing = Framing::none});
  EXPECT_TRUE(out.view().starts_with("beforeHTTP/1.1 204"));
}

TEST(WriteChunk, writes_size_and_content) {
  Buffer out;
  write_chunk(out, "abcdefghijklmnopqrstuvwxyz");
  write_chunk(out, "a");
  EXPECT_EQ(out.view(), "1a\r\nabcdefghijklmnopqrstuvwxyz\r\n1\r\na\r\n");
}

TEST(WriteChunk, does_not_end_the_body_by_an_empty_chunk) {
  Buffer out;
  write_chunk(out, "");
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace eider::h1
