#include "eider/client/cookie_jar.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/client/test_client_line.h"

namespace eider {
namespace {

using testing::ClientLine;
using testing::response;

constexpr std::int64_t kNow = 1'700'000'000;

/// Default: http://www.example.com/dir/page.
struct Visit {
  std::string_view host = "www.example.com";
  std::string_view path = "/dir/page";
  bool is_secure = false;

  [[nodiscard]] CookieSite site() const { return {host, path, is_secure}; }
};

/// Returns the cookies that are sent to `to` after one was set at `from`.
std::string sent_back(std::string_view field, const Visit& from, const Visit& to,
                      std::int64_t later = 0) {
  CookieJar jar;
  jar.store(from.site(), field, kNow);
  return jar.header_for(to.site(), kNow + later);
}

TEST(CookieJar, sends_back_what_was_set_to_the_same_host) {
  EXPECT_EQ(sent_back("a=b", {}, {}), "a=b");
  EXPECT_EQ(sent_back(" a = b c ; HttpOnly; X=y", {}, {}), "a=b c");
  EXPECT_EQ(sent_back("a=", {}, {}), "a=");
  EXPECT_EQ(sent_back("a=b=c", {}, {}), "a=b=c");
  EXPECT_EQ(sent_back("a=b", {}, {.host = "other.com"}), "");
  EXPECT_EQ(sent_back("a=b", {}, {.host = "sub.www.example.com"}), "");
}

TEST(CookieJar, takes_nothing_malformed) {
  for (const std::string_view field : {"", "a", "=b", "; Path=/", "a\x01=b", "a=b\x7F"}) {
    EXPECT_EQ(sent_back(field, {}, {}), "") << field;
  }
  EXPECT_EQ(sent_back("a=" + std::string(5000, 'x'), {}, {}), "");
}

TEST(CookieJar, heeds_paths) {
  EXPECT_EQ(sent_back("a=b", {}, {.path = "/dir/other"}), "a=b") << "the default is the folder";
  EXPECT_EQ(sent_back("a=b", {}, {.path = "/directory"}), "");
  EXPECT_EQ(sent_back("a=b", {}, {.path = "/"}), "");
  EXPECT_EQ(sent_back("a=b; Path=/", {}, {.path = "/x"}), "a=b");
  EXPECT_EQ(sent_back("a=b; Path=/x", {}, {.path = "/x/y"}), "a=b");
  EXPECT_EQ(sent_back("a=b; Path=/x", {}, {.path = "/xy"}), "");
  EXPECT_EQ(sent_back("a=b; Path=x", {}, {.path = "/dir/"}), "a=b") << "a relative one is ignored";
}

TEST(CookieJar, heeds_domains) {
  EXPECT_EQ(sent_back("a=b; Domain=www.example.com", {}, {.host = "x.www.example.com"}), "a=b");
  EXPECT_EQ(sent_back("a=b; Domain=.WWW.example.com", {}, {.host = "x.www.example.com"}), "a=b");
  EXPECT_EQ(sent_back("a=b; Domain=example.com", {}, {}), "a=b");
  EXPECT_EQ(sent_back("a=b; Domain=example.com", {}, {.host = "x.example.com"}), "a=b");
  EXPECT_EQ(sent_back("a=b; Domain=com", {}, {.host = "other.com"}), "");
  EXPECT_EQ(sent_back("a=b; Domain=com", {}, {}), "");
  EXPECT_EQ(sent_back("a=b; Domain=other.com", {}, {.host = "other.com"}), "");
  EXPECT_EQ(sent_back("a=b; Domain=ample.com", {}, {}), "");
  EXPECT_EQ(sent_back("a=b; Domain=0.0.1", {.host = "127.0.0.1"}, {.host = "127.0.0.1"}), "");
}

TEST(CookieJar, keeps_cookies_for_their_host_where_it_knows_no_suffixes) {
  CookieJar jar({.is_public_suffix = nullptr});
  EXPECT_TRUE(jar.store(Visit().site(), "a=b; Domain=example.com", kNow));
  EXPECT_EQ(jar.header_for(Visit().site(), kNow), "a=b");
  EXPECT_EQ(jar.header_for(Visit{.host = "x.example.com", .path = "/dir/"}.site(), kNow), "");
}

TEST(PublicSuffixes, are_those_of_the_systems_list) {
  for (const char* domain : {"com", "uk", "co.uk", "github.io", "kawasaki.jp", "xn--p1ai",
                             "nobody-has-this", "localhost", "x.kawasaki.jp"}) {
    EXPECT_TRUE(is_public_suffix(domain)) << domain;
  }
  for (const char* domain : {"example.com", "example.co.uk", "me.github.io", "city.kawasaki.jp",
                             "a.nobody-has-this", "127.0.0.1"}) {
    EXPECT_FALSE(is_public_suffix(domain)) << domain;
  }
}

TEST(CookieJar, shares_no_cookie_of_a_public_suffix_with_its_neighbours) {
  for (const auto& [host, suffix] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"www.example.co.uk", "co.uk"}, {"me.github.io", "github.io"}, {"a.b", "b"}}) {
    CookieJar jar;
    EXPECT_FALSE(jar.store({host, "/", true}, "a=b; Domain=" + std::string(suffix), kNow)) << host;
    EXPECT_EQ(jar.size(), 0U);
  }
  CookieJar jar;
  EXPECT_TRUE(jar.store({"github.io", "/", true}, "a=b; Domain=github.io", kNow)) << "its own";
  EXPECT_EQ(jar.header_for({"me.github.io", "/", true}, kNow), "") << "but for itself alone";
}

