#include "eider/protocols/http/qvalue.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider {
namespace {

TEST(Qvalue, is_read_in_thousandths) {
  const std::vector<std::pair<std::string_view, Weight>> cases = {
      {"0", 0},     {"1", 1000},    {"0.", 0},    {"1.", 1000},    {"0.5", 500},  {"0.05", 50},
      {"0.005", 5}, {"0.999", 999}, {"0.000", 0}, {"1.000", 1000}, {"1.0", 1000}, {"0.10", 100},
  };
  for (const auto& [text, weight] : cases) {
    EXPECT_EQ(parse_qvalue(text), weight) << text;
  }
}

TEST(Qvalue, is_nothing_for_any_other_text) {
  for (const std::string_view text :
       {"",    "2",    "-0",   "+1",  ".5",  "00",  "01",   "0.0000", "1.001", "1.0000",
        "0,5", "0.5 ", " 0.5", "0x1", "1e0", "0.a", "0.-1", "1.1",    "0..1",  "q"}) {
    EXPECT_EQ(parse_qvalue(text), std::nullopt) << text;
  }
}

using Items = std::vector<std::string>;

Items items_of(std::string_view field_value) {
  Items items;
  WeightedTokenReader reader(field_value);
  while (const auto item = reader.next()) {
    items.push_back(std::string(item->token) + "|" + std::to_string(item->weight));
  }
  return items;
}

TEST(WeightedTokenReader, yields_the_items_in_their_order) {
  EXPECT_EQ(items_of("gzip"), (Items{"gzip|1000"}));
  EXPECT_EQ(items_of("gzip, br;q=0.5,*;Q=0"), (Items{"gzip|1000", "br|500", "*|0"}));
  EXPECT_EQ(items_of("\tgzip \t;\t q=0.1\t,br"), (Items{"gzip|100", "br|1000"}));
  EXPECT_EQ(items_of("a;q=1,a;q=0"), (Items{"a|1000", "a|0"}));
}

TEST(WeightedTokenReader, passes_over_what_is_empty_or_malformed) {
  EXPECT_EQ(items_of(""), Items{});
  EXPECT_EQ(items_of(" \t"), Items{});
  EXPECT_EQ(items_of(",, gzip,,"), (Items{"gzip|1000"}));
  EXPECT_EQ(items_of("a;q=2, b;q, c;q=, d;, e;r=1, f q=1, g;q = 1, h;q=1;q=1, \"i\", j"),
            (Items{"j|1000"}));
  EXPECT_EQ(items_of(";q=1, gz ip, \xE9, a"), (Items{"a|1000"}));
}

// For an incomplete input, the reader must not read beyond the end, and returns no more items than
// for the whole.
TEST(WeightedTokenReader, may_be_cut_at_every_byte) {
  const std::string whole = "gzip, br;q=0.5 , zstd;q=0.123,*;q=0";
  for (std::size_t bytes = 0; bytes <= whole.size(); ++bytes) {
    const std::string cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_LE(items_of(cut).size(), items_of(whole).size()) << cut;
  }
}

}  // namespace
}  // namespace eider
