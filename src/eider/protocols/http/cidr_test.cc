#include "eider/protocols/http/cidr.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace eider {
namespace {

IpAddress ip(std::string_view text) {
  return IpAddress::parse(text).value();
}
Cidr cidr(std::string_view text) {
  return Cidr::parse(text).value();
}

struct Canonical {
  std::string_view text;
  std::string_view canonical;
};

constexpr Canonical kAddresses[] = {
    {"0.0.0.0", "0.0.0.0"},
    {"255.255.255.255", "255.255.255.255"},
    {"::", "::"},
    {"::1", "::1"},
    {"2001:DB8:0:0:0:0:0:1", "2001:db8::1"},
    {"::ffff:10.0.0.1", "10.0.0.1"},
    {"::FFFF:0a00:0001", "10.0.0.1"},
    {"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
};

TEST(IpAddress, is_read_and_written_in_its_canonical_form) {
  for (const Canonical& one : kAddresses) {
    const auto address = IpAddress::parse(one.text);
    ASSERT_TRUE(address.has_value()) << one.text;
    EXPECT_EQ(address->to_text(), one.canonical);
    EXPECT_EQ(IpAddress::parse(one.canonical), address);
  }
}

TEST(IpAddress, is_nothing_else) {
  for (const std::string_view text :
       {"",          "1",
        "1.2.3",     "1.2.3.4.5",
        "256.1.1.1", "01.2.3.4",
        "0x1.2.3.4", "1.2.3.4 ",
        " ::1",      "[::1]",
        "::1%eth0",  "1.2.3.4:80",
        ":::",       "1::2::3",
        "12345::",   "g::",
        "localhost", "1:2:3:4:5:6:7:8:9",
        "unix:/a",   "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000"}) {
    EXPECT_FALSE(IpAddress::parse(text).has_value()) << text;
  }
  EXPECT_FALSE(IpAddress::parse(std::string_view("1.2.3.4\0", 8)).has_value());
}

TEST(IpAddress, mapped_bytes_are_the_same_address) {
  const std::array<std::uint8_t, 16> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1};
  EXPECT_EQ(IpAddress::v6(mapped), ip("10.0.0.1"));
  EXPECT_TRUE(IpAddress::v6(mapped).is_v4());
}

struct Held {
  std::string_view block;
  std::string_view address;
  bool is_held;
};

constexpr Held kHeld[] = {
    {"10.0.0.0/8", "10.255.0.1", true},
    {"10.0.0.0/8", "11.0.0.1", false},
    {"10.0.0.0/8", "::ffff:10.0.0.1", true},
    {"10.0.0.1", "10.0.0.1", true},
    {"10.0.0.1", "10.0.0.2", false},
    {"10.0.0.0/31", "10.0.0.1", true},
    {"10.0.0.0/31", "10.0.0.2", false},
    {"192.168.128.0/17", "192.168.255.1", true},
    {"192.168.128.0/17", "192.168.127.1", false},
    {"0.0.0.0/0", "203.0.113.9", true},
    {"0.0.0.0/0", "::1", false},
    {"::/0", "2001:db8::1", true},
    {"::/0", "10.0.0.1", false},
    {"2001:db8::/33", "2001:db8:7fff::1", true},
    {"2001:db8::/33", "2001:db8:8000::1", false},
    {"::1", "::1", true},
    {"::1/128", "::2", false},
    {"::ffff:10.0.0.0/104", "10.1.2.3", true},
    {"::ffff:0:0/96", "203.0.113.9", true},
};

TEST(Cidr, holds_what_begins_with_its_prefix) {
  for (const Held& one : kHeld) {
    EXPECT_EQ(cidr(one.block).contains(ip(one.address)), one.is_held)
        << one.block << " and " << one.address;
  }
}

TEST(Cidr, is_written_as_it_is_read) {
  for (const std::string_view text : {"10.0.0.0/8", "0.0.0.0/0", "::/0", "2001:db8::/32"}) {
    EXPECT_EQ(cidr(text).to_text(), text);
  }
  EXPECT_EQ(cidr("10.0.0.1").to_text(), "10.0.0.1/32");
  EXPECT_EQ(cidr("::ffff:10.0.0.0/104").to_text(), "10.0.0.0/8");
}

TEST(Cidr, names_the_text_that_is_wrong) {
  for (const std::string_view text :
       {"", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08",
        "10.0.0.0/8 ", "10.0.0.0/8/8", "10.0.0.1/8", "10.0.0.0/256", "10.0.0.0/a", "10/8", "::/129",
        "::1/64", "2001:db8::8000/112x", "::ffff:10.0.0.0/95", "host/8", "10.0.0.0/255.0.0.0"}) {
    const auto block = Cidr::parse(text);
    ASSERT_FALSE(block.has_value()) << text;
    EXPECT_TRUE(block.error().contains("\"" + std::string(text) + "\"")) << block.error();
  }
}

TEST(TrustedPeers, are_nobody_unless_named) {
  EXPECT_FALSE(TrustedPeers().trusts(ip("127.0.0.1")));
  EXPECT_FALSE(TrustedPeers().trusts(PeerEnd::parse("unix:")));
}

TEST(TrustedPeers, are_those_in_any_block) {
  const auto peers = TrustedPeers::parse(" 10.0.0.0/8,::1\t,192.168.1.1,").value();
  EXPECT_TRUE(peers.trusts(ip("10.9.9.9")));
  EXPECT_TRUE(peers.trusts(ip("::1")));
  EXPECT_TRUE(peers.trusts(ip("192.168.1.1")));
  EXPECT_FALSE(peers.trusts(ip("192.168.1.2")));
  EXPECT_FALSE(peers.trusts(PeerEnd::parse("unix:/run/a")));
  EXPECT_TRUE(TrustedPeers::parse("unix").value().trusts(PeerEnd::parse("unix:")));
  EXPECT_TRUE(TrustedPeers::parse("unix").value().trusts(PeerEnd::parse("unix:/run/a")));
  EXPECT_FALSE(TrustedPeers::parse("").value().trusts(ip("::1")));
}

TEST(TrustedPeers, name_the_block_that_is_wrong) {
  const auto peers = TrustedPeers::parse("10.0.0.0/8, 10.0.0.1/8, ::1");
  ASSERT_FALSE(peers.has_value());
  EXPECT_TRUE(peers.error().contains("\"10.0.0.1/8\"")) << peers.error();
}

TEST(IsPublic, holds_for_the_internet_at_large_alone) {
  for (const char* text :
       {"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255",
        "172.32.0.0", "192.167.255.255", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        "2a00::1", "2606:4700::1111", "2001:200::1", "2003::1", "::ffff:1.1.1.1"}) {
    EXPECT_TRUE(is_public(ip(text))) << text;
  }
  for (const char* text : {"0.0.0.0",
                           "10.0.0.1",
                           "100.64.0.1",
                           "127.0.0.1",
                           "127.255.255.255",
                           "169.254.169.254",
                           "172.16.0.1",
                           "172.31.255.255",
                           "192.0.0.1",
                           "192.0.2.1",
                           "192.88.99.1",
                           "192.168.0.1",
                           "198.18.0.1",
                           "198.19.255.255",
                           "198.51.100.1",
                           "203.0.113.1",
                           "224.0.0.1",
                           "240.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "::ffff:10.0.0.1",
                           "::127.0.0.1",
                           "64:ff9b::7f00:1",
                           "64:ff9b:1::1",
                           "100::1",
                           "2001::1",
                           "2001:db8::1",
                           "2002:7f00:1::1",
                           "3fff::1",
                           "fc00::1",
                           "fd12::1",
                           "fe80::1",
                           "fec0::1",
                           "ff02::1"}) {
    EXPECT_FALSE(is_public(ip(text))) << text;
  }
}

TEST(TrustedPeers, never_trust_whom_nobody_knows) {
  const TrustedPeers peers = TrustedPeers::parse("0.0.0.0/0, ::/0, unix").value();
  EXPECT_FALSE(peers.trusts(PeerEnd()));
  for (const std::string_view text : {"", "unix", "unknown", "a.example", "127.0.0.1:80"}) {
    EXPECT_FALSE(peers.trusts(PeerEnd::parse(text))) << text;
  }
}

}  // namespace
}  // namespace eider
