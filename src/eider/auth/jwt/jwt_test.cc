#include "eider/auth/jwt/jwt.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"

namespace eider {
namespace {

constexpr std::int64_t kNow = 1'800'000'000;
constexpr std::array kAlgorithms{JwtAlgorithm::hs256, JwtAlgorithm::hs384, JwtAlgorithm::hs512,
                                 JwtAlgorithm::rs256, JwtAlgorithm::rs384, JwtAlgorithm::rs512,
                                 JwtAlgorithm::ps256, JwtAlgorithm::ps384, JwtAlgorithm::ps512,
                                 JwtAlgorithm::es256, JwtAlgorithm::es384, JwtAlgorithm::es512,
                                 JwtAlgorithm::eddsa};

struct Session {
  std::string role;
  std::optional<int> level;
};

/// One key per algorithm, generated once, because RSA is slow.
const JwtKey& key_for(JwtAlgorithm algorithm) {
  static const std::vector<JwtKey> keys = [] {
    std::vector<JwtKey> made;
    for (const JwtAlgorithm each : kAlgorithms) {
      made.push_back(JwtKey::generate(each, "key-" + std::string(to_text(each))));
    }
    return made;
  }();
  return keys[static_cast<std::size_t>(algorithm)];
}

RegisteredClaims usual() {
  return {.issuer = "https://id.example",
          .subject = "ann",
          .audience = {"notes"},
          .expires_at = kNow + 600,
          .issued_at = kNow};
}

JwtRules rules() {
  return {.issuer = "https://id.example", .audience = "notes"};
}

Result<JwtClaims, JwtError> check(const std::string& token, const JwtKey& key,
                                  const JwtRules& by = rules(), std::int64_t now = kNow) {
  return check_jwt(token, std::vector{key}, by, now);
}

JwtFault fault_of(const std::string& token, const JwtKey& key, const JwtRules& by = rules(),
                  std::int64_t now = kNow) {
  const auto checked = check(token, key, by, now);
  EXPECT_FALSE(checked.has_value()) << token;
  return checked ? JwtFault::keys_unavailable : checked.error().fault;
}

/// A signed token with any header and claims, unchanged.
std::string signed_as(const std::string& header, const std::string& claims, const JwtKey& key) {
  const std::string part = to_base64url(header) + "." + to_base64url(claims);
  return part + "." + to_base64url(key.sign(part));
}

std::string with_claims(const std::string& claims) {
  return signed_as(R"({"alg":"HS256","kid":"key-HS256"})", claims, key_for(JwtAlgorithm::hs256));
}

TEST(Jwt, what_a_key_has_signed_it_reads_by_every_algorithm) {
  for (const JwtAlgorithm algorithm : kAlgorithms) {
    const JwtKey& key = key_for(algorithm);
    const std::string token = sign_jwt(Session{.role = "admin", .level = 3}, usual(), key);
    const auto claims = check(token, key);
    ASSERT_TRUE(claims.has_value()) << to_text(algorithm) << claims.error().text;
    EXPECT_EQ(claims->registered().subject, "ann");
    EXPECT_EQ(claims->registered().audience, std::vector<std::string>{"notes"});
    EXPECT_EQ(claims->registered().expires_at, kNow + 600);
    EXPECT_EQ(claims->as<Session>()->role, "admin");
    EXPECT_EQ(claims->as<Session>()->level, 3);
  }
}

TEST(Jwt, a_token_that_is_cut_anywhere_is_refused) {
  for (const JwtAlgorithm algorithm :
       {JwtAlgorithm::hs256, JwtAlgorithm::es256, JwtAlgorithm::eddsa}) {
    const std::string token = sign_jwt(usual(), key_for(algorithm));
    for (std::size_t size = 0; size < token.size(); ++size) {
      EXPECT_FALSE(check(token.substr(0, size), key_for(algorithm)).has_value()) << size;
      EXPECT_FALSE(check(token.substr(size + 1), key_for(algorithm)).has_value()) << size;
    }
  }
}

TEST(Jwt, a_token_of_which_any_bit_is_another_is_refused) {
  for (const JwtAlgorithm algorithm :
       {JwtAlgorithm::hs256, JwtAlgorithm::es256, JwtAlgorithm::eddsa, JwtAlgorithm::ps256}) {
    const std::string token = sign_jwt(usual(), key_for(algorithm));
    for (std::size_t bit = 0; bit < token.size() * 8; ++bit) {
      std::string other = token;
      other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << (bit % 8)));
      EXPECT_FALSE(check(other, key_for(algorithm)).has_value()) << bit;
    }
  }
}

