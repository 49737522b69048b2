#include "eider/protocols/http/h1/response_body.h"

#include <gtest/gtest.h>

#include <string>

namespace eider::h1 {
namespace {

ReplyHead head_of(ReplyBody body, std::uint64_t length = 0) {
  ReplyHead head;
  head.body = body;
  head.content_length = length;
  return head;
}

/// Returns the content, "|", how it ended, "|", the trailers, "|" and the remaining bytes.
std::string outcome(const ReplyHead& head, std::string_view in, std::size_t piece_bytes) {
  ResponseBodyReader reader(head);
  std::string content;
  for (;;) {
    const ReplyStep step = reader.read(in.substr(0, piece_bytes));
    content.append(step.data);
    in.remove_prefix(step.consumed);
    if (step.status == ChunkedStatus::done) {
      return content.append("|done|").append(reader.trailer_lines()).append("|").append(in);
    }
    if (step.status == ChunkedStatus::refused) {
      return content.append("|").append(flaw_info(reader.flaw()).text);
    }
    if (in.empty() && step.status == ChunkedStatus::need_more) {
      return content.append(reader.may_end() ? "|may end" : "|need more");
    }
  }
}

void expect_however_cut(const ReplyHead& head, std::string_view in, std::string_view wanted) {
  for (std::size_t bytes = 1; bytes <= in.size() + 1; ++bytes) {
    EXPECT_EQ(outcome(head, in, bytes), wanted) << "in pieces of " << bytes;
  }
}

TEST(ResponseBodyReader, finds_the_end_of_what_is_sized) {
  expect_however_cut(head_of(ReplyBody::sized, 5), "helloHTTP", "hello|done||HTTP");
  expect_however_cut(head_of(ReplyBody::sized, 5), "hell", "hell|need more");
}

TEST(ResponseBodyReader, leaves_everything_when_there_is_no_content) {
  expect_however_cut(head_of(ReplyBody::none), "HTTP", "|done||HTTP");
}

TEST(ResponseBodyReader, takes_everything_up_to_the_connections_end) {
  expect_however_cut(head_of(ReplyBody::until_close), "0\r\n\r\n", "0\r\n\r\n|may end");
}

TEST(ResponseBodyReader, reads_chunks_and_keeps_their_trailers) {
  const ReplyHead chunked = head_of(ReplyBody::chunked);
  expect_however_cut(chunked, "5;a=b\r\nhello\r\n1\r\n!\r\n0\r\n\r\nHTTP", "hello!|done||HTTP");
  expect_however_cut(chunked, "0\r\n\r\n", "|done||");
  expect_however_cut(chunked, "0\r\nA: b\r\n\r\n", "|done|A: b\r\n|");
  expect_however_cut(chunked, "0\r\nA \t: b\r\n\r\n", "|done|A \t: b\r\n|");
  expect_however_cut(chunked, "2\r\n\r\n\r\n0;q=\"x;\"\r\nA: b\r\nC: d\r\n\r\n.",
                     "\r\n|done|A: b\r\nC: d\r\n|.");
}

TEST(ResponseBodyReader, says_what_is_wrong_with_chunks) {
  const auto text = [](ResponseFlaw flaw) { return "|" + std::string(flaw_info(flaw).text); };
  using enum ResponseFlaw;
  const ReplyHead chunked = head_of(ReplyBody::chunked);
  expect_however_cut(chunked, "x\r\n", text(bad_chunk));
  expect_however_cut(chunked, "-1\r\n", text(bad_chunk));
  expect_however_cut(chunked, "0x5\r\n", text(bad_chunk));
  expect_however_cut(chunked, "fffffffffffffffff\r\n", text(bad_chunk));
  expect_however_cut(chunked, "1\r\nab\r\n", "a" + text(bad_chunk));
  expect_however_cut(chunked, "1\n", text(bare_lf));
  expect_however_cut(chunked, "1\rx", text(bare_cr));
  expect_however_cut(chunked, "0\r\nA b\r\n", text(bad_trailer));
  expect_however_cut(chunked, "0\r\nA b : c\r\n", text(bad_trailer));
  expect_however_cut(chunked, "0\r\n A: c\r\n", text(bad_trailer));
  expect_however_cut(chunked, "5;" + std::string(5000, 'a'), text(chunk_extension_too_large));
  expect_however_cut(chunked, "0\r\nA: " + std::string(9000, 'a'), text(trailers_too_large));
  expect_however_cut(chunked, "5\r\nhel", "hel|need more");
}

TEST(ResponseBodyReader, splits_trailers_into_fields) {
  const auto fields = split_trailers("A:b\r\nC-D \t:  e f \r\nG:\r\n");
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[1].name, "C-D");
  EXPECT_EQ(fields[1].value, "e f");
  EXPECT_EQ(fields[2].value, "");
  EXPECT_TRUE(split_trailers("").empty());
}

}  // namespace
}  // namespace eider::h1
