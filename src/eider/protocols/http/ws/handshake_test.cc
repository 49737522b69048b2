#include "eider/protocols/http/ws/handshake.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider::ws {
namespace {

using Fields = std::vector<Field>;

constexpr std::string_view kSampleKey = "dGhlIHNhbXBsZSBub25jZQ==";
constexpr std::string_view kSampleAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

/// The fields of a valid request.
Fields good_fields() {
  return {{"Host", "example.com"},
          {"Upgrade", "websocket"},
          {"Connection", "Upgrade"},
          {"Sec-WebSocket-Key", kSampleKey},
          {"Sec-WebSocket-Version", "13"}};
}

Fields with(std::string_view name, std::string_view value) {
  Fields fields = good_fields();
  for (Field& field : fields) {
    field.value = field.name == name ? value : field.value;
  }
  return fields;
}

Fields without(std::string_view name) {
  Fields fields = good_fields();
  std::erase_if(fields, [name](const Field& field) { return field.name == name; });
  return fields;
}

Fields plus(std::string_view name, std::string_view value) {
  Fields fields = good_fields();
  fields.push_back({name, value});
  return fields;
}

RequestHead head_of(const Fields& fields) {
  RequestHead head;
  head.method = Method::get;
  head.wants_upgrade = true;
  head.authority = "example.com";
  head.fields = fields;
  return head;
}

int status_of(const RequestHead& head) {
  const auto checked = check_upgrade(head);
  return checked.has_value() ? 101 : checked.error().status;
}

int status_of(const Fields& fields) {
  return status_of(head_of(fields));
}

TEST(Handshake, answers_the_key_as_the_example_of_the_rfc) {
  const Fields fields = good_fields();
  const auto checked = check_upgrade(head_of(fields));
  ASSERT_TRUE(checked.has_value());
  EXPECT_EQ(checked->accept_view(), kSampleAccept);
}

TEST(Handshake, takes_requests_that_differ_where_they_may) {
  EXPECT_EQ(status_of(with("Upgrade", "WebSocket")), 101);
  EXPECT_EQ(status_of(with("Upgrade", "h2c, websocket")), 101);
  EXPECT_EQ(status_of(with("Upgrade", "h2c ,\tWEBSOCKET ,")), 101);
  EXPECT_EQ(status_of(with("Upgrade", "h2c")), 426);
  EXPECT_EQ(status_of(plus("Upgrade", "h2c")), 101);
  EXPECT_EQ(status_of(plus("Sec-WebSocket-Protocol", "chat, superchat")), 101);
  EXPECT_EQ(status_of(plus("Sec-WebSocket-Protocol", "")), 101);
  EXPECT_EQ(status_of(plus("Sec-WebSocket-Extensions", "whatever; it=\"is\"")), 101);
  EXPECT_EQ(status_of(plus("Origin", "https://elsewhere.example")), 101);
  EXPECT_EQ(status_of(with("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==")), 101);
}

struct Refused {
  Fields fields;
  int status;
};

TEST(Handshake, refuses_requests_by_what_is_wrong_with_them) {
  const std::string_view key = "Sec-WebSocket-Key";
  const std::string_view version = "Sec-WebSocket-Version";
  const Refused all[] = {
      {without("Upgrade"), 426},
      {with("Upgrade", "websockets"), 426},
      {with("Upgrade", "websocket/13"), 426},
      {with("Upgrade", "web socket"), 426},
      {without(version), 400},
      {with(version, "12"), 426},
      {with(version, "14"), 426},
      {with(version, "8"), 426},
      {with(version, "013"), 426},
      {with(version, "13, 8"), 426},
      {with(version, ""), 426},
      {plus(version, "13"), 400},
      {without(key), 400},
      {plus(key, kSampleKey), 400},
      {with(key, ""), 400},
      {with(key, "dGhlIHNhbXBsZSBub25jZQ="), 400},
      {with(key, "dGhlIHNhbXBsZSBub25jZQ"), 400},
      {with(key, "dGhlIHNhbXBsZSBub25j"), 400},
      {with(key, "dGhlIHNhbXBsZSBub25jZXg="), 400},
      {with(key, "dGhlIHNhbXBsZSBub25jZQ==AAAA"), 400},
      {with(key, "dGhlIHNhbXBsZSBub25jZR=="), 400},
      {with(key, "dGhl IHNhbXBsZSBub25jZQ=="), 400},
      {with(key, "dGhlIHNhbXBsZSBub25jZQ-="), 400},
      {plus("Sec-WebSocket-Protocol", "chat room"), 400},
      {plus("Sec-WebSocket-Protocol", "a, b/c"), 400},
      {plus("Sec-WebSocket-Protocol", "\"chat\""), 400},
  };
  for (const Refused& one : all) {
    EXPECT_EQ(status_of(one.fields), one.status)
        << one.fields[1].value << one.fields.back().name << one.fields.back().value;
  }
}

TEST(Handshake, needs_neither_key_nor_upgrade_over_http_2) {
  const Fields fields = {{"host", "example.com"}, {"sec-websocket-version", "13"}};
  RequestHead head = head_of(fields);
  head.wants_upgrade = false;
  EXPECT_EQ(status_of(head), 426);
  head.opens_websocket = true;
  const auto checked = check_upgrade(head);
  ASSERT_TRUE(checked.has_value());
  EXPECT_EQ(checked->accept_view(), "");
  const Fields old = {{"host", "example.com"}, {"sec-websocket-version", "8"}};
  head.fields = old;
  EXPECT_EQ(status_of(head), 426);
  head.fields = {};
  EXPECT_EQ(status_of(head), 400);
}

TEST(Handshake, refuses_requests_that_are_not_of_the_right_kind) {
  const Fields fields = good_fields();
  RequestHead post = head_of(fields);
  post.method = Method::post;
  EXPECT_EQ(status_of(post), 405);
  RequestHead old = head_of(fields);
  old.minor_version = 0;
  EXPECT_EQ(status_of(old), 400);
  RequestHead plain = head_of(fields);
  plain.wants_upgrade = false;
  EXPECT_EQ(status_of(plain), 426);
  RequestHead sized = head_of(fields);
  sized.body = BodyKind::sized;
  EXPECT_EQ(status_of(sized), 400);
}

TEST(Handshake, a_refusal_says_what_would_be_right) {
  const Fields fields = with("Sec-WebSocket-Version", "8");
  const auto refusal = check_upgrade(head_of(fields)).error();
  ASSERT_EQ(refusal.fields.size(), 2U);
  EXPECT_EQ(refusal.fields[0].name, "Upgrade");
  EXPECT_EQ(refusal.fields[0].value, "websocket");
  EXPECT_EQ(refusal.fields[1].name, "Sec-WebSocket-Version");
  EXPECT_EQ(refusal.fields[1].value, "13");
  RequestHead post = head_of(fields);
  post.method = Method::post;
  EXPECT_EQ(check_upgrade(post).error().fields[0].value, "GET");
}

std::vector<std::string> subprotocols_of(const Fields& fields) {
  std::vector<std::string> all;
  SubprotocolReader names(fields);
  while (const auto name = names.next()) {
    all.emplace_back(*name);
  }
  return all;
}

TEST(Handshake, subprotocols_come_in_the_order_of_the_client) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(subprotocols_of(good_fields()), Names());
  EXPECT_EQ(subprotocols_of(plus("Sec-WebSocket-Protocol", "b, a")), (Names{"b", "a"}));
  Fields two = plus("Sec-WebSocket-Protocol", " ,c,, d ,");
  two.push_back({"X-Other", "x"});
  two.push_back({"sec-websocket-protocol", "e"});
  EXPECT_EQ(subprotocols_of(two), (Names{"c", "d", "e"}));
  EXPECT_TRUE(offers_subprotocol(head_of(two), "d"));
  EXPECT_TRUE(offers_subprotocol(head_of(two), "e"));
  EXPECT_FALSE(offers_subprotocol(head_of(two), "D"));
  EXPECT_FALSE(offers_subprotocol(head_of(two), "x"));
  EXPECT_FALSE(offers_subprotocol(head_of(two), ""));
}

