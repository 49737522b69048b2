#include "eider/protocols/http/h1/content_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace eider::h1 {
namespace {

struct Read {
  std::string content;
  std::string behind;
  bool is_done = false;
};

Read read_in_two(const RequestHead& head, std::string_view in, std::size_t cut) {
  ContentReader reader;
  reader.begin(head);
  Read read;
  std::string_view left = in.substr(0, cut);
  for (int part = 0; part < 2; ++part) {
    for (;;) {
      const ChunkedStep step = reader.read(left);
      left.remove_prefix(step.consumed);
      read.content.append(step.data);
      if (step.status != ChunkedStatus::data) {
        break;
      }
    }
    read.behind.append(left);
    left = in.substr(cut);
  }
  read.is_done = reader.is_done();
  return read;
}

TEST(ContentReader, reads_sized_content_and_nothing_behind_it_wherever_it_is_cut) {
  RequestHead head;
  head.body = BodyKind::sized;
  head.content_length = 5;
  const std::string_view in = "helloGET";
  for (std::size_t cut = 0; cut <= in.size(); ++cut) {
    const Read read = read_in_two(head, in, cut);
    EXPECT_EQ(read.content, "hello") << cut;
    EXPECT_EQ(read.behind, "GET") << cut;
    EXPECT_TRUE(read.is_done) << cut;
  }
  EXPECT_FALSE(read_in_two(head, "hell", 2).is_done);
}

TEST(ContentReader, reads_chunks_and_nothing_behind_them_wherever_they_are_cut) {
  RequestHead head;
  head.body = BodyKind::chunked;
  const std::string_view in = "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\nGET";
  for (std::size_t cut = 0; cut <= in.size(); ++cut) {
    const Read read = read_in_two(head, in, cut);
    EXPECT_EQ(read.content, "hello") << cut;
    EXPECT_EQ(read.behind, "GET") << cut;
    EXPECT_TRUE(read.is_done) << cut;
  }
  EXPECT_FALSE(read_in_two(head, in.substr(0, in.size() - 4), 2).is_done);
}

TEST(ContentReader, is_done_at_once_where_no_content_follows) {
  ContentReader reader;
  reader.begin(RequestHead());
  EXPECT_TRUE(reader.is_done());
  EXPECT_EQ(reader.read("GET").consumed, 0U);
}

TEST(ContentReader, tells_why_chunks_are_refused) {
  RequestHead head;
  head.body = BodyKind::chunked;
  ContentReader reader;
  reader.begin(head);
  EXPECT_EQ(reader.read("x").status, ChunkedStatus::refused);
  EXPECT_EQ(reader.refusal(), Refusal::bad_chunk_size);
  EXPECT_FALSE(reader.is_done());
}

}  // namespace
}  // namespace eider::h1
