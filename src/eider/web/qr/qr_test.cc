#include "eider/web/qr/qr.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace eider {
namespace {

/// Returns the dark modules of an SVG, with the margin.
std::vector<std::string> modules_of(const std::string& svg) {
  const std::size_t box = svg.find("viewBox=\"0 0 ") + 13;
  const std::size_t size = std::strtoul(svg.c_str() + box, nullptr, 10);
  std::vector<std::string> rows(size, std::string(size, '.'));
  std::size_t at = svg.find("#000");
  while ((at = svg.find('M', at)) != std::string::npos) {
    char* end = nullptr;
    const std::size_t x = std::strtoul(svg.c_str() + at + 1, &end, 10);
    const std::size_t y = std::strtoul(end, &end, 10);
    const std::size_t width = std::strtoul(end + 1, &end, 10);
    rows.at(y).replace(x, width, width, '#');
    ++at;
  }
  return rows;
}

bool has_finder_at(const std::vector<std::string>& rows, std::size_t x, std::size_t y) {
  constexpr const char* kFinder[] = {"#######", "#.....#", "#.###.#", "#.###.#",
                                     "#.###.#", "#.....#", "#######"};
  for (std::size_t row = 0; row < 7; ++row) {
    if (rows.at(y + row).substr(x, 7) != kFinder[row]) {
      return false;
    }
  }
  return true;
}

TEST(Qr, has_three_finder_patterns_and_a_light_margin) {
  const auto svg = qr_svg("otpauth://totp/Shop:ann%40example.org?secret=JBSWY3DPEHPK3PXP");
  ASSERT_TRUE(svg.has_value());
  const std::vector<std::string> rows = modules_of(*svg);
  const std::size_t far = rows.size() - 4 - 7;
  EXPECT_TRUE(has_finder_at(rows, 4, 4));
  EXPECT_TRUE(has_finder_at(rows, far, 4));
  EXPECT_TRUE(has_finder_at(rows, 4, far));
  EXPECT_FALSE(has_finder_at(rows, far, far));
  EXPECT_EQ((rows.size() - 8) % 4, 1U) << "17 + 4 modules per version";
  for (std::size_t edge = 0; edge < 4; ++edge) {
    EXPECT_EQ(rows.at(edge).find('#'), std::string::npos);
    EXPECT_EQ(rows.at(rows.size() - 1 - edge).find('#'), std::string::npos);
  }
  EXPECT_NE(rows, modules_of(*qr_svg("another text")));
}

TEST(Qr, has_an_accessible_name_and_its_own_background) {
  const std::string svg = *qr_svg("x", {.title = "<Setup> & \"code\"", .size_px = 99});
  EXPECT_TRUE(svg.contains("role=\"img\"")) << svg;
  EXPECT_TRUE(svg.contains("<title>&lt;Setup&gt; &amp; &quot;code&quot;</title>")) << svg;
  EXPECT_TRUE(svg.contains("fill=\"#fff\"")) << svg;
  EXPECT_TRUE(svg.contains("width=\"99\" height=\"99\"")) << svg;
}

TEST(Qr, contains_any_bytes_up_to_its_size) {
  EXPECT_TRUE(qr_svg(std::string("\0\xff", 2)).has_value());
  EXPECT_EQ(qr_svg("").error().status(), 422);
  EXPECT_TRUE(qr_svg(std::string(2331, 'x')).has_value());
  EXPECT_EQ(qr_svg(std::string(2332, 'x')).error().status(), 422);
  EXPECT_TRUE(qr_svg(std::string(2953, 'x'), {.correction = QrCorrection::percent_7}).has_value());
  EXPECT_EQ(qr_svg(std::string(2954, 'x')).error().status(), 422);
}

}  // namespace
}  // namespace eider
