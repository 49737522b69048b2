#include "eider/auth/jwt/jwt_key.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <string>
#include <vector>

#include "eider/auth/jwt/jws.h"
#include "eider/core/base/base64.h"
#include "eider/io/tls/openssl.h"

namespace eider {
namespace {

/// A key and data that it signed, from the RFCs.
struct Vector {
  const char* what;
  const char* jwk;
  JwtAlgorithm fallback;
  const char* token;
};

const std::vector<Vector> kVectors{
    {"RFC 7515, appendix A.1 (HS256)",
     R"({"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH)"
     R"(75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"})",
     JwtAlgorithm::hs256,
     "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
     "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlf"
     "Q.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"},
    {"RFC 7515, appendix A.3 (ES256)",
     R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
     R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})",
     JwtAlgorithm::es256,
     "eyJhbGciOiJFUzI1NiJ9."
     "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlf"
     "Q.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"},
    {"RFC 8037, appendix A.4 (EdDSA)",
     R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})",
     JwtAlgorithm::eddsa,
     "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
     "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"},
    {"RFC 7515, appendix A.2 (RS256)",
     R"({"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Va)"
     R"(w-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGz)"
     R"(jb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY)"
     R"(4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PA)"
     R"(cDTW9gb54h4FRWyuXpoQ","e":"AQAB"})",
     JwtAlgorithm::rs256,
     "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlL"
     "mNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7"
     "AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWz"
     "O75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZES"
     "c6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlU"
     "PQGe77Rw"},
    {"RFC 7520, section 4.2 (PS384)",
     R"({"kty":"RSA","n":"n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNh)"
     R"(xJWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHH)"
     R"(ig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8l)"
     R"(hzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkR)"
     R"(z5iaiQkqgc5gHdrNP5zw","e":"AQAB"})",
     JwtAlgorithm::ps384,
     "eyJhbGciOiJQUzM4NCIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.SXTigJlzIGEgZGFuZ"
     "2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCw"
     "gYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ"
     "2h0IGJlIHN3ZXB0IG9mZiB0by4.cu22eBqkYDKgIlTpzDXGvaFfz6WGoz7fUDcfT0kkOy42miAh2qyBzk1xEsnk2Ip"
     "N6-tPid6VrklHkqsGqDqHCdP6O8TTB5dDDItllVo6_1OLPpcbUrhiUSMxbbXUvdvWXzg-UD8biiReQFlfz28zGWVsd"
     "iNAUf8ZnyPEgVFn442ZdNqiVJRmBqrYRXe8P_ijQ7p8Vdz0TTrxUeT3lm8d9shnr2lfJT8ImUjvAA2Xez2Mlp8cBE5"
     "awDzT0qI0n6uiP1aCN_2_jLAeQTlqRHtfa64QQSUmFAAjVKPbByi7xho0uTOcbH510a6GYmJUAfmWjwZ6oD4ifKo8D"
     "YM-X72Eaw"},
    {"RFC 7520, section 4.3 (ES512)",
     R"({"kty":"EC","crv":"P-521","x":"AHKZLLOsCOzz5cY97ewNUajB957y-C-U88c3v13nmGZx6sYl_oJXu9)"
     R"(A5RkTKqjqvjyekWF-7ytDyRXYgCF5cj0Kt","y":"AdymlHvOiLxXkEhayXQnNCvDX4h9htZaCJN34kfmC6pV)"
     R"(5OhQHiraVySsUdaQkAgDPrwQrJmbnX9cwlGfP-HqHZR1"})",
     JwtAlgorithm::es512,
     "eyJhbGciOiJFUzUxMiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.SXTigJlzIGEgZGFuZ"
     "2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCw"
     "gYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ"
     "2h0IGJlIHN3ZXB0IG9mZiB0by4.AE_R_YZCChjn4791jSQCrdPZCNYqHXCTZH0-JZGYNlaAjP2kqaluUIIUnC9qvbu"
     "9Plon7KRTzoNEuT4Va2cmL1eJAQy3mtPBu_u_sDDyYjnAMDxXPn7XrT0lw-kvAD890jl8e2puQens_IEKBpHABlsbE"
     "PX6sFY8OcGDqoRuBomu9xQ2"},
};

