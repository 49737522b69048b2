#include "eider/web/proxy/forwarding.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/url.h"
#include "eider/protocols/http/h1/head_reader.h"
#include "eider/web/middleware/upstream_headers.h"

namespace eider::detail::proxy {
namespace {

/// A request as the HTTP/1.1 parser reads it.
class Read {
 public:
  explicit Read(std::string text) : text_(std::move(text)) {
    EXPECT_EQ(reader_.read(text_, {}), h1::HeadStatus::complete) << text_;
    request_.head() = reader_.head();
  }
  void set(UpstreamHeaders headers) { request_.set(std::move(headers)); }
  void come_from(Peer& peer) { request_.set_peer(&peer); }
  [[nodiscard]] const Request& request() const { return request_; }
  [[nodiscard]] std::string forwarded(ForwardedTrust trust = ForwardedTrust::none) const {
    std::string all;
    forward_request_fields(request_, trust, [&](std::string_view name, std::string_view value) {
      all.append(name).append("=").append(value).append("|");
    });
    return all;
  }

 private:
  std::string text_;
  h1::HeadReader reader_;
  Request request_;
};

Read with_line(std::string_view line) {
  return Read(std::string(line) + "\r\nHost: a\r\n\r\n");
}

Read with_fields(std::string_view lines) {
  return Read("GET / HTTP/1.1\r\nHost: a\r\n" + std::string(lines) + "\r\n");
}

constexpr std::string_view kAdded =
    "X-Forwarded-For=unknown|X-Forwarded-Proto=http|X-Forwarded-Host=a|Via=1.1 eider|";

TEST(Forwarding, the_target_behind_a_prefix_stays_as_it_came) {
  struct Case {
    std::string_view target;
    std::size_t segments;
    std::string_view behind;
  };
  for (const auto& [target, segments, behind] : std::vector<Case>{
           {"/", 0, "/"},
           {"/a%2Fb?c=/d", 0, "/a%2Fb?c=/d"},
           {"/api", 1, ""},
           {"/api/", 1, "/"},
           {"/api?x=/y", 1, "?x=/y"},
           {"/api/b/c?x", 1, "/b/c?x"},
           {"/api/b/c?x", 2, "/c?x"},
           {"/api", 2, ""},
           {"http://api/api", 0, "/api"},
           {"http://api/api/b", 1, "/b"},
           {"http://api", 0, ""},
           {"HTTPS://a:80?x", 0, "?x"},
           {"http://a/?http://a/", 0, "/?http://a/"},
       }) {
    const Read read = with_line("GET " + std::string(target) + " HTTP/1.1");
    EXPECT_EQ(behind_prefix(read.request().head(), segments), behind) << target;
  }
}

TEST(Forwarding, the_prefixes_of_groups_and_mounts_are_part_of_the_prefix) {
  const std::vector<std::pair<std::string_view, std::size_t>> cases = {
      {"/api", 1},       {"/api/{rest...}", 1},   {"/g/api", 2},
      {"", 0},           {"/g/api/{rest...}", 2}, {"/m/g/a/b/{rest...}", 4},
      {"/{rest...}", 0},
  };
  for (const auto& [route, segments] : cases) {
    EXPECT_EQ(prefix_segments(route), segments) << route;
  }
}

TEST(Forwarding, what_some_upstreams_take_for_the_way_up_does_not_go_on) {
  for (const std::string_view behind :
       {"/..;/x", "/..;a=b/x", "/..%3b/x", "/..%3Ba", "/..%2fx", "/..%2F", "/..%5cx", "/..%5C",
        "/%2e%2e%3b/x", "/.%2E;/x", "/%2e.%5cx", "/a/..;", "/a%2f..", "/a%2F..%2Fb", "/a%5c..;x?y",
        "/a/b/..;/..;/c", "/..;?x", "/.%"}) {
    EXPECT_TRUE(may_climb(behind)) << behind;
  }
  for (const std::string_view behind : {"",
                                        "/",
                                        "/a",
                                        "?..;",
                                        "/?/../",
                                        "/a?x=/..%2f",
                                        "/...",
                                        "/...;",
                                        "/..a",
                                        "/..a;b/",
                                        "/a..",
                                        "/a..;b",
                                        "/.;/x",
                                        "/./x",
                                        "/a%2Fb",
                                        "/a%5Cb",
                                        "/a;b=../c",
                                        "/a;..",
                                        "/%252e%252e%252f",
                                        "/..%20",
                                        "/%2e%2e%2e"}) {
    EXPECT_FALSE(may_climb(behind)) << behind;
  }
}

TEST(Forwarding, ordinary_paths_are_not_ambiguous) {
  for (const std::string_view behind :
       {"", "/", "?a;b", "/a?b=%2F;%5C%252F%0a", "/caf%C3%A9", "/%E2%82%AC%F0%9F%98%80", "/100%25",
        "/50%25off", "/a%20b", "/a.", "/a%3Fb", "/a%23b", "/%C0-propos", "/%E0%A4%85"}) {
    EXPECT_EQ(ambiguity_of(behind, {}), "") << behind;
  }
}

TEST(Forwarding, overlong_utf8_of_each_size_is_ambiguous) {
  for (const std::string_view bytes :
       {"c0%af", "c1%a1", "e0%80%af", "e0%9f%bf", "f0%80%80%af", "f0%8f%bf%bf", "f8%80%80%80%af",
        "f8%87%bf%bf%bf", "FB%80%80%80%80", "fc%80%80%80%80%af", "FD%83%BF%BF%BF%BF"}) {
    const std::string encoded = "/admin%" + std::string(bytes) + "x";
    const std::string raw = percent_decode(encoded, Plus::literal).value();
    const std::string mixed = raw.substr(0, raw.size() - 2) + encoded.substr(encoded.size() - 4);
    for (const std::string& behind : {encoded, raw, mixed}) {
      EXPECT_NE(ambiguity_of(behind, {}), "") << behind;
      EXPECT_NE(ambiguity_of(behind, {.double_encodings = true}), "") << behind;
    }
    EXPECT_EQ(ambiguity_of("/a?" + encoded + raw, {}), "") << encoded;
  }
  for (const std::string_view behind : {"/%DF%BF", "/%E0%A0%80", "/%F0%90%80%80", "/%F4%8F%BF%BF",
                                        "/%F8-%80", "/caf\xC3\xA9", "/\xE0\xA0\x80", "/%F8"}) {
    EXPECT_EQ(ambiguity_of(behind, {}), "") << behind;
  }
}

TEST(Forwarding, an_escape_whose_characters_are_encoded_is_a_double_encoding) {
  for (const std::string_view behind :
       {"/%25%36%31dmin", "/admin%252%66x", "/admin%25%32fx", "/admin%25%32%66x", "/%2525",
        "/x/%25%32%65%25%32%65/admin", "/admin%25%35%63x", "/%25%32%35%36%31dmin"}) {
    EXPECT_NE(ambiguity_of(behind, {}), "") << behind;
    EXPECT_EQ(ambiguity_of(behind, {.double_encodings = true}), "") << behind;
  }
  for (const std::string_view behind :
       {"/%25", "/100%25/%61b", "/%25%36", "/%25%36%67", "/%25%25"}) {
    EXPECT_EQ(ambiguity_of(behind, {}), "") << behind;
  }
}

TEST(Forwarding, each_kind_of_ambiguity_is_allowed_by_itself) {
  EXPECT_EQ(ambiguity_of("/a%2Fb%5c", {.encoded_slashes = true}), "");
  EXPECT_NE(ambiguity_of("/a%2Fb;c", {.encoded_slashes = true}), "");
  EXPECT_EQ(ambiguity_of("/a;b%3b", {.semicolons = true}), "");
  EXPECT_NE(ambiguity_of("/a;b%2f", {.semicolons = true}), "");
  EXPECT_EQ(ambiguity_of("/a%252f%253B", {.double_encodings = true}), "");
  EXPECT_NE(ambiguity_of("/a%2525%2f", {.double_encodings = true}), "");
}

TEST(Forwarding, the_upstreams_path_stands_in_front) {
  const http::HttpUrl bare = http::read_http_url("http://u").value();
  const http::HttpUrl base = http::read_http_url("http://u/b").value();
  EXPECT_EQ(target_of(bare, ""), "/");
  EXPECT_EQ(target_of(bare, "?x"), "/?x");
  EXPECT_EQ(target_of(bare, "/a"), "/a");
  EXPECT_EQ(target_of(base, ""), "/b");
  EXPECT_EQ(target_of(base, "?x"), "/b?x");
  EXPECT_EQ(target_of(base, "/a"), "/b/a");
}

TEST(Forwarding, fields_of_one_hop_and_ours_stay_behind) {
  for (const std::string_view field :
       {"Connection: close", "Keep-Alive: 5", "keep_alive: 5", "Proxy-Authorization: a",
        "TE: trailers", "Trailer: a", "Via_: x\r\nVia: 1.0 a\r\nConnection: via_", "Upgrade: a",
        "X-Forwarded-For: a", "x_forwarded-for: a", "Forwarded: for=a", "Content_Length: 5",
        "A: b\r\nConnection: a", "A: b\r\nC: d\r\nConnection: x, a ,C",
        "a_b: c\r\nConnection: A-B"}) {
    const std::string told = with_fields(std::string(field) + "\r\n").forwarded();
    if (!field.contains("Via: 1.0 a")) {
      EXPECT_EQ(told, kAdded) << field;
    } else {
      EXPECT_TRUE(told.ends_with("|Via=1.0 a, 1.1 eider|")) << told;
    }
  }
}

TEST(Forwarding, the_word_of_a_proxy_is_a_proxys_to_give) {
  for (const std::string_view name :
       {"X-Real-IP", "x-real-ip", "X_Real_IP", "X.Real.IP", "X-Forwarded-Port",
        "X-Forwarded-Prefix", "X-Forwarded-Server", "X-Forwarded-Ssl", "x_forwarded_ssl",
        "X-Client-IP", "True-Client-IP", "Front-End-Https", "X-Original-URL", "X-Rewrite-URL",
        "X-HTTP-Method-Override", "X-HTTP-Method", "x-method-override"}) {
    const Read read = with_fields(std::string(name) + ": 1\r\n");
    EXPECT_EQ(read.forwarded(), kAdded) << name;
    EXPECT_EQ(read.forwarded(ForwardedTrust::some),
              std::string(name) + "=1|" + std::string(kAdded));
  }
  EXPECT_EQ(with_fields("X-Forwarded: 1\r\nX-Real-IPs: 2\r\n").forwarded(),
            "X-Forwarded=1|X-Real-IPs=2|" + std::string(kAdded));
}

TEST(Forwarding, headers_of_guards_replace_those_of_the_client) {
  Read read = with_fields(
      "X-User-Id: 1\r\nA: 1\r\nx_user_id: 2\r\nX.User!Id: 3\r\n"
      "Connection: x-user-id\r\nX-Role: admin\r\n");
  read.set(UpstreamHeaders().set("X-User-Id", "42").set("X-Role"));
  for (const auto trust : {ForwardedTrust::none, ForwardedTrust::some}) {
    EXPECT_EQ(read.forwarded(trust), "A=1|X-User-Id=42|" + std::string(kAdded));
  }
  EXPECT_EQ(read.forwarded(ForwardedTrust::unseen), "A=1|X-User-Id=42|");
  std::string trailers;
  const std::vector<Field> sent = {{"X-User-Id", "1"}, {"x_role", "1"}, {"X-Sum", "1"}};
  forward_request_trailers(read.request(), sent,
                           [&](std::string_view name, std::string_view) { trailers.append(name); });
  EXPECT_EQ(trailers, "X-Sum");
}

TEST(Forwarding, other_fields_go_on_in_their_order) {
  EXPECT_EQ(with_fields("B: 1\r\nA_: 2\r\nB: 3\r\nTe_: 4\r\nConnections: x\r\n").forwarded(),
            "B=1|A_=2|B=3|Te_=4|Connections=x|" + std::string(kAdded));
}

TEST(Forwarding, a_possible_replay_is_called_one_once) {
  constexpr std::string_view kCalled =
      "X-Forwarded-For=unknown|X-Forwarded-Proto=http|X-Forwarded-Host=a|Early-Data=1|"
      "Via=1.1 eider|";
  for (const std::string_view lines :
       {"Early-Data: 1\r\n", "early-data: 0\r\n", "Early-Data: 1\r\nEarly-Data: 1\r\n",
        "Connection: early-data\r\nEarly-Data: 1\r\n"}) {
    EXPECT_EQ(with_fields(lines).forwarded(), kCalled) << lines;
  }
  EXPECT_EQ(with_fields("Early_Data: 1\r\n").forwarded(), kAdded) << "no upstream is led astray";
}

TEST(Forwarding, a_trusted_proxy_is_added_to) {
  EXPECT_EQ(with_fields("X-Forwarded-For: c\r\nX-Forwarded-Proto: https\r\n"
                        "X-Forwarded-For: d\r\nX-Forwarded-Host: e\r\n")
                .forwarded(ForwardedTrust::some),
            "X-Forwarded-For=c, d, unknown|X-Forwarded-Proto=https|X-Forwarded-Host=e|"
            "Via=1.1 eider|");
}

TEST(Forwarding, an_unseen_proxy_adds_nothing_and_leaves_what_others_said) {
  EXPECT_EQ(with_fields("Accept: a\r\nConnection: b\r\nB: 1\r\n").forwarded(ForwardedTrust::unseen),
            "Accept=a|");
  EXPECT_EQ(with_fields("Via: 1.0 a\r\nX-Forwarded-For: c\r\nForwarded: for=d\r\nX-Real-IP: e\r\n"
                        "Early-Data: 0\r\n")
                .forwarded(ForwardedTrust::unseen),
            "Via=1.0 a|X-Forwarded-For=c|Forwarded=for=d|X-Real-IP=e|Early-Data=1|");
}

class PeerAt final : public Peer {
 public:
  explicit PeerAt(std::string address) : address_(std::move(address)) {}
  [[nodiscard]] std::string address() const override { return address_; }