bool is_allowed(std::string_view origin, std::string_view authority,
                const std::vector<std::string>& allowed = {}, AskedOver over = AskedOver::clear) {
  const Fields fields = plus("Origin", origin);
  RequestHead head = head_of(fields);
  head.authority = authority;
  return is_origin_allowed(head, {authority, over}, allowed);
}

TEST(Origin, over_tls_the_pages_of_http_are_anybodys) {
  const auto over_tls = [](std::string_view origin, const std::vector<std::string>& allowed = {}) {
    return is_allowed(origin, "example.com", allowed, AskedOver::tls);
  };
  EXPECT_TRUE(over_tls("https://example.com"));
  EXPECT_TRUE(over_tls("HTTPS://example.com:443"));
  EXPECT_FALSE(over_tls("http://example.com"));
  EXPECT_FALSE(over_tls("http://example.com:443"));
  EXPECT_FALSE(over_tls("ws://example.com"));
  EXPECT_TRUE(over_tls("http://example.com", {"http://example.com"})) << "unless they are named";
}

TEST(Origin, the_host_that_is_asked_is_allowed) {
  EXPECT_TRUE(is_allowed("https://example.com", "example.com"));
  EXPECT_TRUE(is_allowed("http://example.com", "example.com"));
  EXPECT_TRUE(is_allowed("HTTPS://Example.COM", "example.com"));
  EXPECT_TRUE(is_allowed("https://example.com", "example.com:443"));
  EXPECT_TRUE(is_allowed("http://example.com", "example.com:80"));
  EXPECT_TRUE(is_allowed("http://localhost:8080", "localhost:8080"));
  EXPECT_TRUE(is_allowed("http://[::1]:8080", "[::1]:8080"));
}

