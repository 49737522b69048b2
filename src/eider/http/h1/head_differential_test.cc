// The fast reader against the plain one, on the table's heads changed at random.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "eider/http/h1/head_reader.h"
#include "tests/conformance/h1_field_cases.h"
#include "tests/conformance/h1_framing_cases.h"
#include "tests/conformance/h1_line_cases.h"
#include "tests/differential/h1_reading.h"
#include "tests/differential/h1_reference_head.h"

namespace eider::h1 {
namespace {

constexpr int kChangesPerCase = 400;

/// Bytes and pieces that have a meaning somewhere in a head.
const std::vector<std::string>& pieces() {
  static const std::vector<std::string> all = {"\r\n",
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
  return all;
}

class Changer {
 public:
  explicit Changer(unsigned seed) : random_(seed) {}

  std::string change(std::string text) {
    const std::size_t count = 1 + below(3);
    for (std::size_t index = 0; index < count; ++index) {
      text = change_once(text);
    }
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::string change_once(std::string text) {
    const std::size_t at = below(text.size() + 1);
    const std::string& piece = pieces()[below(pieces().size())];
    switch (below(5)) {
      case 0:
        return text.insert(at, piece);
      case 1:
        return text.replace(at, piece.size(), piece);
      case 2:
        return text.erase(at, 1 + below(4));
      case 3:
        return text.insert(at, text.substr(below(text.size() + 1), below(30)));
      default:
        return at < text.size() ? text.replace(at, 1, 1, static_cast<char>(below(256))) : text;
    }
  }

  std::mt19937 random_;
};

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
  Changer changer(20260101);
  int accepted = 0;
  for (const HeadCase& one : all_head_cases()) {
    for (int count = 0; count < kChangesPerCase; ++count) {
      const std::string changed = changer.change(one.bytes);
      const std::optional<std::string> fast = read_fast(changed);
      accepted += fast.has_value() ? 1 : 0;
      ASSERT_EQ(fast, reference::Reader().read(changed)) << testing::PrintToString(changed);
    }
  }
  // Otherwise the two would only agree on refusing.
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace eider::h1