 private:
  std::string address_;
};

TEST(Forwarding, only_ip_addresses_are_told_of_peers) {
  for (const auto& [at, told] : std::vector<std::pair<std::string, std::string>>{
           {"127.0.0.1", "127.0.0.1"},
           {"::1", "::1"},
           {"", "unknown"},
           {"unix:", "unknown"},
           {"unix:/run/a.sock", "unknown"},
           {"unix:/a\r\nX-Role: admin\r\nX-Z: ", "unknown"},
       }) {
    PeerAt peer(at);
    Read read = with_fields("");
    read.come_from(peer);
    EXPECT_TRUE(read.forwarded().starts_with("X-Forwarded-For=" + told + "|")) << at;
  }
}

TEST(ForwardingDeathTest, no_line_is_written_that_would_be_two) {
  Buffer out;
  write_field(out, "A", "b");
  EXPECT_EQ(out.view(), "A: b\r\n");
  EXPECT_DEATH(write_field(out, "A", "b\r\nC: d"), "complete headers");
  EXPECT_DEATH(write_field(out, "A\r\nC", "b"), "complete headers");
}

TEST(Forwarding, options_count_and_others_do_not) {
  struct Case {
    std::string_view value;
    bool is_far;
    std::string_view told;
  };
  for (const auto& [value, is_far, told] : std::vector<Case>{
           {"0", true, ""},
           {"00", true, ""},
           {"1", false, "Max-Forwards=0|"},
           {"010", false, "Max-Forwards=9|"},
           {"18446744073709551616", false, "Max-Forwards=4294967294|"},
           {"", false, ""},
           {"-1", false, ""},
           {"1, 2", false, ""},
           {"x", false, ""},
       }) {
    const std::string fields = "Host: a\r\nMax-Forwards: " + std::string(value) + "\r\n\r\n";
    const Read options("OPTIONS / HTTP/1.1\r\n" + fields);
    EXPECT_EQ(has_come_far_enough(options.request()), is_far) << value;
    EXPECT_EQ(options.forwarded(), std::string(told) + std::string(kAdded)) << value;
    const Read get("GET / HTTP/1.1\r\n" + fields);
    EXPECT_FALSE(has_come_far_enough(get.request()));
    EXPECT_TRUE(get.forwarded().starts_with("Max-Forwards=" + std::string(value) + "|"));
  }
}

TEST(Forwarding, trailers_are_welcome_where_te_says_so) {
  for (const char* te : {"trailers", "Trailers", "deflate;q=0.5, trailers", "gzip,trailers;q=1"}) {
    EXPECT_TRUE(welcomes_trailers(
        with_fields("TE: " + std::string(te) + "\r\nConnection: TE\r\n").request()))
        << te;
  }
  for (const char* te : {"", "trailer", "xtrailers", "trailers x", ",", "deflate;trailers"}) {
    EXPECT_FALSE(welcomes_trailers(with_fields("TE: " + std::string(te) + "\r\n").request())) << te;
  }
  EXPECT_FALSE(welcomes_trailers(Read("GET / HTTP/1.0\r\nTE: trailers\r\n\r\n").request()));
}

TEST(Forwarding, answers_keep_trailer_and_lose_what_is_said_anew) {
  const std::vector<Field> fields{
      {"Server", "x"}, {"Date", "x"},    {"Alt-Svc", "x"},      {"Connection", "A"},
      {"a", "b"},      {"Trailer", "c"}, {"Content-Type", "d"}, {"Content-Length", "5"},
      {"E", "f"}};
  std::string told;
  forward_response_fields(fields, {1, 1}, [&](std::string_view name, std::string_view value) {
    told.append(name).append("=").append(value).append("|");
  });
  EXPECT_EQ(told, "Trailer=c|E=f|Via=1.1 eider|");
}

std::string forwarded_of(const std::vector<Field>& head, const std::vector<Field>& trailers) {
  std::string told;
  forward_trailers(head, trailers, [&](std::string_view name, std::string_view value) {
    told.append(name).append("=").append(value).append("|");
  });
  return told;
}

TEST(Forwarding, of_a_responses_trailers_goes_on_what_means_nothing_in_a_head) {
  for (const std::string_view name : {"Content-Length",
                                      "Transfer-Encoding",
                                      "Connection",
                                      "Date",
                                      "Content-Type",
                                      "Keep-Alive",
                                      "Upgrade",
                                      "Proxy-Connection",
                                      "TE",
                                      "Trailer",
                                      "Set-Cookie",
                                      "Host",
                                      "Authorization",
                                      "Location",
                                      "WWW-Authenticate",
                                      "Content-Encoding",
                                      "Content-Range",
                                      "Cache-Control",
                                      "Vary",
                                      "Age",
                                      "Expires",
                                      "Server",
                                      "Via",
                                      "Alt-Svc",
                                      "Access-Control-Allow-Origin",
                                      "set_cookie"}) {
    EXPECT_EQ(forwarded_of({}, {{name, "1"}, {"X-Sum", "6"}}), "X-Sum=6|") << name;
  }
  for (const std::string_view name : {"ETag", "grpc-message", "Server-Timing", "Digest"}) {
    EXPECT_EQ(forwarded_of({}, {{name, "1"}}), std::string(name) + "=1|");
  }
}

TEST(Forwarding, what_connection_names_stays_behind_as_a_trailer_too) {
  EXPECT_EQ(forwarded_of({{"Connection", "close, X-Hop"}}, {{"x-hop", "1"}, {"X-Sum", "6"}}),
            "X-Sum=6|");
}

TEST(Forwarding, of_a_requests_trailers_goes_on_what_means_nothing_in_a_head) {
  const std::vector<Field> fields{{"Host", "b"},
                                  {"content-length", "5"},
                                  {"Transfer_Encoding", "chunked"},
                                  {"Authorization", "x"},
                                  {"If-None-Match", "x"},
                                  {"Content-Type", "x"},
                                  {"X-Forwarded-For", "1"},
                                  {"X-Real-IP", "1"},
                                  {"Cookie", "a"},
                                  {"bad name", "x"},
                                  {"X", "a\r\nb: c"},
                                  {"X-Sum", "6"},
                                  {"grpc-status", "0"},
                                  {"Digest", "x"}};
  EXPECT_EQ(forwarded_of({}, fields), "X-Sum=6|grpc-status=0|Digest=x|");
}

}  // namespace
}  // namespace eider::detail::proxy
