#include "eider/coding/compressible.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/http/mime.h"

namespace eider {
namespace {

TEST(Compressible, are_text_and_what_is_text_inside) {
  for (const std::string_view type : {"text/html",
                                      "text/html; charset=utf-8",
                                      "TEXT/Plain",
                                      "text/css ;charset=utf-8",
                                      "text/event-stream",
                                      "application/json",
                                      "application/problem+json",
                                      "Application/JSON",
                                      "application/geo+json",
                                      "application/json-seq+json",
                                      "application/javascript",
                                      "text/javascript",
                                      "application/xml",
                                      "application/atom+xml",
                                      "image/svg+xml",
                                      "image/svg+xml; charset=utf-8",
                                      "application/wasm",
                                      "application/x-ndjson",
                                      "font/ttf",
                                      "font/otf",
                                      "image/bmp",
                                      "application/vnd.api+json",
                                      "application/openapi+yaml"}) {
    EXPECT_TRUE(is_compressible(type)) << type;
  }
}

TEST(Compressible, are_not_pictures_films_archives_and_the_unknown) {
  for (const std::string_view type : {"",
                                      ";",
                                      "image/png",
                                      "image/jpeg",
                                      "image/webp",
                                      "image/avif",
                                      "video/mp4",
                                      "audio/mpeg",
                                      "application/zip",
                                      "application/gzip",
                                      "application/zstd",
                                      "application/pdf",
                                      "font/woff2",
                                      "application/octet-stream",
                                      "application/x-unknown",
                                      "multipart/form-data; boundary=text/",
                                      "text",
                                      "nontext/plain",
                                      "application/jsonp",
                                      "application/json+zip",
                                      "xtext/html",
                                      "image/png; name=a+xml"}) {
    EXPECT_FALSE(is_compressible(type)) << type;
  }
  EXPECT_FALSE(is_compressible("application/" + std::string(200, 'x') + "+json"));
}

TEST(Compressible, agree_with_the_table_of_extensions) {
  for (const char* name : {"a.html", "a.css", "a.js", "a.mjs", "a.json", "a.svg", "a.txt", "a.wasm",
                           "a.xml", "a.csv", "a.md", "a.ttf", "a.ico", "a.yaml"}) {
    EXPECT_TRUE(is_compressible(media_type_of(name))) << name;
  }
  for (const char* name : {"a.png", "a.jpg", "a.mp4", "a.zip", "a.gz", "a.woff2", "a.unknown"}) {
    EXPECT_FALSE(is_compressible(media_type_of(name))) << name;
  }
}

}  // namespace
}  // namespace eider
