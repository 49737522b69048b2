#include <gtest/gtest.h>

#include <string>

#include "tests/support/served_directory.h"

namespace eider {
namespace {

/// Serves the same file twice: small, in memory, and large, by descriptor.
class FilesConditionsTest : public ServedDirectory {
 protected:
  FilesConditionsTest() {
    for (int i = 0; i < 1000; ++i) {
      text_ += std::to_string(i % 10);
    }
    write("root/a.txt", text_);
    serve({.small_file_bytes_max = 1000}, "/small");
    serve({.small_file_bytes_max = 10}, "/large");
  }
  static constexpr const char* kTargets[] = {"/small/a.txt", "/large/a.txt"};

  std::string text_;
};

TEST_F(FilesConditionsTest, what_has_not_changed_since_is_a_304_without_bytes) {
  for (const char* target : kTargets) {
    for (const char* since : {kModified, "Sun, 06 Nov 1994 08:49:38 GMT",
                              "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"}) {
      const TestResponse reply = get(target, {{"If-Modified-Since", since}});
      EXPECT_EQ(reply.status, 304) << since;
      EXPECT_EQ(reply.body, "");
      EXPECT_EQ(reply.header("Last-Modified"), kModified);
      EXPECT_EQ(reply.header("Cache-Control"), "no-cache");
      EXPECT_TRUE(reply.header("ETag"));
      EXPECT_FALSE(reply.header("Content-Type"));
    }
    for (const char* since : {"Sun, 06 Nov 1994 08:49:36 GMT", "yesterday", ""}) {
      EXPECT_EQ(get(target, {{"If-Modified-Since", since}}).status, 200) << since;
    }
  }
}

TEST_F(FilesConditionsTest, a_tag_says_whether_the_client_has_it) {
  for (const char* target : kTargets) {
    const std::string tag(*get(target).header("ETag"));
    const std::string weak = "W/" + tag;
    const std::string list = "\"x\", " + tag;
    for (const std::string& none : {tag, weak, list, std::string("*")}) {
      EXPECT_EQ(get(target, {{"If-None-Match", none}}).status, 304) << none;
      EXPECT_EQ(head(target, {{"If-None-Match", none}}).status, 304) << none;
    }
    EXPECT_EQ(get(target, {{"If-None-Match", "\"x\""}, {"If-Modified-Since", kModified}}).status,
              200);
    EXPECT_EQ(get(target, {{"If-Match", tag}}).status, 200);
    EXPECT_EQ(get(target, {{"If-Match", weak}}).status, 412);
    EXPECT_EQ(get(target, {{"If-Match", "\"x\""}}).status, 412);
    EXPECT_EQ(get(target, {{"If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:36 GMT"}}).status, 412);
    EXPECT_EQ(get(target, {{"If-Unmodified-Since", kModified}}).status, 200);
  }
}

TEST_F(FilesConditionsTest, a_range_is_sent_alone) {
  for (const char* target : kTargets) {
    const struct {
      const char* range;
      const char* content_range;
      std::size_t first;
      std::size_t bytes;
    } rows[] = {
        {"bytes=0-0", "bytes 0-0/1000", 0, 1},         {"bytes=10-19", "bytes 10-19/1000", 10, 10},
        {"bytes=990-", "bytes 990-999/1000", 990, 10}, {"bytes=-7", "bytes 993-999/1000", 993, 7},
        {"bytes=0-", "bytes 0-999/1000", 0, 1000},     {"bytes=5-9999", "bytes 5-999/1000", 5, 995},
        {"bytes=0-9,5-14", "bytes 0-14/1000", 0, 15},
    };
    for (const auto& row : rows) {
      const TestResponse reply = get(target, {{"Range", row.range}});
      EXPECT_EQ(reply.status, 206) << row.range;
      EXPECT_EQ(reply.header("Content-Range"), row.content_range);
      EXPECT_EQ(reply.header("Content-Type"), "text/plain; charset=utf-8");
      EXPECT_EQ(reply.header("Last-Modified"), kModified);
      EXPECT_EQ(reply.body, text_.substr(row.first, row.bytes)) << row.range;
    }
  }
}

TEST_F(FilesConditionsTest, many_ranges_are_parts_of_one_content) {
  for (const char* target : kTargets) {
    const TestResponse reply = get(target, {{"Range", "bytes=0-4,500-504,-1"}});
    EXPECT_EQ(reply.status, 206);
    EXPECT_FALSE(reply.header("Content-Range"));
    const std::string type(*reply.header("Content-Type"));
    const std::string prefix = "multipart/byteranges; boundary=";
    ASSERT_TRUE(type.starts_with(prefix)) << type;
    const std::string boundary = type.substr(prefix.size());
    EXPECT_EQ(boundary.size(), 32U);
    const std::string between =
        "--" + boundary + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes ";
    EXPECT_EQ(reply.body, between + "0-4/1000\r\n\r\n01234\r\n" + between +
                              "500-504/1000\r\n\r\n01234\r\n" + between +
                              "999-999/1000\r\n\r\n9\r\n--" + boundary + "--\r\n");
    EXPECT_NE(get(target, {{"Range", "bytes=0-4,500-504"}}).header("Content-Type"), type);
  }
}

TEST_F(FilesConditionsTest, a_range_behind_the_end_is_a_416) {
  for (const char* target : kTargets) {
    const TestResponse reply = get(target, {{"Range", "bytes=1000-"}});
    EXPECT_EQ(reply.status, 416);
    EXPECT_EQ(reply.header("Content-Range"), "bytes */1000");
  }
}

TEST_F(FilesConditionsTest, a_range_that_is_none_or_too_many_is_not_heeded) {
  for (const char* target : kTargets) {
    for (const char* range : {"bytes=x", "lines=0-1", "bytes=2-1", "bytes=0-,0-,0-,0-,0-"}) {
      const TestResponse reply = get(target, {{"Range", range}});
      EXPECT_EQ(reply.status, 200) << range;
      EXPECT_EQ(reply.body, text_);
    }
    const TestResponse reply = head(target, {{"Range", "bytes=0-1"}});
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.header("Content-Length"), "1000");
  }
}

TEST_F(FilesConditionsTest, if_range_decides_between_the_part_and_the_whole) {
  for (const char* target : kTargets) {
    const std::string tag(*get(target).header("ETag"));
    const std::string weak = "W/" + tag;
    EXPECT_EQ(get(target, {{"Range", "bytes=0-1"}, {"If-Range", tag}}).status, 206);
    EXPECT_EQ(get(target, {{"Range", "bytes=0-1"}, {"If-Range", kModified}}).status, 206);
    for (const std::string_view other :
         {std::string_view(weak), std::string_view("\"x\""),
          std::string_view("Sun, 06 Nov 1994 08:49:38 GMT"), std::string_view("x")}) {
      EXPECT_EQ(get(target, {{"Range", "bytes=0-1"}, {"If-Range", other}}).status, 200) << other;
      EXPECT_EQ(get(target, {{"Range", "bytes=5000-"}, {"If-Range", other}}).status, 200) << other;
    }
    EXPECT_EQ(get(target, {{"Range", "bytes=0-1"}, {"If-None-Match", tag}}).status, 304);
    EXPECT_EQ(get(target, {{"Range", "bytes=5000-"}, {"If-Match", "\"x\""}}).status, 412);
  }
}

TEST_F(FilesConditionsTest, a_file_just_changed_has_a_weak_tag) {
  constexpr std::time_t kFarOff = 4'000'000'000;
  date("root/a.txt", kFarOff);
  for (const char* target : kTargets) {
    const TestResponse reply = get(target);
    const std::string tag(*reply.header("ETag"));
    EXPECT_TRUE(tag.starts_with("W/\"")) << tag;
    EXPECT_EQ(reply.header("Last-Modified"), reply.header("Date"));
    EXPECT_EQ(get(target, {{"If-None-Match", tag}}).status, 304);
    EXPECT_EQ(get(target, {{"Range", "bytes=0-1"}, {"If-Range", tag}}).status, 200);
  }
}

}  // namespace
}  // namespace eider
