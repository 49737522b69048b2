// Compares the fast reader with a plain one, for the table's heads with random changes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/protocols/http/h1/head_reader.h"
#include "tests/conformance/h1_field_cases.h"
#include "tests/conformance/h1_framing_cases.h"
#include "tests/conformance/h1_line_cases.h"
#include "tests/differential/changer.h"
#include "tests/differential/h1_reading.h"
#include "tests/differential/h1_reference_head.h"

namespace eider::h1 {
namespace {

constexpr int kHeadChangesPerCase = 400;

std::vector<std::string> head_pieces() {
  return {"\r\n",
          "\r",
          "\n",
          " ",
          "\t",
          ":",
          ",",
          ";",
          "%",
          "%41",
          "?",
          "#",
          "/",
          "\\",
          "*",
          "@",
          "[",
          "]",
          "\"",
          std::string(1, '\0'),
          "\x01",
          "\x7F",
          "\x80",
          "\xFF",
          "0",
          "5",
          "-",
          "+",
          "a",
          "close",
          "keep-alive",
          "chunked",
          "gzip",
          "http://",
          "HTTP/1.0",
          "HTTP/1.1",
          "Host: a\r\n",
          "Content-Length: 5\r\n",
          "Transfer-Encoding: chunked\r\n",
          "Connection: close\r\n"};
}

std::optional<std::string> read_fast(std::string_view in) {
  HeadReader reader;
  const bool is_complete = reader.read(in, {}) == HeadStatus::complete;
  return is_complete ? std::optional<std::string>(describe(reader.head())) : std::nullopt;
}

TEST(HeadDifferential, reads_every_case_of_the_table_like_the_plain_reader) {
  for (const HeadCase& one : all_head_cases()) {
    EXPECT_EQ(read_fast(one.bytes), reference::Reader().read(one.bytes)) << one.what;
  }
}

TEST(HeadDifferential, reads_changed_heads_like_the_plain_reader) {
  Changer changer(20260101, head_pieces());
  int accepted = 0;
  for (const HeadCase& one : all_head_cases()) {
    for (int count = 0; count < kHeadChangesPerCase; ++count) {
      const std::string changed = changer.change(one.bytes);
      const std::optional<std::string> fast = read_fast(changed);
      accepted += fast.has_value() ? 1 : 0;
      ASSERT_EQ(fast, reference::Reader().read(changed)) << ::testing::PrintToString(changed);
    }
  }
  // Otherwise the two would only agree on rejections.
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace eider::h1