TEST(Jwt, a_token_without_a_signature_is_none) {
  const std::string claims = R"({"iss":"https://id.example","aud":"notes","exp":1900000000})";
  for (const char* algorithm : {"none", "None", "NONE", "nOnE", ""}) {
    const std::string part =
        to_base64url(R"({"alg":")" + std::string(algorithm) + "\"}") + "." + to_base64url(claims);
    for (const JwtAlgorithm each : kAlgorithms) {
      EXPECT_EQ(fault_of(part + ".", key_for(each)), JwtFault::malformed);
      EXPECT_EQ(fault_of(part + ".AAAA", key_for(each)), JwtFault::malformed);
    }
  }
  const std::string good = sign_jwt(usual(), key_for(JwtAlgorithm::hs256));
  EXPECT_EQ(fault_of(good.substr(0, good.rfind('.') + 1), key_for(JwtAlgorithm::hs256)),
            JwtFault::malformed);
}

// The public key is known to everyone: if it were accepted as a secret, anyone could sign tokens.
TEST(Jwt, a_public_key_is_nobodys_secret) {
  const JwtKey& rsa = key_for(JwtAlgorithm::rs256);
  const std::string jwk = json::to_text(rsa.to_public_jwk());
  const auto secret = JwtKey::from_secret(JwtAlgorithm::hs256, jwk, rsa.id());
  ASSERT_TRUE(secret.has_value());
  const std::string forged = sign_jwt(usual(), *secret);
  EXPECT_EQ(fault_of(forged, rsa), JwtFault::unknown_key);
  const std::string said =
      signed_as(R"({"alg":"RS256","kid":"key-RS256"})", R"({"exp":1900000000})", *secret);
  EXPECT_EQ(fault_of(said, rsa, {}), JwtFault::bad_signature);
  EXPECT_FALSE(JwtKey::from_secret(JwtAlgorithm::hs256,
                                   "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOC\n")
                   .has_value());
}

TEST(Jwt, the_token_does_not_choose_the_algorithm) {
  for (const JwtAlgorithm signer : kAlgorithms) {
    for (const JwtAlgorithm told : kAlgorithms) {
      if (signer == told) {
        continue;
      }
      const std::string header = R"({"alg":")" + std::string(to_text(told)) + R"(","kid":")" +
                                 key_for(signer).id() + "\"}";
      const std::string token = signed_as(header, R"({"exp":1900000000})", key_for(signer));
      EXPECT_EQ(fault_of(token, key_for(signer), {}), JwtFault::unknown_key);
    }
  }
}

TEST(Jwt, another_key_is_not_its_own) {
  for (const JwtAlgorithm algorithm :
       {JwtAlgorithm::hs256, JwtAlgorithm::es256, JwtAlgorithm::es512, JwtAlgorithm::eddsa}) {
    const std::string token = sign_jwt(usual(), key_for(algorithm));
    EXPECT_EQ(fault_of(token, JwtKey::generate(algorithm, key_for(algorithm).id())),
              JwtFault::bad_signature);
    EXPECT_EQ(fault_of(token, JwtKey::generate(algorithm, "another")), JwtFault::unknown_key);
    EXPECT_EQ(fault_of(token, JwtKey::generate(algorithm)), JwtFault::bad_signature)
        << "a key without an id is tried";
  }
}

