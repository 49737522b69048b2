#include "eider/web/coding/encoded_head.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "eider/protocols/http/mime.h"
#include "eider/protocols/http/response.h"

namespace eider {
namespace {

using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

Response head_of(const Fields& fields, int status = 200) {
  Response head(status);
  head.set_static_type(kTextHtml);
  for (const auto& [name, value] : fields) {
    head.add_header(name, value);
  }
  return head;
}

TEST(EncodedHead, may_be_had_by_whole_content_that_nothing_forbids) {
  for (const int status : {200, 201, 203, 207, 226, 300, 301, 404, 409, 422, 500, 503}) {
    EXPECT_TRUE(may_be_encoded(head_of({}, status))) << status;
  }
  EXPECT_TRUE(may_be_encoded(head_of({{"Cache-Control", "public, max-age=60"}})));
  EXPECT_TRUE(may_be_encoded(head_of({{"ETag", "\"a\""}, {"Set-Cookie", "a=b"}})));
  Response typed;
  typed.set_type("application/problem+json");
  EXPECT_TRUE(may_be_encoded(typed));
}

TEST(EncodedHead, is_not_for_parts_for_nothing_and_for_what_is_coded_already) {
  for (const int status : {101, 103, 204, 205, 206, 304}) {
    EXPECT_FALSE(may_be_encoded(head_of({}, status))) << status;
  }
  for (const Fields& fields : {
           Fields{{"Content-Encoding", "br"}},
           Fields{{"content-encoding", "identity"}},
           Fields{{"Cache-Control", "no-transform"}},
           Fields{{"Cache-Control", "max-age=60"}, {"Cache-Control", "public, No-Transform"}},
           Fields{{"Content-Digest", "sha-256=:a:"}},
           Fields{{"Repr-Digest", "sha-256=:a:"}},
           Fields{{"Digest", "a"}},
           Fields{{"Content-MD5", "a"}},
       }) {
    EXPECT_FALSE(may_be_encoded(head_of(fields))) << fields.front().first;
  }
  EXPECT_FALSE(may_be_encoded(Response()));
  Response picture;
  picture.set_type("image/png");
  EXPECT_FALSE(may_be_encoded(picture));
}

TEST(EncodedHead, joins_its_vary_with_those_that_are_there) {
  const auto vary = [](const Fields& fields) {
    Response head = head_of(fields);
    vary_by_encoding(head);
    return std::string(head.field_lines());
  };
  EXPECT_EQ(vary({}), "Vary: Accept-Encoding\r\n");
  EXPECT_EQ(vary({{"Vary", "Cookie"}}), "Vary: Cookie, Accept-Encoding\r\n");
  EXPECT_EQ(vary({{"Vary", "Cookie"}, {"A", "b"}, {"vary", "Origin"}}),
            "A: b\r\nVary: Cookie, Origin, Accept-Encoding\r\n");
  EXPECT_EQ(vary({{"Vary", "accept-encoding"}}), "Vary: accept-encoding\r\n");
  EXPECT_EQ(vary({{"Vary", "A"}, {"Vary", "B, Accept-Encoding"}}),
            "Vary: A\r\nVary: B, Accept-Encoding\r\n");
  EXPECT_EQ(vary({{"Vary", "*"}}), "Vary: *\r\n");
}

TEST(EncodedHead, says_the_coding_and_weakens_a_strong_tag) {
  const auto marked = [](const Fields& fields) {
    Response head = head_of(fields);
    mark_encoded(head, ContentCoding::brotli);
    return std::string(head.field_lines());
  };
  EXPECT_EQ(marked({}), "Content-Encoding: br\r\n");
  EXPECT_EQ(marked({{"ETag", "\"a\""}}), "Content-Encoding: br\r\nETag: W/\"a\"\r\n");
  EXPECT_EQ(marked({{"ETag", "W/\"a\""}}), "ETag: W/\"a\"\r\nContent-Encoding: br\r\n");
  EXPECT_EQ(marked({{"Accept-Ranges", "bytes"}}),
            "Content-Encoding: br\r\nAccept-Ranges: none\r\n");
}

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