TEST(JwtKey, signatures_of_the_rfcs_are_good) {
  for (const Vector& vector : kVectors) {
    const auto key = JwtKey::from_jwk(vector.jwk, vector.fallback);
    ASSERT_TRUE(key.has_value()) << vector.what << key.error().cause();
    const auto jws = detail::jwt::parse_jws(vector.token, 8192);
    ASSERT_TRUE(jws.has_value()) << vector.what;
    EXPECT_EQ(jws->algorithm, key->algorithm());
    EXPECT_TRUE(key->verify(jws->signed_part, jws->signature)) << vector.what;
    EXPECT_FALSE(key->verify(jws->signed_part.substr(1), jws->signature)) << vector.what;
  }
}

TEST(JwtKey, what_is_deterministic_is_signed_as_in_the_rfcs) {
  const auto ed = JwtKey::from_jwk(
      R"({"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",)"
      R"("x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})");
  ASSERT_TRUE(ed.has_value()) << ed.error().cause();
  EXPECT_TRUE(ed->can_sign());
  for (const Vector& vector : {kVectors[0], kVectors[2]}) {
    const auto key = vector.fallback == JwtAlgorithm::eddsa
                         ? *ed
                         : JwtKey::from_jwk(vector.jwk, vector.fallback).value();
    const auto jws = detail::jwt::parse_jws(vector.token, 8192);
    EXPECT_EQ(key.sign(jws->signed_part), jws->signature) << vector.what;
  }
}

TEST(JwtKey, secrets_are_as_long_as_the_hash) {
  for (const auto& [algorithm, bytes] :
       {std::pair{JwtAlgorithm::hs256, 32}, {JwtAlgorithm::hs384, 48}, {JwtAlgorithm::hs512, 64}}) {
    const auto size = static_cast<std::size_t>(bytes);
    EXPECT_TRUE(JwtKey::from_secret(algorithm, std::string(size, 'k')).has_value());
    EXPECT_FALSE(JwtKey::from_secret(algorithm, std::string(size - 1, 'k')).has_value());
    EXPECT_FALSE(JwtKey::from_secret(algorithm, std::string(1025, 'k')).has_value());
    EXPECT_FALSE(JwtKey::from_secret(algorithm, "").has_value());
    EXPECT_FALSE(JwtKey::from_pem(algorithm, std::string(size, 'k')).has_value());
  }
  for (const JwtAlgorithm other : {JwtAlgorithm::rs256, JwtAlgorithm::es256, JwtAlgorithm::eddsa}) {
    EXPECT_FALSE(JwtKey::from_secret(other, std::string(64, 'k')).has_value());
  }
}

TEST(JwtKey, public_parts_are_written_and_read_again) {
  for (const JwtAlgorithm algorithm :
       {JwtAlgorithm::rs256, JwtAlgorithm::ps512, JwtAlgorithm::es256, JwtAlgorithm::es384,
        JwtAlgorithm::es512, JwtAlgorithm::eddsa}) {
    const JwtKey key = JwtKey::generate(algorithm, "one");
    const json::Value jwk = key.to_public_jwk();
    EXPECT_EQ(jwk.find("d"), nullptr);
    EXPECT_EQ(jwk.find("p"), nullptr);
    const auto read = JwtKey::from_jwk(json::to_text(jwk));
    ASSERT_TRUE(read.has_value()) << to_text(algorithm) << read.error().cause();
    EXPECT_EQ(read->algorithm(), algorithm);
    EXPECT_EQ(read->id(), "one");
    EXPECT_FALSE(read->can_sign());
    EXPECT_TRUE(read->verify("text", key.sign("text")));
  }
}

TEST(JwtKey, a_set_has_no_secrets_and_is_read_again) {
  const std::vector<JwtKey> keys{JwtKey::generate(JwtAlgorithm::es256, "one"),
                                 JwtKey::generate(JwtAlgorithm::hs256, "two"),
                                 JwtKey::generate(JwtAlgorithm::eddsa, "three")};
  const json::Value set = to_jwks(keys);
  EXPECT_EQ(set["keys"].size(), 2U);
  const auto read = parse_jwks(json::to_text(set), JwtAlgorithm::rs256);
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[1].id(), "three");
}

json::Value changed(json::Value jwk, std::string_view name, json::Value to) {
  jwk[name] = std::move(to);
  return jwk;
}

