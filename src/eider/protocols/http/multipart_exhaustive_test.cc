#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "eider/protocols/http/multipart.h"

namespace eider {
namespace {

constexpr std::string_view kHeader = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n";
constexpr std::string_view kClose = "\r\n--b--";

/// The content of the first part, fed in pieces.
std::string read_first(const std::string& form, std::size_t step_bytes) {
  MultipartReader reader("b");
  std::string content;
  std::string_view left = form;
  while (!left.empty()) {
    std::string_view arrived = left.substr(0, step_bytes);
    left.remove_prefix(arrived.size());
    MultipartStep step = reader.read(arrived);
    while (step.status != MultipartStatus::need_more) {
      if (step.status == MultipartStatus::part_end || step.status == MultipartStatus::refused) {
        return content;
      }
      content.append(step.data);
      arrived.remove_prefix(step.consumed);
      step = reader.read(arrived);
    }
  }
  return content;
}

/// The same by the definition of the grammar: up to the first delimiter, whose line end may be that
/// of the empty line.
std::string by_definition(std::string_view content) {
  const std::string text = "\r\n" + std::string(content) + std::string(kClose);
  const std::size_t end = text.find("\r\n--b");
  return end == 0 ? std::string() : text.substr(2, end - 2);
}

/// Visits all texts of that length of the bytes that delimiters and their beginnings consist of.
template <class Visit>
void each_text(std::size_t length, Visit visit) {
  constexpr std::string_view kBytes = "\r\n-bx";
  std::string text(length, kBytes[0]);
  std::array<std::size_t, 8> digits{};
  while (true) {
    visit(text);
    std::size_t at = 0;
    while (at < length && digits[at] + 1 == kBytes.size()) {
      digits[at] = 0;
      text[at] = kBytes[0];
      ++at;
    }
    if (at == length) {
      return;
    }
    text[at] = kBytes[++digits[at]];
  }
}

TEST(MultipartReader, finds_the_end_of_every_short_content_as_the_grammar_does) {
  std::size_t texts = 0;
  for (std::size_t length = 0; length <= 7; ++length) {
    each_text(length, [&](const std::string& content) {
      const std::string form = std::string(kHeader) + content + std::string(kClose);
      const std::string expected = by_definition(content);
      ASSERT_EQ(read_first(form, form.size()), expected);
      ASSERT_EQ(read_first(form, 1), expected);
      ASSERT_EQ(read_first(form, 3), expected);
      ++texts;
    });
  }
  EXPECT_EQ(texts, 97'656U);
}

}  // namespace
}  // namespace eider
