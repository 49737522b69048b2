#include "eider/protocols/http/accept_encoding.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider {
namespace {

constexpr std::array<std::string_view, 3> kOffered = {"zstd", "br", "gzip"};

std::string choice_of_fields(const std::vector<std::string_view>& values) {
  std::vector<Field> fields;
  for (const std::string_view value : values) {
    fields.push_back({"accept-Encoding", value});
  }
  const auto chosen = AcceptEncoding(fields).choose(kOffered);
  return chosen ? std::string(kOffered[*chosen]) : "identity";
}

std::string choice(std::string_view value) {
  return choice_of_fields({value});
}

struct Case {
  std::string_view value;
  std::string_view chosen;
};

TEST(AcceptEncoding, chooses_by_weight_and_then_by_the_servers_order) {
  for (const auto& [value, chosen] : std::vector<Case>{
           {"gzip", "gzip"},
           {"gzip, deflate, br", "br"},
           {"gzip, deflate, br, zstd", "zstd"},
           {"gzip;q=1.0, br;q=0.9, zstd;q=0.9", "gzip"},
           {"gzip;q=0.001", "gzip"},
           {"br;q=0.5, gzip;q=0.5", "br"},
           {"GZIP", "gzip"},
           {"x-gzip", "gzip"},
           {"X-GZip;q=0.3", "gzip"},
           {"*", "zstd"},
           {"gzip, *;q=0.5", "gzip"},
           {"gzip;q=0.5, *", "zstd"},
           {"zstd;q=0, *", "br"},
           {"zstd;q=0, br;q=0, *;q=0.1", "gzip"},
           {"identity, gzip", "gzip"},
           {"identity;q=0, gzip;q=0.1", "gzip"},
       }) {
    EXPECT_EQ(choice(value), chosen) << value;
  }
}

TEST(AcceptEncoding, falls_back_to_identity) {
  for (const std::string_view value :
       {"", " ", "identity", "deflate", "gzip;q=0", "gzip;q=0.0, br;q=0.00, zstd;q=0.000", "*;q=0",
        "identity;q=1, gzip;q=0.5", "gzip;q=0.5, identity;q=0.6", "compress, exi",
        "gzip;q=0.5, br;q=0, zstd;q=0, *;q=0.7",  // "*" includes identity
        "gzip;q=2", "gzip;quality=1", "gzip br", "\"gzip\"", "gz", "gzipp",
        // Everything is forbidden; identity is used anyway.
        "identity;q=0", "*;q=0, identity;q=0", "gzip;q=0, identity;q=0, *;q=0"}) {
    EXPECT_EQ(choice(value), "identity") << value;
  }
  EXPECT_EQ(choice_of_fields({}), "identity");
}

TEST(AcceptEncoding, counts_the_first_of_what_is_named_twice) {
  EXPECT_EQ(choice("gzip;q=0, gzip"), "identity");
  EXPECT_EQ(choice("gzip, gzip;q=0"), "gzip");
  EXPECT_EQ(choice("x-gzip;q=0, gzip"), "identity");
  EXPECT_EQ(choice("*;q=0, *"), "identity");
}

TEST(AcceptEncoding, joins_doubled_fields) {
  EXPECT_EQ(choice_of_fields({"gzip;q=0.5", "br;q=0.7"}), "br");
  EXPECT_EQ(choice_of_fields({"", "gzip"}), "gzip");
  EXPECT_EQ(choice_of_fields({"gzip;q=0", "gzip"}), "identity");
}

TEST(AcceptEncoding, does_not_look_at_other_fields) {
  const std::vector<Field> fields = {
      {"Accept", "gzip"}, {"Accept-Encodings", "gzip"}, {"TE", "gzip"}};
  EXPECT_EQ(AcceptEncoding(fields).choose(kOffered), std::nullopt);
}

TEST(AcceptEncoding, is_bounded_in_items_and_bytes) {
  std::string many;
  for (std::size_t index = 0; index < AcceptEncoding::kItemsMax; ++index) {
    many += "c" + std::to_string(index) + ",";
  }
  EXPECT_EQ(choice(many + "gzip"), "identity");
  EXPECT_EQ(choice(many.substr(many.find(',') + 1) + "gzip"), "gzip");
  std::string wide = "gzip";
  wide.resize(AcceptEncoding::kBytesMax, ' ');
  EXPECT_EQ(choice(wide), "gzip");
  EXPECT_EQ(choice(wide + ' '), "identity");
}

TEST(AcceptEncoding, tells_the_weight_of_each) {
  AcceptEncoding accepted;
  EXPECT_EQ(accepted.weight_of("gzip"), 0);
  EXPECT_EQ(accepted.identity_weight(), std::nullopt);
  accepted.add("gzip;q=0.25, *;q=0.125");
  EXPECT_EQ(accepted.weight_of("GZIP"), 250);
  EXPECT_EQ(accepted.weight_of("br"), 125);
  EXPECT_EQ(accepted.identity_weight(), 125);
  accepted.add("identity;q=0");
  EXPECT_EQ(accepted.identity_weight(), 0);
}

TEST(AcceptEncoding, offered_nothing_chooses_nothing) {
  AcceptEncoding accepted;
  accepted.add("*");
  EXPECT_EQ(accepted.choose({}), std::nullopt);
}

}  // namespace
}  // namespace eider
