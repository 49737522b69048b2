// Compares the fast decoder with a plain one, for the table's bodies with random changes.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "eider/protocols/http/h1/chunked.h"
#include "tests/conformance/h1_chunked_cases.h"
#include "tests/differential/changer.h"
#include "tests/differential/h1_reference_chunked.h"

namespace eider::h1 {
namespace {

constexpr int kChangesPerCase = 1000;

std::vector<std::string> chunked_pieces() {
  return {"\r\n",
          "\r",
          "\n",
          " ",
          "\t",
          ";",
          "=",
          "\"",
          "\\",
          ":",
          "0",
          "3",
          "a",
          "F",
          "g",
          "+",
          std::string(1, '\0'),
          "\x01",
          "\x7F",
          "\x80",
          "0\r\n\r\n",
          "3\r\nabc\r\n",
          ";a=b",
          "A: b\r\n"};
}

std::optional<reference::ChunkedBody> decode_fast(std::string_view in) {
  ChunkedReader reader;
  reference::ChunkedBody body;
  ChunkedStep step = reader.read(in);
  for (; step.status == ChunkedStatus::data; step = reader.read(in.substr(body.consumed))) {
    body.content += step.data;
    body.consumed += step.consumed;
  }
  body.consumed += step.consumed;
  const bool is_done = step.status == ChunkedStatus::done;
  return is_done ? std::optional<reference::ChunkedBody>(body) : std::nullopt;
}

TEST(ChunkedDifferential, decodes_changed_bodies_like_the_plain_decoder) {
  Changer changer(20260102, chunked_pieces());
  int accepted = 0;
  for (const ChunkedCase& one : all_chunked_cases()) {
    if (one.bytes.size() > 1000) {
      continue;  // the plain decoder has no limits
    }
    EXPECT_EQ(decode_fast(one.bytes), reference::decode_chunked(one.bytes)) << one.what;
    for (int count = 0; count < kChangesPerCase; ++count) {
      const std::string changed = changer.change(one.bytes);
      const auto fast = decode_fast(changed);
      accepted += fast.has_value() ? 1 : 0;
      ASSERT_EQ(fast, reference::decode_chunked(changed)) << ::testing::PrintToString(changed);
    }
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace eider::h1
