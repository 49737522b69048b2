// Codes of authenticator apps, compared with the test vectors of the RFCs.
#include "eider/auth/accounts/totp.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace eider {
namespace {

const std::string kRfcSecret = "12345678901234567890";

// RFC 4226, appendix D.
TEST(Hotp, has_the_codes_of_the_rfc) {
  const char* const codes[] = {"755224", "287082", "359152", "969429", "338314",
                               "254676", "287922", "162583", "399871", "520489"};
  for (std::uint64_t counter = 0; counter < std::size(codes); ++counter) {
    EXPECT_EQ(hotp_code(kRfcSecret, counter), codes[counter]) << counter;
  }
}

// RFC 6238, appendix B, with SHA-1.
TEST(Totp, has_the_codes_of_the_rfc) {
  const std::pair<std::int64_t, const char*> rows[] = {{59, "94287082"},
                                                       {1'111'111'109, "07081804"},
                                                       {1'111'111'111, "14050471"},
                                                       {1'234'567'890, "89005924"},
                                                       {2'000'000'000, "69279037"},
                                                       {20'000'000'000, "65353130"}};
  for (const auto& [time, code] : rows) {
    EXPECT_EQ(totp_code(kRfcSecret, time, 8), code) << time;
    EXPECT_EQ(totp_code(kRfcSecret, time), std::string(code).substr(2)) << time;
  }
  EXPECT_EQ(totp_code(kRfcSecret, 0), totp_code(kRfcSecret, 29));
  EXPECT_EQ(totp_code(kRfcSecret, -1), totp_code(kRfcSecret, 0)) << "there is no time before";
}

TEST(Totp, has_a_uri_whose_parts_are_encoded) {
  EXPECT_EQ(otpauth_uri("Quill & Page: shop", "ann:x@example.org", "Hello!\xDE\xAD\xBE\xEF"),
            "otpauth://totp/Quill%20%26%20Page%20%20shop:ann%20x%40example.org"
            "?secret=JBSWY3DPEHPK3PXP&issuer=Quill%20%26%20Page%20%20shop"
            "&algorithm=SHA1&digits=6&period=30");
}

}  // namespace
}  // namespace eider
