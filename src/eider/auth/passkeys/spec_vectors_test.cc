// The examples of WebAuthn Level 3, section 16, as a relying party receives them.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/x509.h>

#include "eider/auth/passkeys/relying_party.h"
#include "eider/auth/passkeys/test_authenticator.h"
#include "eider/auth/passkeys/test_spec_vectors.h"
#include "eider/core/base/base64.h"
#include "eider/core/json/json.h"
#include "eider/io/tls/key_parts.h"

namespace eider::detail::passkeys {
namespace {

constexpr std::int64_t kSpecTime = 1'800'000'000;
constexpr std::string_view kSpecBrowser = "browser";

std::string bytes_of(std::string_view digits) {
  std::string bytes;
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(at, 2)), nullptr, 16));
  }
  return bytes;
}

std::string pem_of(std::string_view digits) {
  const std::string text = to_base64(bytes_of(digits));
  std::string pem = "-----BEGIN CERTIFICATE-----\n";
  for (std::size_t at = 0; at < text.size(); at += 64) {
    pem += text.substr(at, 64) + "\n";
  }
  return pem + "-----END CERTIFICATE-----\n";
}

PasskeyOptions spec_options() {
  return {.relying_party_id = "example.org",
          .origins = {"https://example.org"},
          .name = {},
          .top_origins = {},
          .user_verification = UserVerification::preferred,
          .keys = {std::string(32, 'k')}};
}

/// The ticket as if the ceremony had started with the challenge of the example.
std::string ticket_of(CeremonyKind kind, std::string_view challenge) {
  return TicketSeal("example.org", {std::string(32, 'k')})
      .seal({.kind = kind,
             .challenge = to_base64url(bytes_of(challenge)),
             .ends = kSpecTime + 60,
             .browser = digest_of(kSpecBrowser),
             .user = {"ann", "ann"},
             .handle = "aGFuZGxl"});
}

std::string finishing(const std::string& id, json::Value response, std::string ticket) {
  return json::to_text(json::object(
      {{"credential",
        json::object({{"id", id}, {"rawId", id}, {"type", "public-key"}, {"response", response}})},
       {"ticket", std::move(ticket)}}));
}

std::string coded(std::string_view digits) {
  return to_base64url(bytes_of(digits));
}

Result<PasskeyRegistration, PasskeyError> create(RelyingParty& party, const SpecVector& vector) {
  const std::string object = bytes_of(vector.attestation_object);
  const auto parsed = parse_attestation_object(object);
  const auto data = parse_authenticator_data(parsed.value().data);
  return party.finish_registration(
      finishing(to_base64url(data.value().credential.value().id),
                json::object({{"clientDataJSON", coded(vector.create_client_data)},
                              {"attestationObject", to_base64url(object)}}),
                ticket_of(CeremonyKind::registration, vector.create_challenge)),
      kSpecBrowser, kSpecTime);
}

Result<PasskeyLogin, PasskeyError> get(RelyingParty& party, const SpecVector& vector,
                                       const Passkey& passkey) {
  const auto opened = party.open_login(
      finishing(passkey.id,
                json::object({{"clientDataJSON", coded(vector.get_client_data)},
                              {"authenticatorData", coded(vector.authenticator_data)},
                              {"signature", coded(vector.signature)}}),
                ticket_of(CeremonyKind::login, vector.get_challenge)),
      kSpecBrowser, kSpecTime);
  return party.finish_login(opened.value(), passkey, kSpecTime);
}

TEST(SpecVectors, are_registered_and_log_in) {
  for (const SpecVector* vector : {&kNoneEs256, &kSelfEs256, &kLongId, &kPackedEs256, &kPackedRs256,
                                   &kPackedEddsa, &kFidoU2f}) {
    RelyingParty party(spec_options());
    const auto made = create(party, *vector);
    ASSERT_TRUE(made) << vector->name << ": " << made.error().text;
    EXPECT_EQ(made->passkey.attestation, vector == &kSelfEs256 ? "self" : "none") << vector->name;
    const auto login = get(party, *vector, made->passkey);
    EXPECT_TRUE(login) << vector->name << ": " << login.error().text;
  }
}

