#include "eider/http/h2/head_builder.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "eider/base/arena.h"

namespace eider::h2 {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr int kServed = 0;

Pairs get(std::string path = "/", std::string host = "example.org") {
  return {{":method", "GET"},
          {":scheme", "https"},
          {":path", std::move(path)},
          {":authority", std::move(host)}};
}

Pairs with(Pairs pairs, const Pairs& more) {
  pairs.insert(pairs.end(), more.begin(), more.end());
  return pairs;
}

/// A head as it was built, or the status that refuses it.
class Built {
 public:
  explicit Built(const Pairs& pairs, Ends ends = Ends::with_head, const HeadLimits& limits = {}) {
    builder_.begin();
    for (const auto& [name, value] : pairs) {
      builder_.add(name, value, limits);
    }
    if (const auto refusal = builder_.finish(ends, head)) {
      status = refusal->status;
    }
  }

  RequestHead head;
  int status = kServed;

 private:
  HeadBuilder builder_;
};

TEST(HeadBuilder, makes_the_head_that_http_1_would_have_been) {
  const Built built(with(get("/a%20b?c=d", "example.org:8080"), {{"accept", "*/*"}}));
  ASSERT_EQ(built.status, kServed);
  EXPECT_EQ(built.head.method, Method::get);
  EXPECT_EQ(built.head.minor_version, 1);
  EXPECT_EQ(built.head.form, TargetForm::origin);
  EXPECT_EQ(built.head.target, "/a%20b?c=d");
  EXPECT_EQ(built.head.path, "/a%20b");
  EXPECT_EQ(built.head.query, "c=d");
  EXPECT_EQ(built.head.authority, "example.org:8080");
  EXPECT_EQ(built.head.body, BodyKind::none);
  EXPECT_EQ(built.head.find("Accept"), "*/*");
  EXPECT_EQ(built.head.find("Host"), "example.org:8080");
}

TEST(HeadBuilder, has_all_but_literals_in_one_run_of_bytes) {
  const Built built(with(get("/x"), {{"cookie", "a=1"}, {"x-y", "z"}, {"cookie", "b=2"}}));
  Arena arena;
  const RequestHead copy = copy_head(built.head, arena);
  EXPECT_EQ(copy.find("cookie"), "a=1; b=2");
  EXPECT_NE(copy.find("cookie")->data(), built.head.find("cookie")->data());
  EXPECT_NE(copy.target.data(), built.head.target.data());
  EXPECT_NE(copy.find("host")->data(), built.head.find("host")->data());
}

TEST(HeadBuilder, joins_the_crumbs_of_cookies) {
  EXPECT_EQ(Built(with(get(), {{"cookie", "a=1"}})).head.find("cookie"), "a=1");
  Pairs crumbs;
  std::string joined;
  for (int crumb = 0; crumb < 150; ++crumb) {  // more than fields_max
    const std::string text = "c" + std::to_string(crumb) + "=1";
    crumbs.emplace_back("cookie", text);
    joined += (crumb == 0 ? "" : "; ") + text;
  }
  const Built built(with(get(), crumbs));
  ASSERT_EQ(built.status, kServed);
  EXPECT_EQ(built.head.find("cookie"), joined);
  EXPECT_EQ(built.head.fields.size(), 2U);  // and host
}

TEST(HeadBuilder, knows_how_much_content_follows) {
  const Pairs post{{":method", "POST"}, {":scheme", "http"}, {":path", "/"}, {":authority", "h"}};
  EXPECT_EQ(Built(post).head.body, BodyKind::none);
  EXPECT_EQ(Built(post, Ends::with_content).head.body, BodyKind::chunked);
  const Built sized(with(post, {{"content-length", "12"}}), Ends::with_content);
  EXPECT_EQ(sized.head.body, BodyKind::sized);
  EXPECT_EQ(sized.head.content_length, 12U);
  EXPECT_EQ(Built(with(post, {{"content-length", "0"}})).head.body, BodyKind::none);
  EXPECT_EQ(Built(with(post, {{"content-length", "12"}})).status, 400);
  EXPECT_TRUE(
      Built(with(post, {{"expect", "100-continue"}}), Ends::with_content).head.expects_continue);
}

TEST(HeadBuilder, serves_what_is_well_formed) {
  const std::vector<Pairs> table = {
      get("/"),
      get("/?"),
      get("/%41?%zz"),
      get("/a?b?c"),
      get("/", "[::1]:443"),
      get("/", "a.b-c_d~"),
      get("/", "%41.b"),
      get("/", "h:"),
      with(get(), {{"host", "EXAMPLE.org"}}),
      {{":method", "GET"}, {":scheme", "HTTP"}, {":path", "/"}, {"host", "h"}},
      {{":method", "OPTIONS"}, {":scheme", "http"}, {":path", "*"}, {":authority", "h"}},
      {{":method", "CONNECT"}, {":authority", "h:443"}},
      with(get(), {{"te", "trailers"}, {"x", ""}, {"x!#$%&'*+-.^_`|~09", "\xff"}}),
  };
  for (const Pairs& pairs : table) {
    EXPECT_EQ(Built(pairs).status, kServed) << pairs[2].second << " " << pairs.back().second;
  }
}

Pairs websocket(std::string protocol = "websocket") {
  return {{":method", "CONNECT"},
          {":protocol", std::move(protocol)},
          {":scheme", "https"},
          {":path", "/chat?x"},
          {":authority", "h"}};
}

TEST(HeadBuilder, notes_what_a_proxy_calls_early) {
  EXPECT_FALSE(Built(get("/x")).head.is_early);
  EXPECT_FALSE(Built(with(get("/x"), {{"early-date", "1"}})).head.is_early);
  for (const char* const value : {"1", "0", ""}) {
    EXPECT_TRUE(Built(with(get("/x"), {{"early-data", value}})).head.is_early) << value;
  }
}

TEST(HeadBuilder, tells_a_websocket_of_rfc_8441_as_a_get) {
  const Built built(websocket(), Ends::with_content);
  EXPECT_EQ(built.status, kServed);
  EXPECT_TRUE(built.head.opens_websocket);
  EXPECT_EQ(built.head.method, Method::get);
  EXPECT_EQ(built.head.path, "/chat");
  EXPECT_EQ(built.head.body, BodyKind::none);
  EXPECT_FALSE(Built(get(), Ends::with_content).head.opens_websocket);
  EXPECT_EQ(Built(websocket(), Ends::with_head).status, 400);
  EXPECT_EQ(Built(with(websocket(), {{"content-length", "3"}}), Ends::with_content).status, 400);
  EXPECT_EQ(Built(with(websocket(), {{"expect", "100-continue"}}), Ends::with_content).status, 400);
  EXPECT_EQ(Built(websocket("connect-udp"), Ends::with_content).status, 501);
  EXPECT_EQ(Built(websocket(""), Ends::with_content).status, 501);
}

TEST(HeadBuilder, refuses_what_is_not) {
  const std::vector<std::pair<int, Pairs>> table = {
      {400, {}},
      {400, {{":method", "GET"}}},
      {400, {{":method", "GET"}, {":scheme", "http"}, {":path", "/"}}},
      {400, {{":scheme", "http"}, {":path", "/"}, {":authority", "h"}}},
      {400, {{":method", "GET"}, {":path", "/"}, {":authority", "h"}}},
      {400, {{":method", "GET"}, {":scheme", "ftp"}, {":path", "/"}, {":authority", "h"}}},
      {501, {{":method", "BREW"}, {":scheme", "http"}, {":path", "/"}, {":authority", "h"}}},
      {400, {{":method", "G T"}, {":scheme", "http"}, {":path", "/"}, {":authority", "h"}}},
      {501, {{":method", "get"}, {":scheme", "http"}, {":path", "/"}, {":authority", "h"}}},
      {400, {{":method", "CONNECT"}, {":authority", "h"}, {":path", "/"}}},
      {400, with(get(), {{":path", "/"}})},
      {400, with(get(), {{":status", "200"}})},
      {400, with(get(), {{"a", "b"}, {":authority", "h"}})},
      {400, with(get(), {{":protocol", "websocket"}})},
      {400, get("")},
      {400, get("*")},
      {400, get("a")},
      {400, get("/a b")},
      {400, get("/a\\b")},
      {400, get("/a%2")},
      {400, get("/a#b")},
      {400, get("/\xc3\xa4")},
      {400, get("http://h/")},
      {400, get("/", "")},
      {400, get("/", "a b")},
      {400, get("/", "u@h")},
      {400, get("/", "h:65536")},
      {400, get("/", "h:x")},
      {400, get("/", ":80")},
      {400, get("/", "[::1")},
      {400, get("/", "[x]")},
      {400, get("/", "h/")},
      {400, with(get(), {{"host", "other"}})},
      {400, with(get(), {{"host", "example.org"}, {"host", "example.org"}})},
      {400, with(get(), {{"X", "y"}})},
      {400, with(get(), {{"x y", "z"}})},
      {400, with(get(), {{"", "z"}})},
      {400, with(get(), {{"x:", "z"}})},
      {400, with(get(), {{"x", "a\nb"}})},
      {400, with(get(), {{"x", std::string("a\0b", 3)}})},
      {400, with(get(), {{"x", " a"}})},
      {400, with(get(), {{"x", "a\t"}})},
      {400, with(get(), {{"cookie", "a\r\nb"}})},
      {400, with(get(), {{"connection", "close"}})},
      {400, with(get(), {{"keep-alive", "1"}})},
      {400, with(get(), {{"proxy-connection", "close"}})},
      {400, with(get(), {{"transfer-encoding", "chunked"}})},
      {400, with(get(), {{"upgrade", "h2c"}})},
      {400, with(get(), {{"te", "gzip"}})},
      {400, with(get(), {{"content-length", "-1"}})},
      {400, with(get(), {{"content-length", ""}})},
      {400, with(get(), {{"content-length", "9223372036854775808"}})},
      {400, with(get(), {{"content-length", "0"}, {"content-length", "0"}})},
      {417, with(get(), {{"expect", "tea"}})},
  };
  for (const auto& [status, pairs] : table) {
    EXPECT_EQ(Built(pairs).status, status) << (pairs.empty() ? "nothing" : pairs.back().second);
  }
}

TEST(HeadBuilder, bounds_what_it_keeps) {
  const HeadLimits limits{.head_bytes_max = 400, .target_bytes_max = 20, .fields_max = 3};
  EXPECT_EQ(Built(get("/" + std::string(19, 'a')), Ends::with_head, limits).status, kServed);
  EXPECT_EQ(Built(get("/" + std::string(20, 'a')), Ends::with_head, limits).status, 414);
  Pairs fields = with(get(), {{"a", "1"}, {"b", "2"}, {"c", "3"}});
  EXPECT_EQ(Built(fields, Ends::with_head, limits).status, kServed);
  fields.emplace_back("d", "4");
  EXPECT_EQ(Built(fields, Ends::with_head, limits).status, 431);
  const Pairs large = with(get(), {{"a", std::string(400, 'x')}});
  EXPECT_EQ(Built(large, Ends::with_head, limits).status, 431);
}

TEST(HeadBuilder, counts_on_when_it_keeps_no_more) {
  HeadBuilder builder;
  const HeadLimits limits{.head_bytes_max = 100, .target_bytes_max = 20, .fields_max = 3};
  builder.begin();
  for (int count = 0; count < 1000; ++count) {
    builder.add("x", "y", limits);
  }
  EXPECT_EQ(builder.listed_bytes(), 34'000U);
  builder.begin();
  EXPECT_EQ(builder.listed_bytes(), 0U);
}

TEST(HeadBuilder, forgets_one_head_before_the_next) {
  HeadBuilder builder;
  RequestHead head;
  const HeadLimits limits;
  for (const Pairs& pairs : {with(get(), {{"x", "a\nb"}}), get("/second")}) {
    builder.begin();
    for (const auto& [name, value] : pairs) {
      builder.add(name, value, limits);
    }
    const bool is_served = !builder.finish(Ends::with_head, head);
    EXPECT_EQ(is_served, pairs.size() == 4);
  }
  EXPECT_EQ(head.path, "/second");
  EXPECT_EQ(head.fields.size(), 1U);
}

}  // namespace
}  // namespace eider::h2
