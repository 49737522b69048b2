#include "eider/web/coding/secrets.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/protocols/http/request.h"

namespace eider {
namespace {

Exposure exposure_with(const std::vector<Field>& fields) {
  Request request;
  request.head().authority = "shop.example";
  request.head().fields = fields;
  return exposure_of(request);
}

struct Case {
  std::vector<Field> fields;
  bool has_credentials;
  bool is_foreign;
};

TEST(Secrets, the_request_tells_whether_another_site_may_have_caused_it) {
  for (const Case& test : std::vector<Case>{
           {{}, false, false},
           {{{"Cookie", "a=b"}}, true, true},  // an old browser, which sends no origin
           {{{"Authorization", "Basic YTpi"}}, true, true},
           {{{"Authorization", "Digest a"}}, true, true},
           {{{"Authorization", "Bearer abc"}}, true, false},
           {{{"Authorization", "bearer abc"}}, true, false},
           {{{"Authorization", "Bearer abc"}, {"Cookie", "a=b"}}, true, true},
           {{{"Cookie", "a=b"}, {"Sec-Fetch-Site", "same-origin"}}, true, false},
           {{{"Cookie", "a=b"}, {"Sec-Fetch-Site", "none"}}, true, false},
           {{{"Cookie", "a=b"}, {"Sec-Fetch-Site", "same-site"}}, true, true},
           {{{"Cookie", "a=b"}, {"Sec-Fetch-Site", "cross-site"}}, true, true},
           {{{"Cookie", "a=b"}, {"Sec-Fetch-Site", "anything"}}, true, true},
           {{{"Cookie", "a=b"}, {"Origin", "https://shop.example"}}, true, false},
           {{{"Cookie", "a=b"}, {"Origin", "https://SHOP.example"}}, true, false},
           {{{"Cookie", "a=b"}, {"Origin", "https://evil.example"}}, true, true},
           {{{"Cookie", "a=b"}, {"Origin", "https://shop.example.evil"}}, true, true},
           {{{"Cookie", "a=b"}, {"Origin", "https://evil/shop.example"}}, true, true},
           {{{"Cookie", "a=b"}, {"Origin", "null"}}, true, true},
           {{{"Cookie", "a=b"}, {"Referer", "https://shop.example/cart?x"}}, true, false},
           {{{"Cookie", "a=b"}, {"Referer", "https://shop.example?x"}}, true, false},
           {{{"Cookie", "a=b"}, {"Referer", "https://evil.example/shop.example"}}, true, true},
           // The first of these headers that is present is used.
           {{{"Cookie", "a=b"},
             {"Sec-Fetch-Site", "cross-site"},
             {"Origin", "https://shop.example"}},
            true,
            true},
       }) {
    const Exposure exposure = exposure_with(test.fields);
    EXPECT_EQ(exposure.has_credentials, test.has_credentials);
    EXPECT_EQ(exposure.is_foreign, test.is_foreign)
        << (test.fields.empty() ? "" : test.fields.back().value);
  }
}

class PeerWith final : public Peer {
 public:
  explicit PeerWith(std::string fingerprint) : fingerprint_(std::move(fingerprint)) {}
  [[nodiscard]] std::string address() const override { return {}; }
  [[nodiscard]] std::optional<TlsInfo> tls() const override {
    return TlsInfo{.client = {.fingerprint = fingerprint_}};
  }

 private:
  std::string fingerprint_;
};

TEST(Secrets, a_certificate_that_was_shown_is_a_credential_of_which_pages_know_nothing) {
  PeerWith somebody("ab");
  PeerWith nobody("");
  Request request;
  request.head().authority = "shop.example";
  request.set_peer(&nobody);
  EXPECT_FALSE(exposure_of(request).has_credentials);
  EXPECT_FALSE(exposure_of(request).is_foreign);
  request.set_peer(&somebody);
  EXPECT_TRUE(exposure_of(request).has_credentials);
  EXPECT_TRUE(exposure_of(request).is_foreign) << "without a word on its source";
  const std::vector<Field> own = {{"Sec-Fetch-Site", "same-origin"}};
  request.head().fields = own;
  EXPECT_FALSE(exposure_of(request).is_foreign);
  const std::vector<Field> foreign = {{"Sec-Fetch-Site", "cross-site"}};
  request.head().fields = foreign;
  EXPECT_TRUE(must_stay_plain(BreachProtection::cross_site, exposure_of(request), {}));
}

TEST(Secrets, nobodys_host_is_not_everybodys_own) {
  Request request;
  const std::vector<Field> fields = {{"Cookie", "a=b"}, {"Origin", "https://"}};
  request.head().fields = fields;
  EXPECT_TRUE(exposure_of(request).is_foreign);
}

TEST(Secrets, what_is_for_one_person_stays_plain_by_the_policy) {
  constexpr Exposure kOpen{};
  constexpr Exposure kOwn{.has_credentials = true, .is_foreign = false};
  constexpr Exposure kForeign{.has_credentials = true, .is_foreign = true};
  constexpr Exposure kForeignOpen{.has_credentials = false, .is_foreign = true};
  const auto stays = [](BreachProtection policy, const Exposure& exposure,
                        std::string_view lines = {}) {
    return must_stay_plain(policy, exposure, lines);
  };
  using enum BreachProtection;
  EXPECT_FALSE(stays(cross_site, kOpen));
  EXPECT_FALSE(stays(cross_site, kOwn));
  EXPECT_FALSE(stays(cross_site, kForeignOpen));
  EXPECT_TRUE(stays(cross_site, kForeign));
  EXPECT_FALSE(stays(always, kOpen));
  EXPECT_FALSE(stays(always, kForeignOpen));
  EXPECT_TRUE(stays(always, kOwn));
  EXPECT_TRUE(stays(always, kForeign));
  EXPECT_FALSE(stays(off, kForeign));
  for (const std::string_view lines :
       {"Set-Cookie: a=b\r\n", "Cache-Control: private\r\n",
        "Cache-Control: max-age=0, No-Store\r\n", "A: b\r\nCache-Control: private=\"X\"\r\n"}) {
    EXPECT_TRUE(stays(always, kOpen, lines)) << lines;
    EXPECT_TRUE(stays(cross_site, kForeignOpen, lines)) << lines;
    EXPECT_FALSE(stays(cross_site, kOwn, lines)) << lines;
    EXPECT_FALSE(stays(off, kForeign, lines)) << lines;
  }
  EXPECT_FALSE(stays(always, kOpen, "Cache-Control: public\r\nX: private\r\n"));
}

}  // namespace
}  // namespace eider
