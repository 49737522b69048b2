#include "eider/protocols/http/accept.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace eider {
namespace {

constexpr std::string_view kOfferedTypes[] = {
    "application/json", "application/cbor", "text/csv; charset=utf-8", "text/html; charset=utf-8"};

/// Returns the chosen type; "none" if all are rejected.
std::string_view chosen(std::vector<std::string_view> lines) {
  std::vector<Field> fields = {{"Host", "a"}};
  for (const std::string_view line : lines) {
    fields.push_back({"accept", line});
  }
  const auto index = choose_media_type(fields, kOfferedTypes);
  return index ? kOfferedTypes[*index].substr(0, kOfferedTypes[*index].find(';')) : "none";
}

TEST(Accept, takes_the_type_of_the_greatest_weight) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"", "application/json"},
      {"*/*", "application/json"},
      {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"},
      {"application/json, text/html", "application/json"},
      {"application/json;q=0.5, text/html", "text/html"},
      {"APPLICATION/CBOR", "application/cbor"},
      {"application/json; charset=utf-8", "application/json"},
      {"text/*", "text/csv"},
      {"text/*, text/csv;q=0.1", "text/html"},
      {"*/*, application/json;q=0", "application/cbor"},
      {"*/*;q=0.1, text/*;q=0.2", "text/csv"},
      {"text/html;x=\"a,b;q=0\";q=0.4, text/csv;q=0.3", "text/html"},
      {"text/html;q=0.4;Q=1", "text/html"},
      {" , ,text/html", "text/html"},
      {"text/html,,", "text/html"},
      {",", "application/json"},
      {" ,\t, ", "application/json"}};
  for (const auto& [accept, type] : rows) {
    EXPECT_EQ(chosen({accept}), type) << accept;
  }
  EXPECT_EQ(chosen({}), "application/json");
  EXPECT_EQ(chosen({"text/plain", "text/csv"}), "text/csv");
  EXPECT_EQ(chosen({",", "text/csv"}), "text/csv");
}

TEST(Accept, of_other_types_takes_none) {
  for (const std::string_view accept :
       {"image/png", "*/*;q=0", "text/html;q=0", "text", "text/", "/html", "*", "*/html",
        "text/htm", "text/html2", "text/html;q=2", "text/html;q=", "\"text/html\"",
        "x\"text/html, text/csv"}) {
    EXPECT_EQ(chosen({accept}), "none") << accept;
  }
}

TEST(Accept, cut_anywhere_is_read_without_fault) {
  const std::string_view whole = R"(text/html;x="a\",b";q=0.5, */*;q=0.25 ,text/csv)";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    (void)chosen({whole.substr(0, size)});
  }
  EXPECT_EQ(chosen({whole}), "text/csv");
}

TEST(Accept, offers_nothing_where_nothing_is_there) {
  EXPECT_FALSE(choose_media_type({}, {}));
}

}  // namespace
}  // namespace eider