TEST(Origin, other_hosts_are_not) {
  EXPECT_FALSE(is_allowed("https://example.org", "example.com"));
  EXPECT_FALSE(is_allowed("https://example.com.evil.org", "example.com"));
  EXPECT_FALSE(is_allowed("https://evil-example.com", "example.com"));
  EXPECT_FALSE(is_allowed("https://www.example.com", "example.com"));
  EXPECT_FALSE(is_allowed("http://localhost:8080", "localhost:8081"));
  EXPECT_FALSE(is_allowed("http://example.com", "example.com:443"));
  EXPECT_FALSE(is_allowed("https://example.com", "example.com:80"));
  EXPECT_FALSE(is_allowed("null", "example.com"));
  EXPECT_FALSE(is_allowed("", "example.com"));
  EXPECT_FALSE(is_allowed("", ""));
  EXPECT_FALSE(is_allowed("https://", ""));
  EXPECT_FALSE(is_allowed("example.com", "example.com"));
  EXPECT_FALSE(is_allowed("https://example.com@evil.org", "example.com"));
  EXPECT_FALSE(is_allowed("https://example.com/evil.org", "example.com"));
}

TEST(Origin, those_of_a_list_are_allowed_and_any_by_a_star) {
  EXPECT_TRUE(is_allowed("https://app.example", "api.example", {"https://app.example"}));
  EXPECT_FALSE(is_allowed("http://app.example", "api.example", {"https://app.example"}));
  EXPECT_FALSE(is_allowed("https://b.example", "api.example", {"https://app.example"}));
  EXPECT_TRUE(is_allowed("null", "api.example", {"null"}));
  EXPECT_TRUE(is_allowed("https://b.example", "api.example", {"*"}));
}

