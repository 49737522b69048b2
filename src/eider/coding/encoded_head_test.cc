#include "eider/coding/encoded_head.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "eider/http/response.h"

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

}  // namespace
}  // namespace eider
