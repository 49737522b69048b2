#include "eider/protocols/http/mime.h"

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

TEST(MediaType, of_the_web_are_those_that_are_registered) {
  EXPECT_EQ(media_type_of("a.wasm"), "application/wasm");
  EXPECT_EQ(media_type_of("a.mjs"), "text/javascript; charset=utf-8");
  EXPECT_EQ(media_type_of("a.svg"), "image/svg+xml");
  EXPECT_EQ(media_type_of("a.woff2"), "font/woff2");
  EXPECT_EQ(media_type_of("a.avif"), "image/avif");
  EXPECT_EQ(media_type_of("a.vtt"), "text/vtt; charset=utf-8");
  EXPECT_EQ(media_type_of("a.geojson"), "application/geo+json");
  EXPECT_EQ(media_type_of("a.tar.gz"), "application/gzip");
  EXPECT_EQ(media_type_of("a.3gp"), "video/3gpp");
}

TEST(MediaType, tells_what_is_compressed_already) {
  for (const char* name : {"a.jpg", "a.png", "a.mp4", "a.mp3", "a.zip", "a.gz", "a.zst", "a.woff2",
                           "a.docx", "a.odt", "a.epub", "a.7z", "a.webp", "a.opus"}) {
    EXPECT_TRUE(is_compressed(media_type_of(name))) << name;
  }
  for (const char* name : {"a.html", "a.css", "a.js", "a.json", "a.svg", "a.txt", "a.wasm", "a.ttf",
                           "a.ico", "a.wav", "a.bmp", "a.xml", "a.unknown", "a.tar"}) {
    EXPECT_FALSE(is_compressed(media_type_of(name))) << name;
  }
  EXPECT_TRUE(is_compressed("image/png ; x=y"));
  EXPECT_FALSE(is_compressed(""));
}

}  // namespace
}  // namespace eider
