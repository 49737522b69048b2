#include "eider/protocols/http/source_site.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "eider/protocols/http/forwarded.h"

namespace eider {
namespace {

SourceSite site_with(const std::vector<Field>& fields, Peer* peer = nullptr) {
  Request request;
  request.head().authority = "shop.example";
  request.head().fields = fields;
  request.set_peer(peer);
  return source_site_of(request);
}

class PeerOverTls final : public Peer {
 public:
  [[nodiscard]] std::string address() const override { return "127.0.0.1"; }
  [[nodiscard]] std::optional<TlsInfo> tls() const override {
    return TlsInfo{.version = "TLSv1.3"};
  }
};

TEST(SourceSite, is_what_browsers_say) {
  EXPECT_EQ(site_with({{"Sec-Fetch-Site", "same-origin"}}), SourceSite::own);
  EXPECT_EQ(site_with({{"Sec-Fetch-Site", "none"}}), SourceSite::own);
  EXPECT_EQ(site_with({{"Sec-Fetch-Site", "same-site"}}), SourceSite::other);
  EXPECT_EQ(site_with({{"Sec-Fetch-Site", "cross-site"}}), SourceSite::other);
  EXPECT_EQ(site_with({{"Sec-Fetch-Site", ""}}), SourceSite::other);
  EXPECT_EQ(site_with({{"Origin", "http://shop.example"}}), SourceSite::own);
  EXPECT_EQ(site_with({{"Origin", "http://evil.example"}}), SourceSite::other);
  EXPECT_EQ(site_with({{"Origin", "null"}}), SourceSite::other);
  EXPECT_EQ(site_with({{"Referer", "http://shop.example/a?b"}}), SourceSite::own);
  EXPECT_EQ(site_with({{"Referer", "http://evil.example/shop.example"}}), SourceSite::other);
  EXPECT_EQ(site_with({{"Cookie", "a=b"}}), SourceSite::unknown);
}

TEST(SourceSite, the_first_that_speaks_is_believed) {
  EXPECT_EQ(site_with({{"Origin", "http://shop.example"}, {"Sec-Fetch-Site", "cross-site"}}),
            SourceSite::other);
  EXPECT_EQ(site_with({{"Referer", "http://shop.example/"}, {"Origin", "null"}}),
            SourceSite::other);
}

TEST(SourceSite, a_page_in_the_clear_is_anothers_to_a_service_over_tls) {
  PeerOverTls peer;
  EXPECT_EQ(site_with({{"Origin", "https://shop.example"}}, &peer), SourceSite::own);
  EXPECT_EQ(site_with({{"Origin", "http://shop.example"}}, &peer), SourceSite::other);
  EXPECT_EQ(site_with({{"Referer", "http://shop.example/"}}, &peer), SourceSite::other);
}

class PeerInFront final : public Peer {
 public:
  [[nodiscard]] std::string address() const override { return "10.0.0.1"; }
};

TEST(SourceSite, is_that_of_the_host_that_a_trusted_proxy_names) {
  PeerInFront peer;
  const auto trusted = TrustedPeers::parse("10.0.0.0/8").value();
  const auto others = TrustedPeers::parse("192.168.0.0/16").value();
  const auto site_of = [&](const TrustedPeers& peers, std::string_view origin,
                           std::vector<Field> fields) {
    Request request;
    request.head().authority = "inner:8080";
    fields.push_back({"Origin", origin});
    request.head().fields = fields;
    request.set_peer(&peer);
    request.set(ForwardedTrust{.peers = &peers, .kind = ForwardedHeaders::x_forwarded});
    return source_site_of(request);
  };
  const Field host{"X-Forwarded-Host", "shop.example"};
  const Field proto{"X-Forwarded-Proto", "https"};
  const Field client{"X-Forwarded-For", "192.0.2.1"};
  EXPECT_EQ(site_of(trusted, "https://shop.example", {host, proto, client}), SourceSite::own);
  EXPECT_EQ(site_of(trusted, "https://shop.example", {host}), SourceSite::own);
  EXPECT_EQ(site_of(trusted, "http://inner:8080", {}), SourceSite::own);
  EXPECT_EQ(site_of(trusted, "http://inner:8080", {host}), SourceSite::other);
  EXPECT_EQ(site_of(trusted, "https://evil.example", {host, proto, client}), SourceSite::other);
  // As over TLS: a page in the clear may be made by an attacker in the network.
  EXPECT_EQ(site_of(trusted, "http://shop.example", {host, proto, client}), SourceSite::other);
  // A client's own headers have no effect.
  EXPECT_EQ(site_of(others, "https://shop.example", {host, proto, client}), SourceSite::other);
  EXPECT_EQ(site_of(others, "http://inner:8080", {host, proto, client}), SourceSite::own);
  EXPECT_EQ(site_of(trusted, "https://evil.example",
                    {{"X-Forwarded-Host", "evil.example, shop.example"}, client}),
            SourceSite::other);
}

TEST(SourceSite, a_host_is_compared_with_its_port_the_schemes_own_left_out) {
  const auto is_same_host = [](std::string_view url, std::string_view authority) {
    return eider::is_same_host(url, authority, AskedOver::clear);
  };
  EXPECT_TRUE(is_same_host("https://shop.example", "SHOP.example"));
  EXPECT_TRUE(is_same_host("https://shop.example:443", "shop.example"));
  EXPECT_TRUE(is_same_host("https://shop.example", "shop.example:443"));
  EXPECT_TRUE(is_same_host("http://shop.example:8080", "shop.example:8080"));
  EXPECT_TRUE(is_same_host("http://[::1]:8080", "[::1]:8080"));
  EXPECT_FALSE(is_same_host("http://shop.example:8080", "shop.example"));
  EXPECT_FALSE(is_same_host("http://shop.example:443", "shop.example"));
  EXPECT_FALSE(is_same_host("https://shop.example.evil", "shop.example"));
  EXPECT_FALSE(is_same_host("https://shop.example@evil", "shop.example"));
  EXPECT_FALSE(is_same_host("https://evil/shop.example", "shop.example"));
  EXPECT_FALSE(is_same_host("https://shop.example/x", "shop.example"));  // an origin has no path
  EXPECT_FALSE(is_same_host("shop.example", "shop.example"));
  EXPECT_FALSE(is_same_host("https://", ""));
  EXPECT_FALSE(is_same_host("https://:443", ""));
}

}  // namespace
}  // namespace eider
