#include "eider/auth/passkeys/cose_key.h"

#include <openssl/core_names.h>

#include <optional>
#include <string>

#include "eider/auth/passkeys/cbor.h"
#include "eider/io/tls/key_parts.h"

namespace eider::detail::passkeys {

namespace {

using DigestContextPtr = std::unique_ptr<EVP_MD_CTX, tls::Freer<&EVP_MD_CTX_free>>;

// Labels of members, and their values (RFC 9052, section 7.1; RFC 9053, section 7; RFC 8230).
constexpr std::int64_t kKeyType = 1;
constexpr std::int64_t kAlgorithm = 3;
constexpr std::int64_t kOkp = 1;
constexpr std::int64_t kEc2 = 2;
constexpr std::int64_t kRsa = 3;
constexpr std::int64_t kP256 = 1;
constexpr std::int64_t kEd25519 = 6;

constexpr std::size_t kCoordinateBytes = 32;

std::unexpected<PasskeyError> bad_key(const char* text) {
  return fail(PasskeyError{PasskeyFault::bad_key, text});
}

bool has_label(CborReader& reader, std::int64_t label) {
  return reader.integer() == label;
}

bool has_member(CborReader& reader, std::int64_t label, std::int64_t value) {
  return has_label(reader, label) && reader.integer() == value;
}

/// Reads the bytes of the member with that label.
std::optional<std::string_view> bytes_member(CborReader& reader, std::int64_t label) {
  return has_label(reader, label) ? reader.bytes() : std::nullopt;
}

/// Reads the rest of a map of five members: the curve, and both coordinates. Compressed points (one
/// coordinate and a sign) are not allowed (section 5.8.5).
tls::KeyPtr read_p256(CborReader& reader) {
  const bool is_p256 = has_member(reader, -1, kP256);
  const auto x = is_p256 ? bytes_member(reader, -2) : std::nullopt;
  const auto y = x ? bytes_member(reader, -3) : std::nullopt;
  if (!y || x->size() != kCoordinateBytes || y->size() != kCoordinateBytes) {
    return nullptr;
  }
  tls::KeyParts parts;
  parts.add_point("prime256v1", *x, *y);
  return parts.make("EC", EVP_PKEY_PUBLIC_KEY);
}

tls::KeyPtr read_ed25519(CborReader& reader) {
  const bool is_ed25519 = has_member(reader, -1, kEd25519);
  const auto x = is_ed25519 ? bytes_member(reader, -2) : std::nullopt;
  return x ? tls::ed25519_of(*x) : nullptr;
}

tls::KeyPtr read_rsa(CborReader& reader) {
  const auto modulus = bytes_member(reader, -1);
  const auto exponent = modulus ? bytes_member(reader, -2) : std::nullopt;
  tls::KeyParts parts;
  // Leading zeros are not allowed (RFC 8230, section 4).
  if (!exponent || modulus->starts_with('\0') || exponent->starts_with('\0') ||
      !parts.add_number(OSSL_PKEY_PARAM_RSA_N, *modulus) ||
      !parts.add_number(OSSL_PKEY_PARAM_RSA_E, *exponent)) {
    return nullptr;
  }
  return parts.make("RSA", EVP_PKEY_PUBLIC_KEY);
}

/// Requirements for one type of key.
struct KindOfKey {
  std::int64_t type;
  CoseAlgorithm algorithm;
  std::size_t members;
  tls::KeyPtr (*read)(CborReader& reader);
};

constexpr KindOfKey kKinds[] = {{kEc2, CoseAlgorithm::es256, 5, &read_p256},
                                {kOkp, CoseAlgorithm::eddsa, 4, &read_ed25519},
                                {kRsa, CoseAlgorithm::rs256, 4, &read_rsa}};

}  // namespace

Result<CoseKey, PasskeyError> parse_cose_key(std::string_view bytes) {
  CborReader reader(bytes);
  const auto members = reader.map();
  // The canonical order is 1, 3, -1, -2, -3 for all of them.
  const auto type = members && has_label(reader, kKeyType) ? reader.integer() : std::nullopt;
  const auto algorithm = type && has_label(reader, kAlgorithm) ? reader.integer() : std::nullopt;
  if (!algorithm) {
    return bad_key("its key is not a COSE_Key with an algorithm");
  }
  for (const KindOfKey& kind : kKinds) {
    if (static_cast<std::int64_t>(kind.algorithm) != *algorithm) {
      continue;
    }
    if (kind.type != *type || kind.members != *members) {
      return bad_key("its key has members that do not match its algorithm");
    }
    tls::KeyPtr key = kind.read(reader);
    const bool is_good = key != nullptr && tls::fault_of_key(key.get()).empty();
    tls::forget_openssl_errors();
    if (!is_good || !reader.is_at_end()) {
      return bad_key("its key does not match its algorithm");
    }
    return CoseKey{kind.algorithm, std::move(key)};
  }
  return bad_key("its algorithm is not supported");
}

bool verify_signature(CoseAlgorithm algorithm, EVP_PKEY* key, std::string_view bytes,
                      std::string_view signature) {
  const char* const hash = algorithm == CoseAlgorithm::eddsa ? nullptr : "SHA256";
  const DigestContextPtr context(EVP_MD_CTX_new());
  tls::ensure_memory(context.get());
  const bool is_good =
      EVP_DigestVerifyInit_ex(context.get(), nullptr, hash, nullptr, nullptr, key, nullptr) == 1 &&
      EVP_DigestVerify(context.get(), tls::octets(signature), signature.size(), tls::octets(bytes),
                       bytes.size()) == 1;
  tls::forget_openssl_errors();
  return is_good;
}

}  // namespace eider::detail::passkeys
