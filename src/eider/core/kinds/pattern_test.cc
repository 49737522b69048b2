#include "eider/core/kinds/pattern.h"

#include <gtest/gtest.h>

#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace eider {
namespace {

template <FixedString Pattern>
bool matches(std::string_view text) {
  return Matches<Pattern>::check(text);
}

/// Compares two implementations with all texts of up to five of these letters.
template <FixedString Pattern>
void expect_as_std_regex() {
  const std::regex other(std::string(Pattern.view()), std::regex::ECMAScript);
  std::vector<std::string> texts = {""};
  for (std::size_t next = 0; next < texts.size(); ++next) {
    const std::string text = texts[next];
    EXPECT_EQ(matches<Pattern>(text), std::regex_match(text, other))
        << Pattern.view() << " and " << text;
    for (const char letter : {'a', 'b', '-', '1'}) {
      if (text.size() < 5) {
        texts.push_back(text + letter);
      }
    }
  }
}

TEST(Matches, takes_what_the_standard_library_takes) {
  expect_as_std_regex<"">();
  expect_as_std_regex<"ab">();
  expect_as_std_regex<"a|b">();
  expect_as_std_regex<"a|">();
  expect_as_std_regex<"(a|b)*">();
  expect_as_std_regex<"(?:a+b?)+">();
  expect_as_std_regex<"(a*)*">();
  expect_as_std_regex<"(a+)+b">();
  expect_as_std_regex<"a{2}">();
  expect_as_std_regex<"a{2,}">();
  expect_as_std_regex<"a{0}b">();
  expect_as_std_regex<"a{0,2}b{1,3}">();
  expect_as_std_regex<"(ab?){2,3}">();
  expect_as_std_regex<"(a?b?){2,3}1">();
  expect_as_std_regex<"(a|b1){0,2}-?">();
  expect_as_std_regex<"(a*){3}b">();
  expect_as_std_regex<"(?:a??b)+?">();
  expect_as_std_regex<"[a-]+">();
  expect_as_std_regex<"[-a]*1">();
  expect_as_std_regex<"[^a-b]+">();
  expect_as_std_regex<"\\d+|\\D">();
  expect_as_std_regex<"\\w*">();
  expect_as_std_regex<"\\W\\w">();
  expect_as_std_regex<"[\\d-]+">();
  expect_as_std_regex<"[^\\w]{1,2}">();
  expect_as_std_regex<".{3}">();
  expect_as_std_regex<"((a|b)(1|-)?){1,2}|-+">();
}

TEST(Matches, knows_code_points_and_no_bytes) {
  EXPECT_TRUE((matches<"...">("aß€")));
  EXPECT_TRUE((matches<"[ä-ü]+">("öüä")));
  EXPECT_TRUE((matches<"[^a]">("😀")));
  EXPECT_TRUE((matches<"\\u20AC\\xE4">("€ä")));
  EXPECT_FALSE((matches<".">("ä\xCC\x88")));  // two code points
}

TEST(Matches, no_text_that_is_not_utf8) {
  EXPECT_FALSE((matches<".*">("a\xFF")));
  EXPECT_FALSE((matches<"[^a]*">("\xED\xA0\x80")));
  EXPECT_FALSE((matches<".*">("\xC3")));
}

TEST(Matches, blanks_and_lines_as_ecma_262_has_them) {
  EXPECT_TRUE((matches<"\\s+">(" \t\n\v\f\r\u00A0\u2003\u2028\u3000\uFEFF")));
  EXPECT_FALSE((matches<"\\s">("\u200B")));
  EXPECT_TRUE((matches<"\\S+">("\u200Ba")));
  EXPECT_FALSE((matches<".">("\n")));
  EXPECT_FALSE((matches<".">("\u2028")));
  EXPECT_TRUE((matches<"[^x]">("\n")));
  EXPECT_FALSE((matches<"\\w">("ä")));
  EXPECT_FALSE((matches<"\\d">("٣")));
}

TEST(Matches, what_is_escaped_stands_for_itself) {
  EXPECT_TRUE((matches<"\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/">("^$\\.*+?()[]{}|/")));
  EXPECT_TRUE((matches<"[\\w.\\-\\]]+">("a.-]")));
  EXPECT_TRUE((matches<"\\t\\n\\r\\v\\f">("\t\n\r\v\f")));
}

/// Covers the first and last bits of words, and a step from each word into the next.
template <FixedString Pattern, std::size_t Places>
void expect_exactly() {
  for (std::size_t size = 1; size < Places + 3; ++size) {
    std::string text(size, 'a');
    EXPECT_EQ(matches<Pattern>(text), size == Places) << size;
    text.back() = 'b';
    EXPECT_FALSE(matches<Pattern>(text)) << size;
  }
}

TEST(Matches, counts_across_the_ends_of_its_words) {
  expect_exactly<"a{63}", 63>();
  expect_exactly<"a{64}", 64>();
  expect_exactly<"a{65}", 65>();
  expect_exactly<"a{128}", 128>();
  expect_exactly<"a{129}", 129>();
  expect_exactly<"a{192}", 192>();
  expect_exactly<"a{193}", 193>();
  expect_exactly<"a{256}", 256>();
  EXPECT_TRUE((matches<"(?:a{60}|b{60}|ab{40})+">(std::string(60, 'b') + std::string(61, 'a') +
                                                  std::string(40, 'b'))));
  EXPECT_FALSE((matches<"(?:a{60}|b{60}|ab{40})+">(std::string(60, 'b') + std::string(61, 'a') +
                                                   std::string(41, 'b'))));
}

TEST(Matches, holds_many_places) {
  EXPECT_TRUE((matches<"[a-z]{1,256}">(std::string(256, 'a'))));
  EXPECT_FALSE((matches<"[a-z]{1,256}">(std::string(257, 'a'))));
  EXPECT_FALSE((matches<"[a-z]{1,256}">("")));
  EXPECT_TRUE((matches<"(?:[a-z0-9]{1,63}\\.){1,3}[a-z]{2,63}">("www.example.org")));
}

// Patterns for which backtracking implementations take exponential time.
TEST(Matches, takes_linear_time_whatever_the_text) {
  const std::string many(detail::kinds::kPatternTextBytesMax, 'a');
  EXPECT_TRUE((matches<"a*">(many)));
  EXPECT_FALSE((matches<"a*">(many + "a")));
  EXPECT_FALSE((matches<"(a+)+b">(many)));
  EXPECT_FALSE((matches<"(a|a)*b">(many)));
  EXPECT_FALSE((matches<"(a?){60}a{60}">(many)));
  EXPECT_FALSE((matches<"((a*)*|(a+)+)*b">(many)));
  EXPECT_FALSE((matches<"(((a{0,9}){0,9}|a)*){2,}b">(many)));
  EXPECT_FALSE((matches<"(?:[^@\\s]{0,20}|\\d+x?)*@?">("accfirst.last+tbag@" + many.substr(64))));
}

TEST(Matches, says_the_pattern_or_what_was_wanted) {
  const Requirement plain = Matches<"[a-z]+\"">::describe();
  EXPECT_EQ(to_text(plain), "must match [a-z]+\"");
  ASSERT_EQ(plain.keywords.size(), 1U);
  EXPECT_EQ(plain.keywords[0].json, R"("^(?:[a-z]+\")$")");
  const Requirement wanted = Matches<"[a-z]+", "must be small letters">::describe();
  EXPECT_EQ(to_text(wanted), "must be small letters");
}

TEST(MatchesPattern, reads_a_pattern_of_a_document_at_run_time) {
  EXPECT_EQ(matches_pattern("^(?:[a-z]+|[0-9]{2,3})$", "abc"), true);
  EXPECT_EQ(matches_pattern("^(?:[a-z]+|[0-9]{2,3})$", "12"), true);
  EXPECT_EQ(matches_pattern("^(?:[a-z]+|[0-9]{2,3})$", "1"), false);
  EXPECT_EQ(matches_pattern("^$", ""), true);
  EXPECT_EQ(matches_pattern("^.{250}$", std::string(250, 'x')), true);
  EXPECT_EQ(matches_pattern("^.{250}$", std::string(249, 'x')), false);
}

TEST(MatchesPattern, searches_where_no_anchor_stands) {
  EXPECT_EQ(matches_pattern("b", "abc\n"), true);
  EXPECT_EQ(matches_pattern("^b", "abc"), false);
  EXPECT_EQ(matches_pattern("^a", "abc"), true);
  EXPECT_EQ(matches_pattern("b$", "abc"), false);
  EXPECT_EQ(matches_pattern("c$", "abc"), true);
  EXPECT_EQ(matches_pattern("x|b", "abc"), true);
  EXPECT_EQ(matches_pattern(R"(\$)", "5$ and more"), true);
}

TEST(MatchesPattern, knows_an_anchor_behind_an_escaped_backslash) {
  EXPECT_EQ(matches_pattern(R"(^a\\$)", R"(a\)"), true);
  EXPECT_EQ(matches_pattern(R"(^a\\$)", R"(a\b)"), false);
  EXPECT_EQ(matches_pattern(R"(\\$)", R"(a\)"), true);
  EXPECT_EQ(matches_pattern(R"(^\\\$)", R"(\$ and more)"), true);
}

TEST(MatchesPattern, says_nothing_of_patterns_that_it_does_not_know) {
  for (const char* const pattern : {"(?=a)", "(a", "[a", "[a-", "a**", "\\", "\\q", "a)", "a{300}",
                                    "[b-a]", "^a|b$", "a^b", "x{2", "\\u12"}) {
    EXPECT_EQ(matches_pattern(pattern, "a"), std::nullopt) << pattern;
  }
}

}  // namespace
}  // namespace eider