TEST(Jwt, of_several_keys_the_one_with_its_id_is_taken) {
  std::vector<JwtKey> keys;
  for (int index = 0; index < 20; ++index) {
    keys.push_back(JwtKey::generate(JwtAlgorithm::eddsa, "key" + std::to_string(index)));
  }
  for (const JwtKey& key : keys) {
    EXPECT_TRUE(check_jwt(sign_jwt(usual(), key), keys, rules(), kNow).has_value()) << key.id();
  }
  // Without an id, the keys of the algorithm are tried, but not all of them.
  const std::string bare = R"({"alg":"EdDSA"})";
  const std::string claims = R"({"exp":1900000000})";
  EXPECT_TRUE(check_jwt(signed_as(bare, claims, keys[7]), keys, {}, kNow).has_value());
  EXPECT_FALSE(check_jwt(signed_as(bare, claims, keys[8]), keys, {}, kNow).has_value());
}

TEST(Jwt, headers_that_are_none_are_malformed) {
  const JwtKey& key = key_for(JwtAlgorithm::hs256);
  const std::string claims = R"({"exp":1900000000})";
  for (const char* header : {"",
                             "{}",
                             "[]",
                             "null",
                             "\"HS256\"",
                             R"({"alg":null})",
                             R"({"alg":1})",
                             R"({"alg":["HS256"]})",
                             R"({"alg":"HS256","alg":"HS256"})",
                             R"({"alg":"HS256","\u0061lg":"none"})",
                             R"({"alg":"HS256","crit":["exp"]})",
                             R"({"alg":"HS256","crit":[]})",
                             R"({"alg":"HS256","b64":false,"crit":["b64"]})",
                             R"({"alg":"HS256","kid":7})",
                             R"({"alg":"HS256","kid":null})",
                             R"({"alg":"HS256","typ":{}})",
                             R"({"alg":"hs256"})",
                             R"({"alg":"HS256"} )"
                             "x",
                             R"({"alg":"HS256",})",
                             R"({"Alg":"HS256"})",
                             R"({"alg":"RSA-OAEP","enc":"A128GCM"})",
                             "{\"alg\":\"HS256\",\"kid\":\"\xFF\"}"}) {
    EXPECT_EQ(fault_of(signed_as(header, claims, key), key, {}), JwtFault::malformed) << header;
  }
  EXPECT_EQ(
      fault_of(signed_as(R"({"alg":"HS256","kid":")" + std::string(257, 'k') + "\"}", claims, key),
               key, {}),
      JwtFault::malformed);
}

TEST(Jwt, other_forms_are_malformed) {
  const JwtKey& key = key_for(JwtAlgorithm::hs256);
  const std::string good = sign_jwt(usual(), key);
  for (const std::string& token :
       {std::string(), std::string("."), std::string(".."), std::string("..."), good + ".",
        "." + good, good + ".e30.e30", good + "=", good + " ", " " + good, good + "\n",
        good + std::string(1, '\0'), std::string("{\"payload\":\"\",\"signatures\":[]}"),
        std::string(1U << 20U, '.'), std::string(1U << 20U, 'A')}) {
    EXPECT_EQ(fault_of(token, key), JwtFault::malformed) << token.substr(0, 40);
  }
}

