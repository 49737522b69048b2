#include "eider/core/base/url.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider {
namespace {

TEST(PercentDecode, decodes_every_escape_once) {
  EXPECT_EQ(percent_decode("", Plus::literal), "");
  EXPECT_EQ(percent_decode("abc", Plus::literal), "abc");
  EXPECT_EQ(percent_decode("%41%62c", Plus::literal), "Abc");
  EXPECT_EQ(percent_decode("%c3%A9", Plus::literal), "\xC3\xA9");
  EXPECT_EQ(percent_decode("%2541", Plus::literal), "%41");
  EXPECT_EQ(percent_decode("a%00b", Plus::literal), std::string("a\0b", 3));
}

TEST(PercentDecode, takes_plus_for_what_it_is_told) {
  EXPECT_EQ(percent_decode("a+b%2B", Plus::literal), "a+b+");
  EXPECT_EQ(percent_decode("a+b%2B", Plus::space), "a b+");
}

TEST(PercentDecode, refuses_escapes_that_are_not_whole) {
  for (const std::string_view text : {"%", "a%", "%4", "%g1", "%1g", "%%41", "%+1", "% 1", "%-1"}) {
    EXPECT_EQ(percent_decode(text, Plus::literal), std::nullopt) << text;
  }
}

TEST(PercentDecode, can_decode_in_place) {
  std::string text = "a%20b%20c";
  const auto size = percent_decode_to(text.data(), text, Plus::literal);
  EXPECT_EQ(text.substr(0, size.value_or(0)), "a b c");
}

TEST(PercentEncode, leaves_only_unreserved_bytes) {
  EXPECT_EQ(percent_encode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encode("a b/c?d&e=f+g%"), "a%20b%2Fc%3Fd%26e%3Df%2Bg%25");
  EXPECT_EQ(percent_encode(std::string("\0\xFF", 2)), "%00%FF");
}

TEST(PercentEncode, is_undone_by_decoding_for_every_byte) {
  std::string all;
  for (int value = 0; value < 256; ++value) {
    all.push_back(static_cast<char>(value));
  }
  EXPECT_EQ(percent_decode(percent_encode(all), Plus::space), all);
}

TEST(PercentEncodeUrl, encodes_what_no_url_may_hold_once) {
  EXPECT_EQ(percent_encode_url("/café"), "/caf%C3%A9");
  EXPECT_EQ(percent_encode_url("/a b?q=ä#ö"), "/a%20b?q=%C3%A4#%C3%B6");
  EXPECT_EQ(percent_encode_url("\"<>\\^`{|}\t"), "%22%3C%3E%5C%5E%60%7B%7C%7D%09");
  EXPECT_EQ(percent_encode_url("/caf\xE9"), "/caf%E9");
}

TEST(PercentEncodeUrl, keeps_what_a_url_may_hold) {
  for (const char* url : {"", "/", "/caf%C3%A9", "/a%20b?c=%2F&d=e+f#g", "https://[::1]:8080/x",
                          "//host/a;b=c,d", "?page=2", "./a:b/@!$&'()*~"}) {
    EXPECT_EQ(percent_encode_url(url), url);
  }
}

TEST(PercentEncodeUrl, encodes_percent_signs_that_begin_no_escape_and_further_number_signs) {
  EXPECT_EQ(percent_encode_url("/100%"), "/100%25");
  EXPECT_EQ(percent_encode_url("/%zz%2"), "/%25zz%252");
  EXPECT_EQ(percent_encode_url("/a#b#c"), "/a#b%23c");
}

std::vector<std::string> pairs_of(std::string_view query) {
  std::vector<std::string> pairs;
  QueryReader reader(query);
  while (const auto pair = reader.next()) {
    pairs.push_back(std::string(pair->name) + "|" + std::string(pair->value));
  }
  return pairs;
}

TEST(QueryReader, yields_the_pairs_in_their_order) {
  using Pairs = std::vector<std::string>;
  EXPECT_EQ(pairs_of("a=1&b=2&a=3"), (Pairs{"a|1", "b|2", "a|3"}));
  EXPECT_EQ(pairs_of("a"), (Pairs{"a|"}));
  EXPECT_EQ(pairs_of("a=&=b&="), (Pairs{"a|", "|b", "|"}));
  EXPECT_EQ(pairs_of("a=b=c"), (Pairs{"a|b=c"}));
  EXPECT_EQ(pairs_of("&&a=1&&b&"), (Pairs{"a|1", "b|"}));
  EXPECT_EQ(pairs_of("a=%26&b;c"), (Pairs{"a|%26", "b;c|"}));
}

TEST(QueryReader, yields_nothing_where_there_is_nothing) {
  EXPECT_TRUE(pairs_of("").empty());
  EXPECT_TRUE(pairs_of("&&&").empty());
}

TEST(EscapedByte, is_the_byte_of_a_whole_escape) {
  EXPECT_EQ(escaped_byte("%4a%"), 'J');
  EXPECT_EQ(escaped_byte("%00"), 0);
  for (const std::string_view text : {"", "%", "%4", "%4g", "41%", "a%41"}) {
    EXPECT_EQ(escaped_byte(text), -1) << text;
  }
}

}  // namespace
}  // namespace eider
