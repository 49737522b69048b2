#include "eider/protocols/http/forwarded.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider {
namespace {

using Kind = ForwardedNode::Kind;

struct NodeCase {
  std::string_view text;
  Kind kind;
  std::string_view address = {};
  int port = -1;
};

constexpr NodeCase kNodes[] = {
    {"192.0.2.1", Kind::address, "192.0.2.1"},
    {"192.0.2.1:80", Kind::address, "192.0.2.1", 80},
    {"192.0.2.1:0", Kind::address, "192.0.2.1", 0},
    {"192.0.2.1:_p", Kind::address, "192.0.2.1"},
    {"[2001:db8::1]", Kind::address, "2001:db8::1"},
    {"[2001:db8::1]:65535", Kind::address, "2001:db8::1", 65535},
    {"[::ffff:192.0.2.1]", Kind::address, "192.0.2.1"},
    {"unknown", Kind::unknown},
    {"Unknown:80", Kind::unknown, "", 80},
    {"_hidden", Kind::obfuscated},
    {"_a.b-C_1:_2", Kind::obfuscated},
    {"", Kind::malformed},
    {"_", Kind::malformed},
    {"_a b", Kind::malformed},
    {"hidden", Kind::malformed},
    {"[::1", Kind::malformed},
    {"::1]", Kind::malformed},
    {"[]", Kind::malformed},
    {"[", Kind::malformed},
    {"[::1]80", Kind::malformed},
    {"[::1]:", Kind::malformed},
    {"[192.0.2.1]", Kind::malformed},
    {"[unknown]", Kind::malformed},
    {"[_a]", Kind::malformed},
    {"192.0.2.1:", Kind::malformed},
    {"192.0.2.1:65536", Kind::malformed},
    {"192.0.2.1:000080", Kind::malformed},
    {"192.0.2.1:-1", Kind::malformed},
    {"192.0.2.1:80:80", Kind::malformed},
    {"192.0.2.256", Kind::malformed},
    {"192.0.2.1/24", Kind::malformed},
    {"2001:db8::1", Kind::malformed},
};

void expect_node(const ForwardedNode& node, const NodeCase& one) {
  EXPECT_EQ(node.kind, one.kind) << one.text;
  EXPECT_EQ(node.text, one.text);
  const bool is_address = one.kind == Kind::address;
  EXPECT_EQ(is_address ? node.address.to_text() : "", one.address) << one.text;
  EXPECT_EQ(node.port.has_value() ? *node.port : -1, one.port) << one.text;
}

TEST(ForwardedNode, is_read_with_its_port) {
  for (const NodeCase& one : kNodes) {
    expect_node(read_forwarded_node(one.text), one);
  }
}

TEST(ForwardedNode, of_the_older_fields_may_be_ipv6_without_brackets) {
  expect_node(read_x_forwarded_node("2001:db8::1"), {"2001:db8::1", Kind::address, "2001:db8::1"});
  expect_node(read_x_forwarded_node("192.0.2.1:80"),
              {"192.0.2.1:80", Kind::address, "192.0.2.1", 80});
  expect_node(read_x_forwarded_node("a, b"), {"a, b", Kind::malformed});
}

TEST(ForwardedElement, holds_what_its_pairs_say) {
  const auto element = read_forwarded_element(
      "For=\"[2001:db8::1]:4711\";by=203.0.113.43; PROTO=http ;host=\"example.org:80\";x=y");
  EXPECT_FALSE(element.is_malformed);
  EXPECT_EQ(element.from.address.to_text(), "2001:db8::1");
  EXPECT_EQ(element.from.port, 4711);
  EXPECT_EQ(element.by.address.to_text(), "203.0.113.43");
  EXPECT_EQ(element.proto, "http");
  EXPECT_EQ(element.host, "example.org:80");
}

TEST(ForwardedElement, may_have_empty_places) {
  for (const std::string_view text : {"", ";", "for=_a;", ";;for=_a ; ;proto=http"}) {
    EXPECT_FALSE(read_forwarded_element(text).is_malformed) << text;
  }
}

TEST(ForwardedElement, is_malformed_as_a_whole) {
  for (const std::string_view text : {"for",
                                      "for=",
                                      "=a",
                                      "for =a",
                                      "for= a",
                                      "for=a b",
                                      "for=a for=b",
                                      "for=_a;for=_b",
                                      "for=_a;FOR=_a",
                                      "host=a;host=b",
                                      "proto=http;proto=http",
                                      "for=[::1]",
                                      "for=1.2.3.4:80",
                                      "for=\"_a",
                                      "for=_a\"",
                                      "for=\"_a\"b",
                                      "for=\"_\\a\"",
                                      "for=_a;\"b\"=c",
                                      "host=\"\"",
                                      "for=_a,for=_b",
                                      "x=y;;z"}) {
    EXPECT_TRUE(read_forwarded_element(text).is_malformed) << text;
  }
}

std::vector<std::string> from_right(std::vector<Field> fields) {
  std::vector<std::string> elements;
  ElementsFromRight reader(fields, "A");
  while (const auto element = reader.next()) {
    elements.emplace_back(*element);
  }
  return elements;
}

using Elements = std::vector<std::string>;

TEST(ElementsFromRight, go_from_the_last_line_to_the_first) {
  EXPECT_EQ(from_right({{"a", "1, 2 ,3"}, {"B", "x"}, {"A", "4"}, {"a", "5,6"}}),
            (Elements{"6", "5", "4", "3", "2", "1"}));
  EXPECT_EQ(from_right({{"A", " , ,1,,"}, {"A", ""}, {"A", ","}}), (Elements{"1"}));
  EXPECT_EQ(from_right({}), Elements{});
}

TEST(ElementsFromRight, leave_commas_within_quotes) {
  EXPECT_EQ(from_right({{"A", "a=\"b,c\",d"}}), (Elements{"d", "a=\"b,c\""}));
  EXPECT_EQ(from_right({{"A", "a,\"b,\"\",c\""}}), (Elements{"\"b,\"\",c\"", "a"}));
}

TEST(ElementsFromRight, read_the_right_alike_whatever_stands_on_the_left) {
  for (const std::string_view left : {"\"", "\"\"\"", "for=\"_a", "a\\\"", ",,\"", "\\"}) {
    const std::string line = std::string(left) + ", for=\"[::1]\", for=_b";
    const Elements elements = from_right({{"A", line}});
    ASSERT_GE(elements.size(), 2U) << left;
    EXPECT_EQ(elements[0], "for=_b");
    EXPECT_EQ(elements[1], "for=\"[::1]\"");
  }
}

/// Returns "address:port proto host identifier hops", with a dash for missing parts.
std::string as_text(const RequestOrigin& origin) {
  const auto or_dash = [](std::string_view text) { return text.empty() ? "-" : std::string(text); };
  std::string text = origin.address.has_value() ? origin.address->to_text() : "-";
  text += origin.port.has_value() ? " :" + std::to_string(*origin.port) : "";
  return text + " " + or_dash(origin.proto) + " " + or_dash(origin.host) + " " +
         or_dash(origin.identifier) + " " + std::to_string(origin.hops);
}

std::string origin(std::string_view peer, std::vector<Field> fields, ForwardedHeaders kind) {
  const auto trusted = TrustedPeers::parse("10.0.0.0/8, fd00::/8, unix").value();
  return as_text(find_origin(PeerEnd::parse(peer), fields, kind, trusted));
}
std::string forwarded(std::string_view peer, std::vector<Field> fields) {
  return origin(peer, std::move(fields), ForwardedHeaders::forwarded);
}
std::string x_forwarded(std::string_view peer, std::vector<Field> fields) {
  return origin(peer, std::move(fields), ForwardedHeaders::x_forwarded);
}

constexpr std::string_view kField = "Forwarded";
constexpr std::string_view kFor = "X-Forwarded-For";
constexpr std::string_view kProto = "X-Forwarded-Proto";
constexpr std::string_view kHost = "X-Forwarded-Host";

TEST(FindOrigin, a_peer_that_is_not_trusted_is_the_origin_whatever_it_says) {
  EXPECT_EQ(forwarded("203.0.113.9", {{kField, "for=192.0.2.1;proto=https"}}),
            "203.0.113.9 - - - 0");
  EXPECT_EQ(x_forwarded("2001:db8::1", {{kFor, "192.0.2.1"}, {kProto, "https"}}),
            "2001:db8::1 - - - 0");
}

TEST(FindOrigin, whom_nobody_knows_is_not_believed) {
  EXPECT_EQ(forwarded("", {{kField, "for=192.0.2.1;proto=https"}}), "- - - - 0");
  EXPECT_EQ(x_forwarded("", {{kFor, "192.0.2.1"}, {kProto, "https"}}), "- - - - 0");
}

TEST(FindOrigin, a_trusted_peer_that_says_nothing_is_the_origin) {
  EXPECT_EQ(forwarded("10.0.0.1", {}), "10.0.0.1 - - - 0");
  EXPECT_EQ(x_forwarded("10.0.0.1", {}), "10.0.0.1 - - - 0");
}

TEST(FindOrigin, scheme_and_host_of_a_trusted_peer_apply_without_a_client) {
  EXPECT_EQ(x_forwarded("10.0.0.1", {{kProto, "https"}}), "10.0.0.1 https - - 0");
  EXPECT_EQ(x_forwarded("10.0.0.1", {{kHost, "out.example"}, {kProto, "http, https"}}),
            "10.0.0.1 https out.example - 0");
  EXPECT_EQ(x_forwarded("unix:", {{kProto, "https"}, {kFor, " , "}}), "- https - - 0");
  EXPECT_EQ(x_forwarded("10.0.0.1", {{kHost, "a b"}, {kProto, "<"}}), "10.0.0.1 - - - 0");
  EXPECT_EQ(x_forwarded("203.0.113.9", {{kHost, "out.example"}, {kProto, "https"}}),
            "203.0.113.9 - - - 0");
  EXPECT_EQ(forwarded("10.0.0.1", {{kHost, "out.example"}, {kProto, "https"}}), "10.0.0.1 - - - 0");
}

TEST(FindOrigin, follows_trusted_peers_to_the_first_that_is_not) {
  EXPECT_EQ(forwarded("10.0.0.1", {{kField, "for=\"192.0.2.1:99\";proto=https;host=a.b"}}),
            "192.0.2.1 :99 https a.b - 1");
  EXPECT_EQ(
      forwarded("10.0.0.1", {{kField, "for=192.0.2.1;proto=https"}, {kField, "for=10.0.0.2"}}),
      "192.0.2.1 https - - 2");
  EXPECT_EQ(forwarded("::ffff:10.0.0.1", {{kField, "for=192.0.2.1, for=\"[fd00::1]\""}}),
            "192.0.2.1 - - - 2");
  EXPECT_EQ(forwarded("unix:", {{kField, "for=192.0.2.1"}}), "192.0.2.1 - - - 1");
  EXPECT_EQ(forwarded("10.0.0.1", {{kField, "for=10.0.0.3, for=10.0.0.2"}}), "10.0.0.3 - - - 2");
}

TEST(FindOrigin, believes_nothing_that_stands_in_front_of_an_end_that_is_not_trusted) {
  EXPECT_EQ(forwarded("10.0.0.1", {{kField, "for=127.0.0.1;proto=https;host=evil, for=192.0.2.1"}}),
            "192.0.2.1 - - - 1");
  EXPECT_EQ(forwarded("10.0.0.1", {{kField, "for=\"_, for=192.0.2.1"}}), "192.0.2.1 - - - 1");
  EXPECT_EQ(forwarded("10.0.0.1", {{kField, "for=\""}, {kField, "for=192.0.2.1;by=\"[::1]\""}}),
            "192.0.2.1 - - - 1");
  EXPECT_EQ(x_forwarded("10.0.0.1", {{kFor, "10.0.0.9, 10.0.0.8, 192.0.2.1"}}),
            "192.0.2.1 - - - 1");
}

TEST(FindOrigin, believes_only_the_kind_of_field_that_the_proxies_set) {
  const std::vector<Field> both = {{kField, "for=192.0.2.1"}, {kFor, "192.0.2.2"}};
  EXPECT_EQ(forwarded("10.0.0.1", both), "192.0.2.1 - - - 1");
  EXPECT_EQ(x_forwarded("10.0.0.1", both), "192.0.2.2 - - - 1");
}

TEST(FindOrigin, a_hidden_or_unreadable_end_has_no_address) {
  EXPECT_EQ(forwarded("10.0.0.1", {{kField, "for=192.0.2.1, for=_a"}}), "- - - _a 1");
  EXPECT_EQ(forwarded("10.0.0.1", {{kField, "for=unknown;proto=https"}}), "- https - unknown 1");
  EXPECT_EQ(forwarded("10.0.0.1", {{kField, "for=1.2.3.4 junk;proto=https"}}), "- - - - 1");
  EXPECT_EQ(forwarded("10.0.0.1", {{kField, "proto=https"}}), "- https - - 1");
  EXPECT_EQ(x_forwarded("10.0.0.1", {{kFor, "192.0.2.1, gateway"}}), "- - - gateway 1");
}

TEST(FindOrigin, reads_the_older_lists_side_by_side) {
  EXPECT_EQ(x_forwarded("10.0.0.1", {{kFor, "192.0.2.1"}, {kProto, "https"}, {kHost, "a.b:80"}}),
            "192.0.2.1 https a.b:80 - 1");
  EXPECT_EQ(x_forwarded("10.0.0.1", {{kFor, "192.0.2.1, 10.0.0.2"}, {kProto, "https, http"}}),
            "192.0.2.1 https - - 2");
  EXPECT_EQ(x_forwarded("10.0.0.1", {{kFor, "192.0.2.1, 10.0.0.2"}, {kProto, "https"}}),
            "192.0.2.1 https - - 2");
  EXPECT_EQ(x_forwarded("10.0.0.1", {{kFor, "192.0.2.1"}, {kProto, "https, http"}}),
            "192.0.2.1 http - - 1")
      << "the client's own word in front is not believed";
}

TEST(FindOrigin, passes_over_schemes_and_hosts_that_are_none) {
  for (const std::string_view host : {"a/b", "a b", "a@b", "a\\b", "a?", "<a>", "a#b"}) {
    EXPECT_EQ(x_forwarded("10.0.0.1", {{kFor, "192.0.2.1"}, {kHost, host}}), "192.0.2.1 - - - 1")
        << host;
  }
  for (const std::string_view proto : {"1http", "http:", "ht tp", "http/1.1", "\"\""}) {
    EXPECT_EQ(x_forwarded("10.0.0.1", {{kFor, "192.0.2.1"}, {kProto, proto}}), "192.0.2.1 - - - 1")
        << proto;
  }
}

TEST(FindOrigin, follows_no_endless_chain) {
  std::string chain = "192.0.2.1";
  for (int count = 0; count < 1000; ++count) {
    chain += ", 10.0.0.2";
  }
  EXPECT_EQ(x_forwarded("10.0.0.1", {{kFor, chain}}), "10.0.0.2 - - - 16");
}

}  // namespace
}  // namespace eider
