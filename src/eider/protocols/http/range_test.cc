#include "eider/protocols/http/range.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider {
namespace {

using ChoiceKind = RangeChoice::Kind;

/// "200", "416", or the ranges of a 206: "0-9 20-29".
std::string chosen(std::string_view field_value, std::uint64_t size) {
  const RangeChoice choice = choose_ranges(field_value, size);
  switch (choice.kind) {
    case ChoiceKind::whole:
      return "200";
    case ChoiceKind::unsatisfiable:
      return "416";
    case ChoiceKind::partial:
      break;
  }
  std::string text;
  for (const ByteRange& range : choice.ranges.view()) {
    text += (text.empty() ? "" : " ") + std::to_string(range.first) + "-" +
            std::to_string(range.last());
  }
  return text;
}

struct Row {
  std::string_view field;
  std::uint64_t size;
  std::string_view wanted;
};

void expect(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    EXPECT_EQ(chosen(row.field, row.size), row.wanted) << row.field << " of " << row.size;
  }
}

TEST(Range, of_bytes_is_read_in_all_its_forms) {
  expect({
      {"bytes=0-499", 10000, "0-499"},
      {"bytes=500-999", 10000, "500-999"},
      {"bytes=-500", 10000, "9500-9999"},
      {"bytes=9500-", 10000, "9500-9999"},
      {"bytes=0-", 10000, "0-9999"},
      {"bytes=0-0", 10000, "0-0"},
      {"bytes=0-0,-1", 10000, "0-0 9999-9999"},
      {"bytes=0-0", 1, "0-0"},
      {"BYTES=0-0", 10, "0-0"},
      {"bytes= 0-1", 10, "0-1"},
      {"bytes=0-1 ", 10, "0-1"},
      {"bytes=,0-1,,\t", 10, "0-1"},
      {"bytes=000-0001", 10, "0-1"},
  });
}

TEST(Range, ends_where_the_representation_does) {
  expect({
      {"bytes=0-10000", 10000, "0-9999"},
      {"bytes=9999-10000", 10000, "9999-9999"},
      {"bytes=-20000", 10000, "0-9999"},
      {"bytes=0-18446744073709551615", 10, "0-9"},
      {"bytes=0-18446744073709551616", 10, "0-9"},
      {"bytes=0-99999999999999999999999999999999", 10, "0-9"},
      {"bytes=-99999999999999999999999999999999", 10, "0-9"},
      {"bytes=1-", ~std::uint64_t{0}, "1-18446744073709551614"},
  });
}

TEST(Range, behind_the_end_cannot_be_satisfied) {
  expect({
      {"bytes=10000-", 10000, "416"},
      {"bytes=10000-10001", 10000, "416"},
      {"bytes=-0", 10000, "416"},
      {"bytes=99999999999999999999999999999999-", 10000, "416"},
      {"bytes=10000-,-0", 10000, "416"},
      {"bytes=10000-,0-1", 10000, "0-1"},
      {"bytes=18446744073709551615-", ~std::uint64_t{0}, "416"},
  });
}

TEST(Range, of_nothing_is_ignored) {
  expect({{"bytes=0-", 0, "200"}, {"bytes=-1", 0, "200"}, {"bytes=-0", 0, "200"}});
}

TEST(Range, that_is_none_is_ignored) {
  for (const std::string_view field : {"",
                                       "bytes",
                                       "bytes=",
                                       "bytes= ,",
                                       "bytes=-",
                                       "bytes=a-b",
                                       "bytes=1",
                                       "bytes=2-1",
                                       "bytes=1-x",
                                       "bytes=x-1",
                                       "bytes=0-1,x",
                                       "bytes=0-1,2-1",
                                       "bytes=0-1-2",
                                       "bytes=--1",
                                       "bytes=+1-2",
                                       "bytes=0x0-1",
                                       "bytes=0 - 1",
                                       "bytes=0- 1",
                                       "bytes =0-1",
                                       " bytes=0-1",
                                       "byte=0-1",
                                       "items=0-1",
                                       "bytes:0-1",
                                       "0-1",
                                       "bytes=0-1;2-3",
                                       "bytes=0-1 2-3",
                                       "bytes=1.0-2",
                                       "none"}) {
    EXPECT_EQ(chosen(field, 10000), "200") << field;
  }
}

TEST(Range, comes_in_the_order_asked_for_when_far_apart) {
  expect({
      {"bytes=0-9,5000-5009", 10000, "0-9 5000-5009"},
      {"bytes=5000-5009,0-9", 10000, "5000-5009 0-9"},
      {"bytes=-1,0-0,5000-5000", 10000, "9999-9999 0-0 5000-5000"},
  });
}