TEST(CookieJar, shares_cookies_of_a_domain_by_suffixes_that_it_is_told) {
  CookieJar jar({.is_public_suffix = [](std::string_view domain) {
    return domain == "com" || domain == "co.uk";
  }});
  EXPECT_TRUE(jar.store(Visit().site(), "a=b; Domain=example.com", kNow));
  EXPECT_EQ(jar.header_for(Visit{.host = "x.example.com", .path = "/dir/"}.site(), kNow), "a=b");
  EXPECT_FALSE(jar.store(Visit().site(), "c=d; Domain=com", kNow));
}

TEST(CookieJar, forgets_in_time) {
  EXPECT_EQ(sent_back("a=b; Max-Age=10", {}, {}, 9), "a=b");
  EXPECT_EQ(sent_back("a=b; Max-Age=10", {}, {}, 10), "");
  EXPECT_EQ(sent_back("a=b; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT", {}, {}), "a=b");
  EXPECT_EQ(sent_back("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT", {}, {}), "");
  EXPECT_EQ(sent_back("a=b; Expires=Tue, 01-Jan-2030 00:00:00 GMT", {}, {}), "a=b");
  EXPECT_EQ(sent_back("a=b; Expires=some day", {}, {}), "a=b");
  EXPECT_EQ(sent_back("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Expires=some day", {}, {}), "")
      << "what cannot be read is ignored (RFC 6265, section 5.2.1)";
  EXPECT_EQ(sent_back("a=b; Max-Age=9223372036854775807", {}, {}, 1000), "a=b");
}

TEST(CookieJar, deletes_and_replaces) {
  CookieJar jar;
  const CookieSite site = Visit().site();
  jar.store(site, "a=b", kNow);
  jar.store(site, "a=c", kNow);
  EXPECT_EQ(jar.header_for(site, kNow), "a=c");
  EXPECT_FALSE(jar.store(site, "a=; Max-Age=0", kNow));
  EXPECT_EQ(jar.header_for(site, kNow), "");
  EXPECT_EQ(jar.size(), 0U);
}

TEST(CookieJar, keeps_the_place_of_a_cookie_whose_value_changes) {
  CookieJar jar({.per_domain_max = 3});
  const CookieSite site = Visit().site();
  for (const std::string_view field : {"a=1", "b=2", "c=3", "a=4"}) {
    jar.store(site, field, kNow);
  }
  EXPECT_EQ(jar.header_for(site, kNow), "a=4; b=2; c=3") << "RFC 6265, section 5.3, step 11.3";
  jar.store(site, "d=5", kNow);
  EXPECT_EQ(jar.header_for(site, kNow), "a=4; c=3; d=5") << "b was set longest ago";
  jar.store(site, "a=; Max-Age=0", kNow);
  jar.store(site, "a=6", kNow);
  EXPECT_EQ(jar.header_for(site, kNow), "c=3; d=5; a=6") << "this one is new";
}

TEST(CookieJar, keeps_secure_cookies_off_plain_connections) {
  const Visit secure{.is_secure = true};
  EXPECT_EQ(sent_back("a=b; Secure", secure, secure), "a=b");
  EXPECT_EQ(sent_back("a=b; Secure", secure, {}), "");
  EXPECT_EQ(sent_back("a=b; Secure", {}, secure), "") << "a plain connection may not set it";
  CookieJar jar;
  jar.store(secure.site(), "a=b; Secure; Path=/dir", kNow);
  EXPECT_FALSE(jar.store(Visit().site(), "a=evil; Path=/dir/page", kNow));
  EXPECT_EQ(jar.header_for(secure.site(), kNow), "a=b");
}

TEST(CookieJar, lets_no_plain_connection_hide_a_secure_cookie_of_a_domain_above_or_below) {
  struct Case {
    std::string_view secure_host;
    std::string_view secure_field;
    std::string_view plain_host;
    std::string_view plain_field;
    bool is_kept;
  };
  for (const auto& [secure_host, secure_field, plain_host, plain_field, is_kept] :
       std::vector<Case>{
           {"example.com", "a=1; Secure; Path=/", "sub.example.com", "a=2; Path=/", false},
           {"example.com", "a=1; Secure; Path=/", "sub.example.com",
            "a=2; Path=/; Domain=example.com", false},
           {"sub.example.com", "a=1; Secure; Path=/", "example.com",
            "a=2; Path=/; Domain=example.com", false},
           {"a.b.example.com", "a=1; Secure; Path=/", "example.com", "a=2; Path=/x", false},
           {"example.com", "a=1; Secure; Path=/", "sub.example.com", "b=2; Path=/", true},
           {"example.com", "a=1; Secure; Path=/x", "sub.example.com", "a=2; Path=/", true},
           {"example.com", "a=1; Path=/", "sub.example.com", "a=2; Path=/", true},
           {"one.example.com", "a=1; Secure; Path=/", "two.example.com", "a=2; Path=/", true},
           {"ample.com", "a=1; Secure; Path=/", "example.com", "a=2; Path=/", true},
       }) {
    CookieJar jar;
    EXPECT_TRUE(jar.store({secure_host, "/", true}, secure_field, kNow));
    EXPECT_EQ(jar.store({plain_host, "/", false}, plain_field, kNow), is_kept)
        << secure_host << " " << secure_field << " " << plain_host << " " << plain_field;
    EXPECT_TRUE(jar.store({plain_host, "/", true}, plain_field, kNow)) << "over TLS it may";
  }
}