TEST(Jwt, tokens_have_a_size) {
  const JwtKey& key = key_for(JwtAlgorithm::hs256);
  RegisteredClaims claims = usual();
  claims.id = std::string(10'000, 'x');
  const std::string token = sign_jwt(claims, key);
  EXPECT_EQ(fault_of(token, key), JwtFault::malformed);
  JwtRules wide = rules();
  wide.bytes_max = token.size();
  EXPECT_TRUE(check(token, key, wide).has_value());
  --wide.bytes_max;
  EXPECT_FALSE(check(token, key, wide).has_value());
}

TEST(Jwt, claims_that_occur_twice_or_are_no_object_are_malformed) {
  const JwtKey& key = key_for(JwtAlgorithm::hs256);
  for (const char* claims :
       {R"({"exp":1900000000,"exp":1})", R"({"exp":1900000000,"sub":"ann","sub":"root"})",
        R"({"exp":1900000000,"a":{"b":1,"b":2}})", "[]", "null", "7", "", "{", "{\"exp\":}",
        R"({"exp":1900000000}{})"}) {
    EXPECT_EQ(fault_of(with_claims(claims), key, {}), JwtFault::malformed) << claims;
  }
  std::string deep(100, '[');
  deep = R"({"exp":1900000000,"a":)" + deep + std::string(100, ']') + "}";
  EXPECT_EQ(fault_of(with_claims(deep), key, {}), JwtFault::malformed);
}

TEST(Jwt, times_are_held_with_leeway_and_no_more) {
  const JwtKey& key = key_for(JwtAlgorithm::hs256);
  JwtRules by = rules();
  by.leeway = std::chrono::seconds(30);
  RegisteredClaims claims = usual();
  const std::string until = sign_jwt(claims, key);
  EXPECT_TRUE(check(until, key, by, kNow + 629).has_value());
  EXPECT_EQ(fault_of(until, key, by, kNow + 630), JwtFault::expired);
  EXPECT_EQ(fault_of(until, key, by, kNow + 1'000'000), JwtFault::expired);
  EXPECT_EQ(fault_of(until, key, by, kNow - 31), JwtFault::not_yet_valid);
  claims.not_before = kNow + 100;
  const std::string later = sign_jwt(claims, key);
  EXPECT_EQ(fault_of(later, key, by, kNow + 69), JwtFault::not_yet_valid);
  EXPECT_TRUE(check(later, key, by, kNow + 70).has_value());
}

TEST(Jwt, an_end_is_demanded_unless_somebody_says_otherwise) {
  const JwtKey& key = key_for(JwtAlgorithm::hs256);
  RegisteredClaims claims = usual();
  claims.expires_at.reset();
  EXPECT_EQ(fault_of(sign_jwt(claims, key), key), JwtFault::missing_claim);
  JwtRules by = rules();
  by.requires_expiry = false;
  EXPECT_TRUE(check(sign_jwt(claims, key), key, by).has_value());
}

TEST(Jwt, issuer_and_audience_are_exactly_those) {
  const JwtKey& key = key_for(JwtAlgorithm::hs256);
  for (const char* issuer :
       {"", "https://id.example/", "https://ID.example", "https://id.exampl"}) {
    RegisteredClaims claims = usual();
    claims.issuer = issuer;
    EXPECT_EQ(fault_of(sign_jwt(claims, key), key), JwtFault::wrong_issuer) << issuer;
  }
  for (const std::vector<std::string>& audience :
       {std::vector<std::string>{}, {"note"}, {"notes "}, {"a", "b"}, {"NOTES"}}) {
    RegisteredClaims claims = usual();
    claims.audience = audience;
    EXPECT_EQ(fault_of(sign_jwt(claims, key), key), JwtFault::wrong_audience);
  }
  RegisteredClaims claims = usual();
  claims.audience = {"mail", "notes"};
  EXPECT_TRUE(check(sign_jwt(claims, key), key).has_value()) << "a list";
}

TEST(Jwt, claims_of_other_types_are_refused) {
  const JwtKey& key = key_for(JwtAlgorithm::hs256);
  for (const char* claims :
       {R"({"exp":"1900000000"})", R"({"exp":null})", R"({"exp":-1})", R"({"exp":1e300})",
        R"({"exp":253402300800})", R"({"exp":18446744073709551615})", R"({"exp":[1900000000]})",
        R"({"exp":1900000000,"iss":7})", R"({"exp":1900000000,"sub":{}})",
        R"({"exp":1900000000,"aud":7})", R"({"exp":1900000000,"aud":["notes",7]})",
        R"({"exp":1900000000,"nbf":true})", R"({"exp":1900000000,"iat":"now"})",
        R"({"exp":1900000000,"jti":1})"}) {
    EXPECT_EQ(fault_of(with_claims(claims), key, {}), JwtFault::bad_claim) << claims;
  }
  const auto fraction = check(with_claims(R"({"exp":1900000000.9})"), key, {});
  ASSERT_TRUE(fraction.has_value());
  EXPECT_EQ(fraction->registered().expires_at, 1'900'000'000);
}

TEST(Jwt, types_of_tokens_are_told_apart) {
  const JwtKey& key = key_for(JwtAlgorithm::hs256);
  JwtRules by = rules();
  by.type = "at+jwt";
  EXPECT_EQ(fault_of(sign_jwt(usual(), key), key, by), JwtFault::wrong_type);
  EXPECT_EQ(fault_of(sign_jwt(usual(), key, ""), key, by), JwtFault::wrong_type);
  for (const char* type : {"at+jwt", "AT+JWT", "application/at+jwt", "Application/at+JWT"}) {
    EXPECT_TRUE(check(sign_jwt(usual(), key, type), key, by).has_value()) << type;
  }
}

TEST(Jwt, own_claims_that_do_not_fit_are_refused) {
  const JwtKey& key = key_for(JwtAlgorithm::hs256);
  for (const char* claims : {R"({"exp":1900000000})", R"({"exp":1900000000,"role":7})",
                             R"({"exp":1900000000,"role":"a","level":"b"})"}) {
    const auto checked = check(with_claims(claims), key, {});
    ASSERT_TRUE(checked.has_value());
    const auto own = checked->as<Session>();
    ASSERT_FALSE(own.has_value()) << claims;
    EXPECT_EQ(own.error().fault, JwtFault::bad_claim);
  }
}

TEST(Jwt, registered_claims_go_before_own_ones_of_the_same_name) {
  struct Sly {
    std::string sub;
    std::string role;
  };
  const JwtKey& key = key_for(JwtAlgorithm::hs256);
  const auto checked = check(sign_jwt(Sly{.sub = "root", .role = "r"}, usual(), key), key);
  ASSERT_TRUE(checked.has_value());
  EXPECT_EQ(checked->registered().subject, "ann");
}

// Signatures of other lengths, and those of zeros, are invalid (CVE-2022-21449).
struct Many {
  std::vector<std::string> groups;
};

TEST(Jwt, own_claims_are_as_many_as_there_are) {
  const JwtKey& key = key_for(JwtAlgorithm::eddsa);
  const Many many{.groups = std::vector<std::string>(100'000, "g")};
  const std::string token = sign_jwt(many, usual(), key);
  JwtRules by = rules();
  by.bytes_max = token.size();
  EXPECT_EQ(fault_of(token, key, by), JwtFault::malformed) << "a reader has limits, a signer none";
  EXPECT_TRUE(
      check(sign_jwt(Many{.groups = std::vector<std::string>(1000, "g")}, usual(), key), key)
          .has_value());
}

TEST(Jwt, own_claims_that_are_none_are_an_error_and_not_the_end) {
  const JwtKey& key = key_for(JwtAlgorithm::eddsa);
  const auto nested = [](int depth) {
    json::Value value = json::array({});
    for (int index = 0; index < depth; ++index) {
      value = json::array({std::move(value)});
    }
    return json::object({{"tree", std::move(value)}});
  };
  EXPECT_NO_THROW((void)sign_jwt(nested(400), usual(), key));
  EXPECT_THROW((void)sign_jwt(nested(600), usual(), key), Failure);
  EXPECT_THROW((void)sign_jwt(std::vector<int>{1, 2}, usual(), key), Failure);
  EXPECT_THROW((void)sign_jwt(std::string("text"), usual(), key), Failure);
}

TEST(Jwt, signatures_of_zeros_and_other_lengths_are_none) {
  for (const JwtAlgorithm algorithm : kAlgorithms) {
    const JwtKey& key = key_for(algorithm);
    const std::string token = sign_jwt(usual(), key);
    const std::string part = token.substr(0, token.rfind('.') + 1);
    const std::size_t size = from_base64url(token.substr(part.size()))->size();
    for (const std::size_t bytes : {std::size_t{1}, size - 1, size, size + 1, 2 * size}) {
      EXPECT_EQ(fault_of(part + to_base64url(std::string(bytes, '\0')), key),
                JwtFault::bad_signature);
    }
  }
}

}  // namespace
}  // namespace eider
