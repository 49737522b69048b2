#include "eider/http/mime.h"

#include <gtest/gtest.h>

namespace eider {
namespace {

TEST(MediaType, is_known_by_the_extension_in_any_case) {
  EXPECT_EQ(media_type_of("index.html"), "text/html; charset=utf-8");
  EXPECT_EQ(media_type_of("a/b/c.JPG"), "image/jpeg");
  EXPECT_EQ(media_type_of("app.min.js"), "text/javascript; charset=utf-8");
  EXPECT_EQ(media_type_of("app.webmanifest"), "application/manifest+json");
  EXPECT_EQ(media_type_of("a.7z"), "application/x-7z-compressed");
  EXPECT_EQ(media_type_of("a.zst"), "application/zstd");
}

TEST(MediaType, is_plain_bytes_for_anything_else) {
  for (const std::string_view name : {"", "html", "a.", ".", "a.unknown", "a.htmlx", "a.html/b",
                                      "a.html.", "a.averyverylongextension", "a.ht ml"}) {
    EXPECT_EQ(media_type_of(name), "application/octet-stream") << name;
  }
}

}  // namespace
}  // namespace eider