TEST(JwtKey, keys_for_something_else_are_passed_over) {
  const json::Value ec = JwtKey::generate(JwtAlgorithm::es256, "ec").to_public_jwk();
  const json::Value rsa = JwtKey::generate(JwtAlgorithm::rs256, "rsa").to_public_jwk();
  const json::Value oct =
      json::object({{"kty", "oct"}, {"alg", "HS256"}, {"k", to_base64url(std::string(32, 'k'))}});
  EXPECT_TRUE(JwtKey::from_jwk_value(ec).has_value());
  EXPECT_TRUE(JwtKey::from_jwk_value(rsa).has_value());
  for (const char* const name : {"use", "kid", "key_ops"}) {
    EXPECT_TRUE(JwtKey::from_jwk_value(changed(ec, name, nullptr)).has_value()) << name;
  }
  const std::vector<json::Value> others{
      oct,
      changed(ec, "use", "enc"),
      changed(ec, "use", 7),
      changed(ec, "kid", 7),
      changed(ec, "key_ops", json::array({"encrypt"})),
      changed(ec, "key_ops", "verify"),
      changed(ec, "alg", "ES384"),
      changed(ec, "alg", "RS256"),
      changed(ec, "alg", "HS256"),
      changed(ec, "alg", "none"),
      changed(ec, "alg", 256),
      changed(ec, "kty", "RSA"),
      changed(ec, "kty", "OKP"),
      changed(ec, "crv", "P-384"),
      changed(ec, "crv", "secp256k1"),
      changed(ec, "x", ec["y"]),
      changed(ec, "x", to_base64url(std::string(32, '\0'))),
      changed(ec, "x", to_base64url(std::string(33, '\1'))),
      changed(ec, "x", ec["x"].text() + "="),
      changed(ec, "x", 7),
      changed(ec, "kid", 7),
      changed(ec, "kid", std::string(300, 'k')),
      changed(rsa, "alg", "ES256"),
      changed(rsa, "alg", "RSA-OAEP"),
      changed(rsa, "kty", "EC"),
      changed(rsa, "n", ""),
      changed(rsa, "n", to_base64url("\x01" + std::string(127, '\1'))),   // 1017 bits
      changed(rsa, "n", to_base64url("\xFF" + std::string(1279, '\1'))),  // 10240 bits
      changed(rsa, "e", to_base64url(std::string(1, '\1'))),
      changed(rsa, "e", to_base64url(std::string(1, '\4'))),
      changed(rsa, "e", to_base64url(std::string(9, '\1'))),
      json::Value(7),
      json::object({}),
  };
  json::Value list = json::array({ec});
  for (const json::Value& other : others) {
    const auto key = JwtKey::from_jwk_value(other);
    EXPECT_FALSE(key.has_value() && key->is_public_kind()) << json::to_text(other);
    list.push_back(other);
  }
  list.push_back(rsa);
  const auto set = parse_jwks(json::to_text(json::object({{"keys", list}})), JwtAlgorithm::rs256);
  ASSERT_TRUE(set.has_value());
  ASSERT_EQ(set->size(), 2U);
  EXPECT_EQ((*set)[0].id(), "ec");
  EXPECT_EQ((*set)[1].id(), "rsa");
}

TEST(JwtKey, points_of_small_order_are_refused) {
  for (const char* const x : {"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                              "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA",
                              "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU"}) {
    const std::string jwk = R"({"kty":"OKP","crv":"Ed25519","x":")" + std::string(x) + "\"}";
    EXPECT_FALSE(JwtKey::from_jwk(jwk)) << x;
  }
}

TEST(JwtKey, rsa_that_does_not_say_its_algorithm_is_what_the_application_says) {
  json::Value rsa = JwtKey::generate(JwtAlgorithm::ps256, "rsa").to_public_jwk();
  std::erase_if(rsa.members(), [](const json::Field& field) { return field.name == "alg"; });
  EXPECT_FALSE(JwtKey::from_jwk_value(rsa).has_value());
  EXPECT_EQ(JwtKey::from_jwk_value(rsa, JwtAlgorithm::ps256)->algorithm(), JwtAlgorithm::ps256);
  EXPECT_FALSE(JwtKey::from_jwk_value(rsa, JwtAlgorithm::hs256).has_value())
      << "a secret by no means";
}

TEST(JwtKey, sets_that_are_none_are_refused) {
  for (const char* text : {"", "{}", "[]", R"({"keys":{}})", R"({"keys":null})", R"({"keys":[])",
                           R"({"keys":[],"keys":[]})", "<html>", "null"}) {
    EXPECT_FALSE(parse_jwks(text, JwtAlgorithm::rs256).has_value()) << text;
  }
  EXPECT_TRUE(parse_jwks(R"({"keys":[]})", JwtAlgorithm::rs256)->empty());
  const json::Value one = JwtKey::generate(JwtAlgorithm::eddsa).to_public_jwk();
  const std::string three = json::to_text(json::object({{"keys", json::array({one, one, one})}}));
  EXPECT_EQ(parse_jwks(three, JwtAlgorithm::rs256, 2)->size(), 2U);
}

