#include "eider/auth/passkeys/cbor.h"

#include <gtest/gtest.h>

#include "eider/auth/passkeys/authenticator_data.h"
#include "eider/auth/passkeys/test_authenticator.h"

namespace eider::detail::passkeys {
namespace {

using namespace std::string_view_literals;

bool is_item(std::string_view bytes) {
  CborReader reader(bytes);
  return reader.skip() && reader.is_at_end();
}

TEST(PasskeyCbor, takes_items_in_their_shortest_form) {
  for (const std::string_view good : {"\x00"sv,
                                      "\x17"sv,
                                      "\x18\x18"sv,
                                      "\x19\x01\x00"sv,
                                      "\x1A\x00\x01\x00\x00"sv,
                                      "\x1B\x00\x00\x00\x01\x00\x00\x00\x00"sv,
                                      "\x20"sv,
                                      "\x38\x18"sv,
                                      "\x40"sv,
                                      "\x41x"sv,
                                      "\x60"sv,
                                      "\x61x"sv,
                                      "\x80"sv,
                                      "\x82\x01\x02"sv,
                                      "\xA0"sv,
                                      "\xA1\x01\x02"sv,
                                      "\xA2\x01\x02\x20\x02"sv,
                                      "\xF4"sv,
                                      "\xF5"sv,
                                      "\xF6"sv,
                                      "\xF7"sv,
                                      "\xF9\x3C\x00"sv,
                                      "\xFA\x3F\x80\x00\x00"sv,
                                      "\x81\x81\x81\x81\x01"sv}) {
    EXPECT_TRUE(is_item(good)) << testing::PrintToString(good);
    for (std::size_t size = 0; size < good.size(); ++size) {
      EXPECT_FALSE(is_item(good.substr(0, size))) << testing::PrintToString(good) << size;
    }
    EXPECT_FALSE(is_item(std::string(good) + "\x01")) << testing::PrintToString(good);
  }
}

TEST(PasskeyCbor, refuses_what_is_not_canonical) {
  const struct {
    const char* what;
    std::string_view bytes;
  } bad[] = {{"23 in two bytes", "\x18\x17"sv},
             {"255 in three", "\x19\x00\xFF"sv},
             {"65535 in five", "\x1A\x00\x00\xFF\xFF"sv},
             {"2^32-1 in nine", "\x1B\x00\x00\x00\x00\xFF\xFF\xFF\xFF"sv},
             {"a length in two bytes", "\x58\x01x"sv},
             {"reserved", "\x1C"sv},
             {"no length", "\x5F\x41x\xFF"sv},
             {"no count", "\x9F\x01\xFF"sv},
             {"no count of members", "\xBF\x01\x02\xFF"sv},
             {"a break", "\xFF"sv},
             {"a tag", "\xC0\x01"sv},
             {"a simple value of its own", "\xE0"sv},
             {"a simple value in two bytes", "\xF8\x20"sv},
             {"a key twice", "\xA2\x01\x02\x01\x02"sv},
             {"keys out of order", "\xA2\x02\x01\x01\x01"sv},
             {"a negative key first", "\xA2\x20\x01\x01\x01"sv},
             {"a longer text first", "\xA2\x62\x61\x61\x01\x61\x62\x01"sv},
             {"five deep", "\x81\x81\x81\x81\x81\x01"sv},
             {"more than there is", "\x5B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv},
             {"more elements than bytes", "\x9B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv},
             {"more members than bytes", "\xBB\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv}};
  for (const auto& [what, bytes] : bad) {
    EXPECT_FALSE(is_item(bytes)) << what;
  }
}

TEST(PasskeyCbor, reads_integers_of_either_sign_up_to_their_bounds) {
  const auto read = [](std::string_view bytes) { return CborReader(bytes).integer(); };
  EXPECT_EQ(read("\x26"sv), -7);
  EXPECT_EQ(read("\x39\x01\x00"sv), -257);
  EXPECT_EQ(read("\x1B\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv), INT64_MAX);
  EXPECT_EQ(read("\x3B\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv), INT64_MIN);
  EXPECT_EQ(read("\x1B\x80\x00\x00\x00\x00\x00\x00\x00"sv), std::nullopt);
  EXPECT_EQ(read("\x3B\x80\x00\x00\x00\x00\x00\x00\x00"sv), std::nullopt);
  EXPECT_EQ(read("\x61x"sv), std::nullopt);
}

TEST(PasskeyCbor, reads_nothing_behind_a_fault) {
  CborReader reader("\x18\x17\x01");
  EXPECT_FALSE(reader.integer());
  EXPECT_FALSE(reader.integer());
  EXPECT_FALSE(reader.peek());
  EXPECT_FALSE(reader.is_at_end());
}

TEST(CoseKeys, are_read_whole_and_nothing_else) {
  for (const int algorithm : {-7, -8, -257}) {
    const SoftKey soft(algorithm);
    const std::string good = soft.cose();
    const auto key = parse_cose_key(good);
    ASSERT_TRUE(key) << key.error().text;
    const std::string signature = soft.sign("text");
    EXPECT_TRUE(verify_signature(key->algorithm, key->key.get(), "text", signature));
    EXPECT_FALSE(verify_signature(key->algorithm, key->key.get(), "texT", signature));
    for (std::size_t size = 0; size < signature.size(); ++size) {
      EXPECT_FALSE(verify_signature(key->algorithm, key->key.get(), "text",
                                    std::string_view(signature).substr(0, size)));
    }
    for (std::size_t size = 0; size < good.size(); ++size) {
      EXPECT_FALSE(parse_cose_key(good.substr(0, size))) << algorithm << " " << size;
    }
    EXPECT_FALSE(parse_cose_key(good + "\x01"));
  }
}

TEST(CoseKeys, of_small_order_are_refused) {
  const auto key_of = [](const std::string& y) {
    return cbor_map(4) + cbor_integer(1) + cbor_integer(1) + cbor_integer(3) + cbor_integer(-8) +
           cbor_integer(-1) + cbor_integer(6) + cbor_integer(-2) + cbor_bytes(y);
  };
  const std::string zeros(30, '\0');
  const std::string ones(30, '\xFF');
  const std::string eighth = *from_base64url("JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU");
  const std::string other_eighth = *from_base64url("xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o");
  for (const std::string& y :
       {'\0' + zeros + '\0', '\1' + zeros + '\0', '\xEC' + ones + '\x7F', '\xED' + ones + '\x7F',
        '\xEE' + ones + '\x7F', '\xFF' + ones + '\x7F', eighth, other_eighth}) {
    for (const char sign : {'\0', '\x80'}) {
      std::string signed_y = y;
      signed_y.back() = static_cast<char>(signed_y.back() | sign);
      const auto key = parse_cose_key(key_of(signed_y));
      ASSERT_FALSE(key) << to_base64url(signed_y);
      EXPECT_EQ(key.error().fault, PasskeyFault::bad_key);
    }
  }
  EXPECT_TRUE(parse_cose_key(key_of('\x04' + zeros + '\0'))) << "there are others near them";
}

TEST(CoseKeys, of_no_curve_no_size_and_other_members_are_refused) {
  const std::string point = SoftKey(-7).cose();
  std::string off_curve = point;
  off_curve.back() = static_cast<char>(off_curve.back() ^ 1);
  const std::string front = cbor_integer(1) + cbor_integer(2) + cbor_integer(3) + cbor_integer(-7);
  const std::string x = cbor_integer(-2) + cbor_bytes(std::string(32, '\x01'));
  const std::string rsa = cbor_integer(1) + cbor_integer(3) + cbor_integer(3) + cbor_integer(-257);
  const std::string modulus = cbor_integer(-1) + cbor_bytes(std::string(256, '\xFF'));
  const std::string exponent = cbor_integer(-2) + cbor_bytes("\x01\x00\x01"sv);
  ASSERT_TRUE(parse_cose_key(cbor_map(4) + rsa + modulus + exponent));
  const struct {
    const char* what;
    std::string bytes;
  } bad[] = {
      {"a point off the curve", off_curve},
      {"infinity", cbor_map(5) + front + cbor_integer(-1) + cbor_integer(1) + cbor_integer(-2) +
                       cbor_bytes(std::string(32, '\0')) + cbor_integer(-3) +
                       cbor_bytes(std::string(32, '\0'))},
      {"another curve", cbor_map(5) + front + cbor_integer(-1) + cbor_integer(2) + x},
      {"a compressed point",
       cbor_map(5) + front + cbor_integer(-1) + cbor_integer(1) + x + cbor_integer(-3) + "\xF5"},
      {"a member too many", cbor_map(6) + point.substr(1) + cbor_integer(-4) + cbor_integer(1)},
      {"a private key's type", cbor_map(4) + rsa + modulus + exponent + "\x01"},
      {"RSA that is short",
       cbor_map(4) + rsa + cbor_integer(-1) + cbor_bytes(std::string(255, '\xFF')) + exponent},
      {"RSA with zeros in front",
       cbor_map(4) + rsa + cbor_integer(-1) + cbor_bytes(std::string(256, '\0')) + exponent},
      {"RSA that is huge",
       cbor_map(4) + rsa + cbor_integer(-1) + cbor_bytes(std::string(1025, '\xFF')) + exponent},
      {"an exponent of one", cbor_map(4) + rsa + modulus + cbor_integer(-2) + cbor_bytes("\x01")},
      {"an even exponent", cbor_map(4) + rsa + modulus + cbor_integer(-2) + cbor_bytes("\x02")},
      {"an exponent that is long",
       cbor_map(4) + rsa + modulus + cbor_integer(-2) + cbor_bytes("\x01\x01\x01\x01\x01")},
      {"RSA that says ES256", cbor_map(4) + cbor_integer(1) + cbor_integer(3) + cbor_integer(3) +
                                  cbor_integer(-7) + modulus + exponent},
      {"no algorithm", cbor_map(1) + cbor_integer(1) + cbor_integer(2)}};
  for (const auto& [what, bytes] : bad) {
    const auto key = parse_cose_key(bytes);
    ASSERT_FALSE(key) << what;
    EXPECT_EQ(key.error().fault, PasskeyFault::bad_key);
  }
}

}  // namespace
}  // namespace eider::detail::passkeys