TEST(CookieJar, holds_names_to_their_prefix) {
  const Visit secure{.is_secure = true};
  EXPECT_EQ(sent_back("__Secure-a=b; Secure", secure, secure), "__Secure-a=b");
  EXPECT_EQ(sent_back("__Secure-a=b", secure, secure), "");
  EXPECT_EQ(sent_back("__secure-a=b", secure, secure), "");
  EXPECT_EQ(sent_back("__SECURE-a=b; Secure", secure, secure), "__SECURE-a=b");
  EXPECT_EQ(sent_back("__host-a=b; Secure", secure, secure), "");
  EXPECT_EQ(sent_back("__hOST-a=b; Secure; Path=/; Domain=www.example.com", secure, secure), "");
  EXPECT_EQ(sent_back("__Host-a=b; Secure; Path=/", secure, secure), "__Host-a=b");
  EXPECT_EQ(sent_back("__Host-a=b; Secure", secure, secure), "");
  EXPECT_EQ(sent_back("__Host-a=b; Secure; Path=/; Domain=www.example.com", secure, secure), "");
}

TEST(CookieJar, lists_longer_paths_first_and_then_the_older) {
  CookieJar jar;
  const CookieSite site = Visit().site();
  for (const std::string_view field : {"a=1; Path=/", "b=2; Path=/dir", "c=3; Path=/"}) {
    jar.store(site, field, kNow);
  }
  EXPECT_EQ(jar.header_for(site, kNow), "b=2; a=1; c=3");
}

TEST(CookieJar, is_bounded_whatever_servers_set) {
  CookieJar jar({.per_domain_max = 5, .cookies_max = 8, .header_bytes_max = 20});
  for (int host = 0; host < 4; ++host) {
    const std::string name = "h" + std::to_string(host);
    for (int cookie = 0; cookie < 100; ++cookie) {
      jar.store({name, "/", false}, "c" + std::to_string(cookie) + "=1", kNow);
    }
    const std::size_t bytes = jar.header_for({name, "/", false}, kNow).size();
    EXPECT_GT(bytes, 0U);
    EXPECT_LE(bytes, 20U);
  }
  EXPECT_LE(jar.size(), 8U);
  jar.clear();
  EXPECT_EQ(jar.size(), 0U);
}

TEST(CookieJar, takes_none_where_it_may_have_none) {
  for (const auto& options :
       {CookieJarOptions{.cookies_max = 0}, CookieJarOptions{.per_domain_max = 0}}) {
    CookieJar jar(options);
    EXPECT_FALSE(jar.store(Visit().site(), "a=b", kNow));
    EXPECT_FALSE(jar.store(Visit().site(), "a=b", kNow));
    EXPECT_EQ(jar.size(), 0U);
  }
}

TEST(CookieDate, is_read_in_the_forms_that_there_are) {
  constexpr std::int64_t kThen = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT
  for (const std::string_view text :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "06 november 94 8:49:37", "1994-x nov;6 08:49:37"}) {
    EXPECT_EQ(parse_cookie_date(text), kThen) << text;
  }
  for (const std::string_view text :
       {"", "Sun", "06 Nov 1994", "08:49:37", "31 Feb 1994 08:49:37", "06 Nov 1994 24:00:00",
        "06 Nov 1600 08:49:37", "06 Nov 19940 08:49:37", "006 Nov 1994 08:49:37",
        "06 Nov 1994 08:49", "06 Nov 1994 08:490:37"}) {
    EXPECT_EQ(parse_cookie_date(text), std::nullopt) << text;
  }
}

TEST(CookieJar, serves_a_client_also_over_redirects) {
  ClientOptions options;
  options.cookies = std::make_shared<CookieJar>();
  ClientLine line(options);
  line.get("http://a/login");
  EXPECT_FALSE(line.sent().contains("Cookie"));
  line.say(response("", "Set-Cookie: s=1; Path=/\r\nSet-Cookie: t=2; Path=/\r\nLocation: /home\r\n",
                    "302 -"));
  EXPECT_TRUE(line.sent().contains("Cookie: s=1; t=2\r\n"));
  line.say(response("1"));
  line.get("http://b/");
  EXPECT_FALSE(line.sent(1).contains("Cookie"));
}

}  // namespace
}  // namespace eider
