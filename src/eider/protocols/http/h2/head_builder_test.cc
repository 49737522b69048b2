#include "eider/protocols/http/h2/head_builder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/arena.h"

namespace eider::h2 {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr int kServed = 0;
/// Used instead of a status: the stream is reset.
constexpr int kReset = -1;

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

/// A head, or the error that rejects it.
class Built {
 public:
  explicit Built(const Pairs& pairs, Ends ends = Ends::with_head, const HeadLimits& limits = {}) {
    builder_.begin();
    for (const auto& [name, value] : pairs) {
      builder_.add(name, value, limits);
    }
    if (builder_.is_malformed(ends)) {
      status = kReset;
    } else if (const auto refusal = builder_.finish(ends, head)) {
      status = refusal->status;
    }
    priority = builder_.priority();
  }

  RequestHead head;
  int status = kServed;
  std::optional<Priority> priority;

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
  for (int crumb = 0; crumb < 150; ++crumb) {  // more than headers_max
    const std::string text = "c" + std::to_string(crumb) + "=1";
    crumbs.emplace_back("cookie", text);
    joined += (crumb == 0 ? "" : "; ") + text;
  }
  const Built built(with(get(), crumbs));
  ASSERT_EQ(built.status, kServed);
  EXPECT_EQ(built.head.find("cookie"), joined);
  EXPECT_EQ(built.head.fields.size(), 2U);  // and the host
}

TEST(HeadBuilder, leaves_empty_crumbs_out) {
  const auto joined = [](const Pairs& crumbs) {
    return std::string(Built(with(get(), crumbs)).head.find("cookie").value());
  };
  EXPECT_EQ(joined({{"cookie", "a=1"}, {"cookie", ""}}), "a=1");
  EXPECT_EQ(joined({{"cookie", ""}, {"cookie", "a=1"}}), "a=1");
  EXPECT_EQ(joined({{"cookie", "a=1"}, {"cookie", ""}, {"cookie", "b=2"}}), "a=1; b=2");
  EXPECT_EQ(joined({{"cookie", ""}, {"cookie", ""}}), "");
  EXPECT_EQ(joined({{"cookie", ""}}), "");
}

TEST(HeadBuilder, knows_how_much_content_follows) {
  const Pairs post{{":method", "POST"}, {":scheme", "http"}, {":path", "/"}, {":authority", "h"}};
  EXPECT_EQ(Built(post).head.body, BodyKind::none);
  EXPECT_EQ(Built(post, Ends::with_content).head.body, BodyKind::chunked);
  const Built sized(with(post, {{"content-length", "12"}}), Ends::with_content);
  EXPECT_EQ(sized.head.body, BodyKind::sized);
  EXPECT_EQ(sized.head.content_length, 12U);
  EXPECT_EQ(Built(with(post, {{"content-length", "0"}})).head.body, BodyKind::none);
  EXPECT_EQ(Built(with(post, {{"content-length", "12"}})).status, kReset);
  EXPECT_TRUE(
      Built(with(post, {{"expect", "100-continue"}}), Ends::with_content).head.expects_continue);
}

TEST(HeadBuilder, serves_what_is_well_formed) {
  const std::vector<Pairs> table = {
      get("/"),
      get("/?"),
      get("/%41?%zz"),
      get("/a%2"),
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

TEST(HeadBuilder, resets_what_is_malformed_and_answers_what_is_wrong) {
  const std::vector<std::pair<int, Pairs>> table = {
      {kReset, {}},
      {kReset, {{":method", "GET"}}},
      {400, {{":method", "GET"}, {":scheme", "http"}, {":path", "/"}}},
      {kReset, {{":scheme", "http"}, {":path", "/"}, {":authority", "h"}}},
      {kReset, {{":method", "GET"}, {":path", "/"}, {":authority", "h"}}},
      {400, {{":method", "GET"}, {":scheme", "ftp"}, {":path", "/"}, {":authority", "h"}}},
      {501, {{":method", "BREW"}, {":scheme", "http"}, {":path", "/"}, {":authority", "h"}}},
      {400, {{":method", "G T"}, {":scheme", "http"}, {":path", "/"}, {":authority", "h"}}},
      {501, {{":method", "get"}, {":scheme", "http"}, {":path", "/"}, {":authority", "h"}}},
      {kReset, {{":method", "CONNECT"}, {":authority", "h"}, {":path", "/"}}},
      {kReset, with(get(), {{":path", "/"}})},
      {kReset, with(get(), {{":status", "200"}})},
      {kReset, with(get(), {{"a", "b"}, {":authority", "h"}})},
      {kReset, with(get(), {{":protocol", "websocket"}})},
      {kReset, get("")},
      {400, get("*")},
      {400, get("a")},
      {400, get("/a b")},
      {400, get("/a\\b")},
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
      {kReset, with(get(), {{"X", "y"}})},
      {kReset, with(get(), {{"x y", "z"}})},
      {kReset, with(get(), {{"", "z"}})},
      {kReset, with(get(), {{"x:", "z"}})},
      {kReset, with(get(), {{"x", "a\nb"}})},
      {kReset, with(get(), {{"x", std::string("a\0b", 3)}})},
      {kReset, with(get(), {{"x", " a"}})},
      {kReset, with(get(), {{"x", "a\t"}})},
      {kReset, with(get(), {{"cookie", "a\r\nb"}})},
      {kReset, with(get(), {{"connection", "close"}})},
      {kReset, with(get(), {{"keep-alive", "1"}})},
      {kReset, with(get(), {{"proxy-connection", "close"}})},
      {kReset, with(get(), {{"transfer-encoding", "chunked"}})},
      {kReset, with(get(), {{"upgrade", "h2c"}})},
      {kReset, with(get(), {{"te", "gzip"}})},
      {kReset, with(get(), {{"content-length", "-1"}})},
      {kReset, with(get(), {{"content-length", ""}})},
      {kReset, with(get(), {{"content-length", "9223372036854775808"}})},
      {kReset, with(get(), {{"content-length", "0"}, {"content-length", "0"}})},
      {417, with(get(), {{"expect", "tea"}})},
  };
  for (const auto& [status, pairs] : table) {
    EXPECT_EQ(Built(pairs).status, status) << (pairs.empty() ? "nothing" : pairs.back().second);
  }
}

TEST(HeadBuilder, finds_the_origin_alone_of_a_head_that_is_refused) {
  const HeadLimits limits{.head_bytes_max = 200};
  const std::pair<std::string, std::string> large{"x", std::string(200, 'x')};
  const std::pair<std::string, std::string> origin{"origin", "https://a.example"};
  for (const Pairs& more : {Pairs{large, origin}, Pairs{origin, {"y", "z"}, large}}) {
    const Built built(with(get(), more), Ends::with_head, limits);
    EXPECT_EQ(built.status, 431);
    ASSERT_EQ(built.head.fields.size(), 1U);
    EXPECT_EQ(built.head.find("Origin"), "https://a.example");
  }
  const Built bomb(with(get(), {large, {"origin", std::string(600, 'o')}}), Ends::with_head,
                   limits);
  EXPECT_TRUE(bomb.head.fields.empty());
}

TEST(HeadBuilder, says_once_what_is_wrong_where_more_is) {
  const HeadLimits limits{.head_bytes_max = 100};
  const Pairs large{{"x", std::string(100, 'x')}, {"Y", "z"}};
  EXPECT_EQ(Built(large, Ends::with_head, limits).status, 431);
  const Pairs malformed{{"Y", "z"}, {"x", std::string(100, 'x')}};
  EXPECT_EQ(Built(malformed, Ends::with_head, limits).status, kReset);
}

TEST(HeadBuilder, knows_trailers_from_what_must_not_stand_there) {
  EXPECT_TRUE(HeadBuilder::is_trailer("checked", "yes"));
  EXPECT_TRUE(HeadBuilder::is_trailer("x", ""));
  for (const auto& [name, value] : Pairs{{":path", "/"},
                                         {"Checked", "yes"},
                                         {"", "yes"},
                                         {"a b", "yes"},
                                         {"x", "a\nb"},
                                         {"connection", "close"},
                                         {"transfer-encoding", "chunked"}}) {
    EXPECT_FALSE(HeadBuilder::is_trailer(name, value)) << name;
  }
}

TEST(HeadBuilder, counts_the_content_that_was_announced) {
  HeadBuilder builder;
  builder.begin();
  EXPECT_TRUE(builder.count_content(1'000'000));
  EXPECT_TRUE(builder.has_whole_content());
  builder.begin();
  builder.add("content-length", "12", {});
  EXPECT_TRUE(builder.count_content(11));
  EXPECT_FALSE(builder.has_whole_content());
  EXPECT_TRUE(builder.count_content(1));
  EXPECT_TRUE(builder.has_whole_content());
  EXPECT_FALSE(builder.count_content(1));
  EXPECT_TRUE(builder.has_too_much());
  EXPECT_FALSE(builder.has_whole_content());
}

TEST(HeadBuilder, reads_how_urgent_a_response_is) {
  const auto said = [](const Pairs& fields) { return Built(with(get(), fields)).priority; };
  EXPECT_FALSE(said({}));
  const struct {
    Pairs fields;
    std::uint32_t urgency;
    bool is_incremental;
  } table[] = {
      {{{"priority", "u=1"}}, 1, false},
      {{{"priority", "u=7, i"}}, 7, true},
      {{{"priority", "i;x=1,u=0;y"}}, 0, true},
      {{{"priority", "i, i=?0, u=2, u=4"}}, 4, false},
      {{{"priority", "u=5"}, {"priority", "i=?1"}}, 5, true},
      {{{"priority", ""}}, 3, false},
      {{{"priority", "u=8, u=, u=-1, u=10, U=1, i=1, other"}}, 3, false},
  };
  for (const auto& [fields, urgency, is_incremental] : table) {
    ASSERT_TRUE(said(fields));
    EXPECT_EQ(said(fields)->urgency, urgency) << fields[0].second;
    EXPECT_EQ(said(fields)->is_incremental, is_incremental) << fields[0].second;
  }
}

TEST(HeadBuilder, bounds_what_it_keeps) {
  const HeadLimits limits{.head_bytes_max = 400, .target_bytes_max = 20, .headers_max = 3};
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
  const HeadLimits limits{.head_bytes_max = 100, .target_bytes_max = 20, .headers_max = 3};
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
    const bool is_served =
        !builder.is_malformed(Ends::with_head) && !builder.finish(Ends::with_head, head);
    EXPECT_EQ(is_served, pairs.size() == 4);
  }
  EXPECT_EQ(head.path, "/second");
  EXPECT_EQ(head.fields.size(), 1U);
}

}  // namespace
}  // namespace eider::h2