TEST(Range, that_touches_another_becomes_one_with_it) {
  expect({
      {"bytes=500-600,601-999", 10000, "500-999"},
      {"bytes=500-700,601-999", 10000, "500-999"},
      {"bytes=601-999,500-600", 10000, "500-999"},
      {"bytes=0-99,10-19", 10000, "0-99"},
      {"bytes=0-9,0-9", 10000, "0-9"},
      {"bytes=0-9,100-109", 10000, "0-109"},
      {"bytes=0-0,129-129", 10000, "0-0 129-129"},
      {"bytes=0-0,128-128", 10000, "0-128"},
      {"bytes=9000-9009,0-9,20-29", 10000, "0-29 9000-9009"},
      {"bytes=0-,-1", 10000, "0-9999"},
      {"bytes=1-,18446744073709551610-", ~std::uint64_t{0}, "1-18446744073709551614"},
  });
}

TEST(Range, that_only_makes_work_is_answered_with_the_whole) {
  expect({
      {"bytes=0-9,5-14,10-19", 10000, "0-19"},
      {"bytes=0-9,5-14,10-19,15-24", 10000, "200"},
      {"bytes=0-,0-,0-,0-", 10000, "200"},
      {"bytes=8000-8000,7000-7000,6000-6000,5000-5000,4000-4000,3000-3000,2000-2000,1000-1000",
       10000, "8000-8000 7000-7000 6000-6000 5000-5000 4000-4000 3000-3000 2000-2000 1000-1000"},
      {"bytes=8000-8000,7000-7000,6000-6000,5000-5000,4000-4000,3000-3000,2000-2000,1000-1000,"
       "0-0",
       10000, "200"},
  });
  std::string field = "bytes=";
  for (std::size_t i = 0; i < ByteRanges::kCountMax; ++i) {
    field += std::to_string(i * 1000) + "-" + std::to_string(i * 1000) + ",";
  }
  EXPECT_EQ(choose_ranges(field, 100000).ranges.size(), ByteRanges::kCountMax);
  EXPECT_EQ(chosen(field + "99999-", 100000), "200");
}

TEST(Range, chosen_is_never_more_than_there_is) {
  for (const std::string_view field :
       {"bytes=0-50,10-60", "bytes=90-,0-10,40-300", "bytes=-10,-20,-30", "bytes=0-,0-,1-"}) {
    std::uint64_t sum = 0;
    const RangeChoice choice = choose_ranges(field, 300);
    for (const ByteRange& range : choice.ranges.view()) {
      EXPECT_GE(range.bytes, 1U);
      EXPECT_LT(range.last(), 300U);
      sum += range.bytes;
    }
    EXPECT_LE(sum, 300U) << field;
  }
}

TEST(Range, cut_anywhere_stays_within_the_representation) {
  const std::string_view whole = "bytes=0-9, 5000-5009,-12,9000-";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string_view cut = whole.substr(0, size);
    const RangeChoice choice = choose_ranges(cut, 10000);
    EXPECT_EQ(choice.kind == ChoiceKind::partial, !choice.ranges.empty()) << cut;
    EXPECT_TRUE(size > 7 || choice.kind == ChoiceKind::whole) << cut;
  }
}

TEST(ContentRange, says_which_bytes_of_how_many) {
  EXPECT_EQ(content_range({0, 500}, 1234), "bytes 0-499/1234");
  EXPECT_EQ(content_range({1233, 1}, 1234), "bytes 1233-1233/1234");
  EXPECT_EQ(unsatisfied_range(1234), "bytes */1234");
}

// The example of RFC 9110, section 14.6, with its own boundary.
TEST(RangeParts, are_written_as_multipart) {
  const RangeParts parts("THIS_STRING_SEPARATES", "application/pdf", 8000);
  EXPECT_EQ(parts.content_type(), "multipart/byteranges; boundary=THIS_STRING_SEPARATES");
  EXPECT_EQ(parts.head({500, 500}, RangeParts::Place::first),
            "--THIS_STRING_SEPARATES\r\nContent-Type: application/pdf\r\n"
            "Content-Range: bytes 500-999/8000\r\n\r\n");
  EXPECT_EQ(parts.head({7000, 1000}, RangeParts::Place::later),
            "\r\n--THIS_STRING_SEPARATES\r\nContent-Type: application/pdf\r\n"
            "Content-Range: bytes 7000-7999/8000\r\n\r\n");
  EXPECT_EQ(parts.tail(), "\r\n--THIS_STRING_SEPARATES--\r\n");
  EXPECT_EQ(RangeParts("b", "", 2).head({0, 1}, RangeParts::Place::first),
            "--b\r\nContent-Range: bytes 0-0/2\r\n\r\n");
}

}  // namespace
}  // namespace eider
