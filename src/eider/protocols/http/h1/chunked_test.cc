#include "eider/protocols/http/h1/chunked.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/h1/writer.h"
#include "tests/conformance/h1_chunked_cases.h"

namespace eider::h1 {
namespace {

struct Decoded {
  ChunkedStatus status = ChunkedStatus::need_more;
  std::string content = {};
  std::size_t consumed = 0;
  Refusal refusal = Refusal::none;
};

/// Feeds `in` to the reader and adds the output to `decoded`.
void feed(ChunkedReader& reader, std::string_view in, Decoded& decoded) {
  const std::vector<char> exact(in.begin(), in.end());
  std::string_view rest(exact.data(), exact.size());
  ChunkedStep step = reader.read(rest);
  for (; step.status == ChunkedStatus::data; step = reader.read(rest)) {
    decoded.content.append(step.data);
    decoded.consumed += step.consumed;
    rest.remove_prefix(step.consumed);
  }
  decoded.consumed += step.consumed;
  decoded.status = step.status;
  decoded.refusal = reader.refusal();
}

Decoded decode(std::string_view in) {
  ChunkedReader reader;
  Decoded decoded;
  feed(reader, in, decoded);
  return decoded;
}

void expect_outcome(const ChunkedCase& one, const Decoded& decoded) {
  EXPECT_EQ(decoded.refusal, one.refusal) << one.what << ", RFC " << one.section;
  if (one.refusal == Refusal::none) {
    EXPECT_EQ(decoded.status, ChunkedStatus::done) << one.what;
    EXPECT_EQ(decoded.content, one.content) << one.what;
    EXPECT_EQ(decoded.consumed, one.bytes.size()) << one.what;
  } else {
    EXPECT_EQ(decoded.status, ChunkedStatus::refused) << one.what;
  }
}

TEST(ChunkedReader, decodes_or_refuses_every_case_of_the_table) {
  for (const ChunkedCase& one : all_chunked_cases()) {
    expect_outcome(one, decode(one.bytes));
  }
}

TEST(ChunkedReader, decodes_every_case_alike_byte_by_byte) {
  for (const ChunkedCase& one : all_chunked_cases()) {
    ChunkedReader reader;
    Decoded decoded;
    for (const char& byte : one.bytes) {
      feed(reader, {&byte, 1}, decoded);
    }
    expect_outcome(one, decoded);
  }
}

TEST(ChunkedReader, decodes_every_case_alike_cut_in_two_anywhere) {
  for (const ChunkedCase& one : all_chunked_cases()) {
    // Each byte; for the few very long cases, which are uniform inside, every hundredth.
    const std::size_t step = one.bytes.size() < 1000 ? 1 : 97;
    for (std::size_t size = 0; size < one.bytes.size(); size += step) {
      ChunkedReader reader;
      Decoded decoded;
      feed(reader, std::string_view(one.bytes).substr(0, size), decoded);
      EXPECT_TRUE(decoded.status == ChunkedStatus::need_more || decoded.refusal == one.refusal);
      EXPECT_NE(decoded.status, ChunkedStatus::done) << one.what << " cut at " << size;
      feed(reader, std::string_view(one.bytes).substr(size), decoded);
      expect_outcome(one, decoded);
    }
  }
}

TEST(ChunkedReader, leaves_the_next_request_alone) {
  const Decoded decoded = decode("3\r\nabc\r\n0\r\n\r\nGET / HTTP/1.1");
  EXPECT_EQ(decoded.status, ChunkedStatus::done);
  EXPECT_EQ(decoded.consumed, 13u);
}

TEST(ChunkedReader, stays_refused) {
  ChunkedReader reader;
  Decoded decoded;
  feed(reader, "x", decoded);
  feed(reader, "0\r\n\r\n", decoded);
  EXPECT_EQ(decoded.status, ChunkedStatus::refused);
  EXPECT_EQ(decoded.refusal, Refusal::bad_chunk_size);
}

TEST(ChunkedReader, counts_extensions_over_all_chunks) {
  std::string in;
  for (int count = 0; count < 3000; ++count) {
    in += "1;ab\r\nx\r\n";
  }
  EXPECT_EQ(decode(in).refusal, Refusal::chunk_extension_too_large);
}

TEST(ChunkedReader, hands_out_a_huge_chunk_in_the_pieces_that_come) {
  ChunkedReader reader;
  Decoded decoded;
  feed(reader, "FFFFFFFFFFFFFFF\r\n", decoded);
  for (int count = 0; count < 5; ++count) {
    feed(reader, "0123456789", decoded);
  }
  EXPECT_EQ(decoded.status, ChunkedStatus::need_more);
  EXPECT_EQ(decoded.content.size(), 50u);
}

TEST(ChunkedReader, decodes_what_the_writer_writes) {
  Buffer out;
  std::string content;
  for (std::size_t size : {1u, 9u, 10u, 15u, 16u, 17u, 255u, 4096u, 70000u}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    write_chunk(out, piece);
    content += piece;
  }
  write_chunk(out, "");
  out.append(kLastChunk);
  const Decoded decoded = decode(out.view());
  EXPECT_EQ(decoded.status, ChunkedStatus::done);
  EXPECT_EQ(decoded.content, content);
}

static_assert(sizeof(ChunkedReader) <= 16, "a connection keeps one while a body comes in");

}  // namespace
}  // namespace eider::h1