TEST(SpecVectors, are_certified_below_their_root) {
  PasskeyOptions options = spec_options();
  options.attestation_roots = pem_of(kSpecRoot);
  for (const SpecVector* vector : {&kPackedEs256, &kPackedRs256, &kPackedEddsa}) {
    RelyingParty party(options);
    const auto made = create(party, *vector);
    ASSERT_TRUE(made) << vector->name << ": " << made.error().text;
    EXPECT_EQ(made->passkey.attestation, "certified");
  }
  for (const SpecVector* vector : {&kNoneEs256, &kSelfEs256, &kFidoU2f}) {
    RelyingParty party(options);
    const auto made = create(party, *vector);
    ASSERT_FALSE(made) << vector->name;
    EXPECT_EQ(made.error().fault, PasskeyFault::bad_attestation) << vector->name;
  }
}

/// A certificate with a key whose signature checks are some hundred times slower than usual.
std::string slow_certificate() {
  tls::KeyParts parts;
  EXPECT_TRUE(parts.add_number(OSSL_PKEY_PARAM_RSA_N, std::string(1024, '\xFF')));
  EXPECT_TRUE(parts.add_number(OSSL_PKEY_PARAM_RSA_E, std::string(1024, '\x7F')));
  const tls::KeyPtr slow = parts.make("RSA", EVP_PKEY_PUBLIC_KEY);
  const tls::KeyPtr signer(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  const tls::CertificatePtr certificate(X509_new());
  X509_set_pubkey(certificate.get(), slow.get());
  X509_sign(certificate.get(), signer.get(), EVP_sha256());
  unsigned char* der = nullptr;
  const int size = i2d_X509(certificate.get(), &der);
  const std::string bytes(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return bytes;
}

TEST(SpecVectors, are_refused_with_a_certificate_that_is_slow_to_check_by) {
  std::string object = bytes_of(kPackedEs256.attestation_object);
  const std::size_t list = object.find(cbor_text("x5c")) + 4;
  ASSERT_EQ(object[list], '\x81') << "an array of one, which is no part of what is signed";
  object[list] = '\x82';
  const auto size_at = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(object[at]));
  };
  const std::size_t behind = list + 4 + size_at(list + 2) * 256 + size_at(list + 3);
  object.insert(behind, cbor_bytes(slow_certificate()));
  SpecVector changed = kPackedEs256;
  std::string hex;
  for (const char one : object) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[static_cast<unsigned char>(one) >> 4U];
    hex += kDigits[static_cast<unsigned char>(one) & 0x0FU];
  }
  changed.attestation_object = hex;
  RelyingParty party(spec_options());
  const auto made = create(party, changed);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text, "its packed attestation cannot be read");
}

TEST(SpecVectors, of_frames_are_for_those_that_name_the_page_around) {
  for (const SpecVector* vector : {&kCrossOrigin, &kTopOrigin}) {
    RelyingParty party(spec_options());
    const auto made = create(party, *vector);
    ASSERT_FALSE(made) << vector->name;
    EXPECT_EQ(made.error().fault, PasskeyFault::cross_origin);
  }
  PasskeyOptions options = spec_options();
  options.top_origins = {"https://example.com"};
  RelyingParty party(options);
  const auto made = create(party, kTopOrigin);
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_TRUE(get(party, kTopOrigin, made->passkey));
}

TEST(SpecVectors, of_other_algorithms_are_refused) {
  RelyingParty party(spec_options());
  const auto made = create(party, kPackedEs384);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().fault, PasskeyFault::bad_key);
}

TEST(SpecVectors, are_refused_with_any_bit_of_what_is_signed_changed) {
  RelyingParty party(spec_options());
  const Passkey passkey = create(party, kNoneEs256)->passkey;
  SpecVector changed = kNoneEs256;
  std::string data(kNoneEs256.authenticator_data);
  for (std::size_t at = 0; at < data.size(); ++at) {
    const char before = data[at];
    data[at] = before == '0' ? '1' : '0';
    changed.authenticator_data = data;
    EXPECT_FALSE(get(party, changed, passkey)) << at;
    data[at] = before;
  }
  changed.authenticator_data = kNoneEs256.authenticator_data;
  changed.get_client_data = kSelfEs256.get_client_data;
  EXPECT_FALSE(get(party, changed, passkey));
  EXPECT_TRUE(get(party, kNoneEs256, passkey));
}

}  // namespace
}  // namespace eider::detail::passkeys
