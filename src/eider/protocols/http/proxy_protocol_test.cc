#include "eider/protocols/http/proxy_protocol.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace eider {
namespace {

using namespace std::literals;

/// A version 2 block: `command` is version and command, `family` family and transport.
std::string block(char command, char family, std::string_view behind) {
  std::string bytes("\r\n\r\n\0\r\nQUIT\n", 12);
  bytes.push_back(command);
  bytes.push_back(family);
  bytes.push_back(static_cast<char>(behind.size() >> 8));
  bytes.push_back(static_cast<char>(behind.size() & 0xFF));
  return bytes.append(behind);
}

std::string padded(std::string text, std::size_t bytes) {
  text.resize(bytes, '\0');
  return text;
}

// 192.0.2.1:56324 to 198.51.100.7:443
constexpr std::string_view kV4 = "\xC0\x00\x02\x01\xC6\x33\x64\x07\xDC\x04\x01\xBB"sv;

struct HeaderCase {
  std::string_view what;
  std::string bytes;
  ProxyRefusal refusal = ProxyRefusal::none;
  /// "source destination", or "local".
  std::string found = {};
};

std::vector<HeaderCase> good_lines() {
  using enum ProxyRefusal;
  return {
      {"TCP4", "PROXY TCP4 192.0.2.1 198.51.100.7 56324 443\r\n", none,
       "192.0.2.1:56324 198.51.100.7:443"},
      {"the largest TCP4", "PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", none,
       "255.255.255.255:65535 255.255.255.255:65535"},
      {"port 0", "PROXY TCP4 192.0.2.1 198.51.100.7 0 0\r\n", none, "192.0.2.1:0 198.51.100.7:0"},
      {"TCP6", "PROXY TCP6 2001:db8::1 ::1 1 2\r\n", none, "2001:db8::1:1 ::1:2"},
      {"the largest TCP6",
       "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
       "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
       none,
       "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:65535 "
       "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:65535"},
      {"TCP6 of mapped addresses", "PROXY TCP6 ::ffff:192.0.2.1 ::ffff:198.51.100.7 1 2\r\n", none,
       "192.0.2.1:1 198.51.100.7:2"},
      {"UNKNOWN", "PROXY UNKNOWN\r\n", none, "local"},
      {"the largest UNKNOWN",
       "PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
       "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
       none, "local"},
      {"UNKNOWN and anything", "PROXY UNKNOWN  a\rb\n\xFF \r\n", none, "local"},
  };
}

std::vector<HeaderCase> bad_lines() {
  using enum ProxyRefusal;
  std::vector<HeaderCase> cases = {
      {"no header", "GET / HTTP/1.1\r\n", no_header},
      {"small letters", "proxy TCP4 192.0.2.1 198.51.100.7 1 2\r\n", no_header},
      {"a blank in front", " PROXY UNKNOWN\r\n", no_header},
      {"no blank", "PROXY\r\n", no_header},
      {"a tab", "PROXY\tUNKNOWN\r\n", no_header},
      {"a line of 108 bytes", "PROXY UNKNOWN " + std::string(92, 'a') + "\r\n", line_too_long},
      {"no end of the line", "PROXY UNKNOWN " + std::string(200, 'a'), line_too_long},
      {"a bare LF", "PROXY TCP4 192.0.2.1 198.51.100.7 1 2\n" + std::string(100, 'a'),
       line_too_long},
  };
  for (const std::string_view words : {"",
                                       "TCP",
                                       "TCP5 192.0.2.1 198.51.100.7 1 2",
                                       "UDP4 192.0.2.1 198.51.100.7 1 2",
                                       "UNKNOWNS",
                                       "tcp4 192.0.2.1 198.51.100.7 1 2",
                                       "TCP4",
                                       "TCP4 192.0.2.1",
                                       "TCP4 192.0.2.1 198.51.100.7",
                                       "TCP4 192.0.2.1 198.51.100.7 1",
                                       "TCP4 192.0.2.1 198.51.100.7 1 2 3",
                                       "TCP4 192.0.2.1 198.51.100.7 1 2 ",
                                       "TCP4  192.0.2.1 198.51.100.7 1 2",
                                       " TCP4 192.0.2.1 198.51.100.7 1 2",
                                       "TCP4 192.0.2.1 198.51.100.7 01 2",
                                       "TCP4 192.0.2.1 198.51.100.7 1 65536",
                                       "TCP4 192.0.2.1 198.51.100.7 -1 2",
                                       "TCP4 192.0.2.1 198.51.100.7 +1 2",
                                       "TCP4 192.0.2.1 198.51.100.7 1 2a",
                                       "TCP4 192.0.2.01 198.51.100.7 1 2",
                                       "TCP4 192.0.2.256 198.51.100.7 1 2",
                                       "TCP4 ::1 ::1 1 2",
                                       "TCP6 192.0.2.1 ::1 1 2",
                                       "TCP6 [::1] ::1 1 2",
                                       "TCP6 ::g ::1 1 2",
                                       "TCP4 a b 1 2"}) {
    cases.push_back({words, "PROXY " + std::string(words) + "\r\n", bad_line});
  }
  return cases;
}

std::vector<HeaderCase> good_blocks() {
  using enum ProxyRefusal;
  const std::string v4(kV4);
  const std::string v6 =
      padded("\x20\x01\x0D\xB8", 15) + "\x01" + padded("", 15) + "\x01" + "\x00\x01\x00\x02"s;
  return {
      {"TCP4", block(0x21, 0x11, v4), none, "192.0.2.1:56324 198.51.100.7:443"},
      {"TCP6", block(0x21, 0x21, v6), none, "2001:db8::1:1 ::1:2"},
      {"a Unix socket", block(0x21, 0x31, padded("/a", 108) + padded("/b", 108)), none, "/a /b"},
      {"Unix paths without NUL", block(0x21, 0x31, std::string(108, 'a') + std::string(108, 'b')),
       none, std::string(108, 'a') + " " + std::string(108, 'b')},
      {"a Unix socket without names", block(0x21, 0x31, padded("", 216)), none, " "},
      {"LOCAL", block(0x20, 0x00, ""), none, "local"},
      {"LOCAL with addresses", block(0x20, 0x11, v4), none, "local"},
      {"LOCAL with anything", block(0x20, 0x7F, "abc"), none, "local"},
      {"no family", block(0x21, 0x00, ""), none, "local"},
      {"no family, with anything", block(0x21, 0x00, "abc"), none, "local"},
      {"extensions", block(0x21, 0x11, v4 + "\x01\x00\x02h2\x04\x00\x00"s + "\xEE\x00\x01\xFF"s),
       none, "192.0.2.1:56324 198.51.100.7:443"},
      {"a checksum", block(0x21, 0x11, v4 + "\x03\x00\x04\xD4\x5A\x11\xB9"s), none,
       "192.0.2.1:56324 198.51.100.7:443"},
      {"a checksum between others",
       block(0x21, 0x11, v4 + "\x04\x00\x01\x00\x03\x00\x04\x9E\xBD\x30\x64\x04\x00\x00"s), none,
       "192.0.2.1:56324 198.51.100.7:443"},
  };
}

std::vector<HeaderCase> bad_blocks() {
  using enum ProxyRefusal;
  const std::string v4(kV4);
  return {
      {"another signature", "\r\n\r\n\0\r\nQUIX\n!!!!"s, no_header},
      {"version 1", block(0x11, 0x11, v4), bad_version},
      {"version 3", block(0x31, 0x11, v4), bad_version},
      {"an unknown command", block(0x22, 0x11, v4), bad_command},
      {"datagrams", block(0x21, 0x12, v4), bad_family},
      {"an unknown family", block(0x21, 0x41, v4), bad_family},
      {"an unknown transport", block(0x21, 0x13, v4), bad_family},
      {"a transport without a family", block(0x21, 0x01, v4), bad_family},
      {"too few bytes for TCP4", block(0x21, 0x11, v4.substr(1)), bad_length},
      {"too few bytes for TCP6", block(0x21, 0x21, v4), bad_length},
      {"too few bytes for Unix", block(0x21, 0x31, padded("/a", 215)), bad_length},
      {"one byte behind", block(0x21, 0x11, v4 + "\x04"), bad_length},
      {"half an extension's head", block(0x21, 0x11, v4 + "\x04\x00"s), bad_length},
      {"an extension that is too long",
       block(0x21, 0x11,
             v4 + "\x04\x00\x03"
                  "ab"s),
       bad_length},
      {"a checksum that is too long",
       block(0x21, 0x11,
             v4 + "\x03\x00\x05"
                  "12345"s),
       bad_length},
      {"a checksum that is too short", block(0x21, 0x11, v4 + "\x03\x00\x00"s), bad_length},
      {"a wrong checksum",
       block(0x21, 0x11,
             v4 + "\x03\x00\x04"
                  "1234"s),
       bad_checksum},
      {"too large", block(0x21, 0x11, v4 + std::string(4096, '\0')), too_large},
      {"the largest length", block(0x20, 0x00, std::string(65535, '\0')), too_large},
  };
}

std::vector<HeaderCase> all_cases() {
  std::vector<HeaderCase> all;
  for (const auto& cases : {good_lines(), bad_lines(), good_blocks(), bad_blocks()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

std::string as_text(const ProxyHeader::End& end) {
  return end.address.to_text() + ":" + std::to_string(end.port);
}

std::string as_text(const ProxyHeader& header) {
  switch (header.kind) {
    case ProxyHeader::Kind::local:
      return "local";
    case ProxyHeader::Kind::ip:
      return as_text(header.source) + " " + as_text(header.destination);
    case ProxyHeader::Kind::unix_socket:
      return header.source.path + " " + header.destination.path;
  }
  return {};
}

/// Feeds `pieces`, followed by the connection's content, and checks the result.
void expect_outcome(const HeaderCase& one, const std::vector<std::string>& pieces) {
  ProxyReader reader;
  std::size_t consumed = 0;
  ProxyStep step{ProxyStatus::need_more, 0};
  for (const std::string& piece : pieces) {
    if (step.status == ProxyStatus::need_more) {
      step = reader.read(piece);
      consumed += step.consumed;
    }
  }
  EXPECT_EQ(reader.refusal(), one.refusal) << one.what;
  if (one.refusal == ProxyRefusal::none) {
    ASSERT_EQ(step.status, ProxyStatus::complete) << one.what;
    EXPECT_EQ(as_text(reader.header()), one.found) << one.what;
    EXPECT_EQ(consumed, one.bytes.size()) << one.what;
  } else {
    EXPECT_EQ(step.status, ProxyStatus::refused) << one.what;
    EXPECT_EQ(reader.read("PROXY UNKNOWN\r\n").status, ProxyStatus::refused) << one.what;
  }
}

TEST(ProxyReader, reads_or_refuses_every_case_and_leaves_what_follows) {
  for (const HeaderCase& one : all_cases()) {
    expect_outcome(one, {one.bytes});
    expect_outcome(one, {one.bytes + "GET / HTTP/1.1\r\n\r\n"});
  }
}

TEST(ProxyReader, reads_every_case_alike_byte_by_byte) {
  for (const HeaderCase& one : all_cases()) {
    std::vector<std::string> pieces;
    for (const char byte : one.bytes.substr(0, 5000)) {
      pieces.emplace_back(1, byte);
    }
    expect_outcome(one, pieces);
  }
}

TEST(ProxyReader, reads_every_case_alike_cut_in_two_anywhere) {
  for (const HeaderCase& one : all_cases()) {
    for (std::size_t size = 0; size < std::min<std::size_t>(one.bytes.size(), 300); ++size) {
      expect_outcome(one, {one.bytes.substr(0, size), one.bytes.substr(size) + "GET /"});
    }
  }
}

TEST(ProxyReader, waits_for_the_rest_of_every_header) {
  for (const auto& cases : {good_lines(), good_blocks()}) {
    for (const HeaderCase& one : cases) {
      for (std::size_t size = 0; size < one.bytes.size(); ++size) {
        ProxyReader reader;
        const ProxyStep step = reader.read(std::string_view(one.bytes).substr(0, size));
        EXPECT_EQ(step.status, ProxyStatus::need_more) << one.what << " cut at " << size;
        EXPECT_EQ(step.consumed, size);
      }
    }
  }
}

TEST(ProxyReader, takes_blocks_as_large_as_it_is_told) {
  const std::string bytes = block(0x21, 0x11,
                                  std::string(kV4) +
                                      "\x04\x00\x02"
                                      "ab"s);
  EXPECT_EQ(ProxyReader(bytes.size()).read(bytes).status, ProxyStatus::complete);
  ProxyReader smaller(bytes.size() - 1);
  EXPECT_EQ(smaller.read(bytes.substr(0, 16)).status, ProxyStatus::refused) << "as soon as known";
  EXPECT_EQ(smaller.refusal(), ProxyRefusal::too_large);
}

TEST(ProxyRefusals, each_has_a_text) {
  for (int number = 0; number <= static_cast<int>(ProxyRefusal::bad_checksum); ++number) {
    EXPECT_FALSE(text(static_cast<ProxyRefusal>(number)).empty());
  }
}

}  // namespace
}  // namespace eider