TEST(JwtKey, a_set_whose_keys_bring_certificates_along_is_read) {
  json::Value list = json::array({});
  json::Value key = JwtKey::generate(JwtAlgorithm::eddsa).to_public_jwk();
  key["x5c"] = json::array({});
  for (int index = 0; index < 50; ++index) {
    key["x5c"].push_back("MIIC");
  }
  for (int index = 0; index < 200; ++index) {
    list.push_back(key);
  }
  const std::string set = json::to_text(json::object({{"keys", std::move(list)}}));
  EXPECT_EQ(parse_jwks(set, JwtAlgorithm::rs256, 64)->size(), 64U);
  std::string ones = "[1";
  for (int index = 0; index < 70'000; ++index) {
    ones += ",1";
  }
  EXPECT_FALSE(parse_jwks("{\"keys\":" + ones + "]}", JwtAlgorithm::rs256).has_value())
      << "not without end";
}

/// PKCS #8 and SubjectPublicKeyInfo of a new key, as `openssl genpkey` and `openssl pkey -pubout`
/// write them.
struct Pem {
  std::string own;
  std::string known;
};

Pem make_pem(EVP_PKEY* made) {
  const detail::tls::KeyPtr key(made);
  const auto text_of = [&](auto write) {
    const detail::tls::BioPtr bio(BIO_new(BIO_s_mem()));
    write(bio.get());
    char* at = nullptr;
    const auto size = static_cast<std::size_t>(BIO_get_mem_data(bio.get(), &at));
    return std::string(at, size);
  };
  return {text_of([&](BIO* bio) {
            PEM_write_bio_PKCS8PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          }),
          text_of([&](BIO* bio) { PEM_write_bio_PUBKEY(bio, key.get()); })};
}

TEST(JwtKey, pem_of_both_parts_is_read_for_its_algorithm_alone) {
  const Pem pem = make_pem(EVP_EC_gen("prime256v1"));
  const auto own = JwtKey::from_pem(JwtAlgorithm::es256, pem.own, "one");
  const auto known = JwtKey::from_pem(JwtAlgorithm::es256, pem.known, "one");
  ASSERT_TRUE(own.has_value()) << own.error().cause();
  ASSERT_TRUE(known.has_value()) << known.error().cause();
  EXPECT_TRUE(own->can_sign());
  EXPECT_FALSE(known->can_sign());
  EXPECT_TRUE(known->verify("text", own->sign("text")));
  EXPECT_FALSE(known->verify("Text", own->sign("text")));
  for (const JwtAlgorithm other : {JwtAlgorithm::rs256, JwtAlgorithm::ps256, JwtAlgorithm::es384,
                                   JwtAlgorithm::eddsa, JwtAlgorithm::hs256}) {
    EXPECT_FALSE(JwtKey::from_pem(other, pem.own).has_value()) << to_text(other);
    EXPECT_FALSE(JwtKey::from_pem(other, pem.known).has_value()) << to_text(other);
  }
}

TEST(JwtKey, pem_that_is_cut_anywhere_is_refused) {
  const Pem pem = make_pem(EVP_EC_gen("prime256v1"));
  for (const std::string& text : {pem.own, pem.known}) {
    for (std::size_t size = 0; size + 2 < text.size(); ++size) {
      EXPECT_FALSE(JwtKey::from_pem(JwtAlgorithm::es256, text.substr(0, size)).has_value()) << size;
    }
  }
}

TEST(JwtKey, weak_and_foreign_pem_is_refused) {
  EXPECT_TRUE(JwtKey::from_pem(JwtAlgorithm::ps256, make_pem(EVP_RSA_gen(2048)).own).has_value());
  for (const std::string& text :
       {make_pem(EVP_RSA_gen(1024)).own, make_pem(EVP_RSA_gen(2047)).known,
        make_pem(EVP_EC_gen("secp256k1")).own, make_pem(EVP_EC_gen("secp384r1")).known,
        make_pem(EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519")).own}) {
    for (const JwtAlgorithm algorithm :
         {JwtAlgorithm::rs256, JwtAlgorithm::ps256, JwtAlgorithm::es256, JwtAlgorithm::eddsa}) {
      EXPECT_FALSE(JwtKey::from_pem(algorithm, text).has_value()) << to_text(algorithm);
    }
  }
}

}  // namespace
}  // namespace eider
