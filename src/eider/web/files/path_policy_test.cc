#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/web/files/path_policy.h"

namespace eider::detail::files {
namespace {

TEST(JudgePath, lets_plain_names_pass) {
  for (const char* path : {"", "a", "a/", "a/b", "a/b/", "a b", "a\\b", "...a/b.c", "\xC3\xA9",
                           "a..b", "%2e%2e", ".well-known/x", ".well-known"}) {
    const bool is_hidden = std::string_view(path).starts_with("...");
    EXPECT_EQ(judge_path(path, DotFiles::hidden),
              is_hidden ? PathVerdict::absent : PathVerdict::servable)
        << path;
  }
}

TEST(JudgePath, knows_no_ways_up_and_no_empty_names_whatever_the_policy) {
  using namespace std::string_view_literals;
  for (const std::string_view path :
       {".."sv, "."sv, "../a"sv, "a/.."sv, "a/../b"sv, "a/./b"sv, "/"sv, "/a"sv, "a//b"sv, "a//"sv,
        "\0"sv, "a\0/b"sv, "a/b\0"sv, "../.env"sv, ".env/.."sv}) {
    for (const DotFiles policy : {DotFiles::hidden, DotFiles::denied, DotFiles::allowed}) {
      EXPECT_EQ(judge_path(path, policy), PathVerdict::absent) << path;
    }
  }
}

TEST(JudgePath, treats_dot_files_as_it_is_told) {
  for (const char* path : {".env", "a/.env", ".git/config", "a/.well-known", ".a/", "..."}) {
    EXPECT_EQ(judge_path(path, DotFiles::hidden), PathVerdict::absent) << path;
    EXPECT_EQ(judge_path(path, DotFiles::denied), PathVerdict::denied) << path;
    EXPECT_EQ(judge_path(path, DotFiles::allowed), PathVerdict::servable) << path;
  }
}

TEST(EncodedSlash, is_found_in_the_part_that_names_the_file) {
  for (const std::string_view path : {"/a%2Fb", "/a%2fb", "/x/%61%2F%62", "a%2Fb", "/x%2Fa%2fb"}) {
    EXPECT_TRUE(has_encoded_slash("a/b", path)) << path;
  }
  for (const std::string_view path :
       {"/a/b", "/%61/%62", "/x%2Fa/b", "/%2Fa/b", "/x%2Fb", "%2Fb", "b", ""}) {
    EXPECT_FALSE(has_encoded_slash("a/b", path)) << path;
  }
  EXPECT_TRUE(has_encoded_slash("a/", "/a%2F"));
  EXPECT_FALSE(has_encoded_slash("a%2Fb", "/a%252Fb"));
  EXPECT_FALSE(has_encoded_slash("", "/a%2F"));
}

bool navigates(std::string_view path, const char* accept, Method method = Method::get) {
  const std::vector<Field> fields = {{"Host", "x"}, {"accept", accept}};
  return is_navigation(path, method, fields);
}

TEST(Navigation, names_html_among_what_it_accepts) {
  for (const char* accept : {"text/html", "TEXT/HTML", "text/html;q=0.9",
                             "application/json, text/html ; level=1", "application/xhtml+xml",
                             "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}) {
    EXPECT_TRUE(navigates("some/page", accept)) << accept;
  }
  for (const char* accept : {"", "*/*", "text/*", "application/json", "text/htmlx",
                             "image/avif,*/*", "text/css;x=text/html"}) {
    EXPECT_FALSE(navigates("some/page", accept)) << accept;
  }
}

TEST(Navigation, is_no_asset_and_no_change) {
  EXPECT_TRUE(navigates("", "text/html"));
  EXPECT_TRUE(navigates("v1.2/page", "text/html"));
  EXPECT_TRUE(navigates("a/b/", "text/html"));
  EXPECT_TRUE(navigates("a", "text/html", Method::head));
  EXPECT_FALSE(navigates("app.js", "text/html"));
  EXPECT_FALSE(navigates("a/b.png", "text/html"));
  EXPECT_FALSE(navigates("a", "text/html", Method::post));
  EXPECT_FALSE(is_navigation("a", Method::get, std::vector<Field>{}));
}

}  // namespace
}  // namespace eider::detail::files