TEST(Origin, no_browser_says_none_and_nobody_says_two) {
  EXPECT_TRUE(is_origin_allowed(head_of(good_fields()), {"example.com", AskedOver::tls}, {}));
  Fields two = plus("Origin", "https://example.com");
  two.push_back({"Origin", "https://example.com"});
  EXPECT_FALSE(is_origin_allowed(head_of(two), {"example.com", AskedOver::clear}, {}));
}

TEST(ClientHandshake, a_key_is_base64_of_sixteen_bytes) {
  std::array<unsigned char, 16> random{};
  for (std::size_t index = 0; index < random.size(); ++index) {
    random[index] = static_cast<unsigned char>("the sample nonce"[index]);
  }
  const auto key = make_key(random);
  EXPECT_EQ(std::string_view(key.data(), key.size()), kSampleKey);
}

Fields good_response() {
  return {
      {"Upgrade", "websocket"}, {"Connection", "Upgrade"}, {"Sec-WebSocket-Accept", kSampleAccept}};
}

bool is_taken(const Fields& fields, int status = 101) {
  const std::vector<std::string> names{"chat", "superchat"};
  return check_response(status, fields, {.key = kSampleKey, .subprotocols = names}).has_value();
}

Fields respond_with(std::size_t index, std::string_view value) {
  Fields fields = good_response();
  fields[index].value = value;
  return fields;
}

Fields response_plus(std::string_view name, std::string_view value) {
  Fields fields = good_response();
  fields.push_back({name, value});
  return fields;
}

TEST(ClientHandshake, takes_right_responses) {
  EXPECT_TRUE(is_taken(good_response()));
  EXPECT_TRUE(is_taken(respond_with(0, "WebSocket")));
  EXPECT_TRUE(is_taken(respond_with(1, "keep-alive, upgrade")));
  const Fields fields = response_plus("Sec-WebSocket-Protocol", "superchat");
  const std::vector<std::string> names{"chat", "superchat"};
  const auto answered = check_response(101, fields, {.key = kSampleKey, .subprotocols = names});
  ASSERT_TRUE(answered.has_value());
  EXPECT_EQ(answered->subprotocol, "superchat");
  EXPECT_EQ(answered->extensions, "");
  const Fields extended = response_plus("Sec-WebSocket-Extensions", "a; b");
  EXPECT_EQ(check_response(101, extended, {.key = kSampleKey})->extensions, "a; b");
}

TEST(ClientHandshake, refuses_wrong_responses) {
  EXPECT_FALSE(is_taken(good_response(), 200));
  EXPECT_FALSE(is_taken(good_response(), 426));
  EXPECT_FALSE(is_taken(respond_with(0, "h2c")));
  EXPECT_FALSE(is_taken(respond_with(0, "")));
  EXPECT_FALSE(is_taken(respond_with(1, "close")));
  EXPECT_FALSE(is_taken(respond_with(2, "")));
  EXPECT_FALSE(is_taken(respond_with(2, "S3pPLMBiTxaQ9kYGzzhZRbK+xOo=")));
  EXPECT_FALSE(is_taken(respond_with(2, kSampleKey)));
  EXPECT_FALSE(is_taken(response_plus("Sec-WebSocket-Accept", kSampleAccept)));
  EXPECT_FALSE(is_taken(response_plus("Sec-WebSocket-Protocol", "other")));
  EXPECT_FALSE(is_taken(response_plus("Sec-WebSocket-Protocol", "Chat")));
  EXPECT_FALSE(is_taken(response_plus("Sec-WebSocket-Protocol", "chat, superchat")));
  Fields two = response_plus("Sec-WebSocket-Extensions", "a");
  two.push_back({"Sec-WebSocket-Extensions", "b"});
  EXPECT_FALSE(is_taken(two));
  EXPECT_FALSE(is_taken(Fields()));
}

}  // namespace
}  // namespace eider::ws
