#include "eider/protocols/http/http_url.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace eider::detail::http {
namespace {

std::string read(std::string_view url) {
  const auto read = read_http_url(url);
  return read ? read->to_text() : std::string(read.error());
}

TEST(HttpUrl, has_no_dot_segments) {
  for (const auto& [url, expected] : {
           std::pair("http://a/b/../c", "http://a/c"),
           std::pair("http://a/b/./c/.", "http://a/b/c/"),
           std::pair("http://a/../../b", "http://a/b"),
           std::pair("http://a/b/..", "http://a/"),
           std::pair("http://a/b/%2e%2E/c?d=/../", "http://a/c?d=/../"),
           std::pair("http://a/.%2e/b/%2E", "http://a/b/"),
           std::pair("http://a/...//..b/%2e%2e%2e", "http://a/...//..b/%2e%2e%2e"),
           std::pair("http://a?b/../c", "http://a/?b/../c"),
       }) {
    EXPECT_EQ(read(url), expected);
    EXPECT_EQ(read(expected), expected) << "once is enough";
  }
}

TEST(HttpUrl, has_no_dot_after_its_host) {
  EXPECT_EQ(read("http://localhost.:8080/a"), "http://localhost:8080/a");
  EXPECT_EQ(read("https://Shop.Example./"), "https://shop.example/");
  EXPECT_EQ(read_http_url("https://shop.example.")->host, "shop.example");
  EXPECT_EQ(read("http://a../"), "http://a../") << "it is no name, and stays none";
  EXPECT_EQ(read("http://./"), "http://./");
}

TEST(HttpUrl, of_redirects_has_none_either) {
  const HttpUrl base = read_http_url("http://a/b/c").value();
  EXPECT_EQ(resolve_reference(base, "../d/%2e/e")->to_text(), "http://a/d/e");
  EXPECT_EQ(resolve_reference(base, "//b./x/../y")->to_text(), "http://b/y");
  EXPECT_EQ(resolve_reference(base, "https://c./")->origin(), "https://c");
  EXPECT_EQ(resolve_reference(base, "d#e:f").value().to_text(), "http://a/b/d");
  EXPECT_EQ(resolve_reference(base, "#e:f").value().to_text(), "http://a/b/c");
}

TEST(HttpUrl, holds_no_byte_that_urls_may_not_hold) {
  EXPECT_EQ(read("http://a/\xC3\xA4 <b>\"^`{|}\\?\xC3\xA4#x"),
            "http://a/%C3%A4%20%3Cb%3E%22%5E%60%7B%7C%7D%5C?%C3%A4");
  EXPECT_FALSE(read_http_url("http://a/b\r\nc"));
  EXPECT_FALSE(read_http_url("http://a/%zz"));
}

}  // namespace
}  // namespace eider::detail::http
