#include "eider/auth/passkeys/authenticator_data.h"

#include <openssl/core_names.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "eider/auth/passkeys/cbor.h"
#include "eider/core/base/sha256.h"
#include "eider/core/kinds/uuid.h"
#include "eider/io/tls/key_parts.h"

namespace eider::detail::passkeys {

namespace {

constexpr std::uint8_t kHasCredential = 0x40;
constexpr std::uint8_t kHasExtensions = 0x80;
constexpr std::size_t kAaguidBytes = 16;

std::unexpected<PasskeyError> malformed(const char* text) {
  return fail(PasskeyError{PasskeyFault::malformed, text});
}

/// Reads bytes from the front.
class Front {
 public:
  explicit Front(std::string_view bytes) noexcept : rest_(bytes) {}

  [[nodiscard]] std::optional<std::string_view> take(std::size_t bytes) noexcept {
    if (rest_.size() < bytes) {
      return std::nullopt;
    }
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  /// Reads a big-endian number of at most 4 bytes.
  [[nodiscard]] std::optional<std::uint32_t> number(std::size_t bytes) noexcept {
    const auto taken = take(bytes);
    std::uint32_t value = 0;
    for (const char one : taken.value_or("")) {
      value = value << 8U | static_cast<unsigned char>(one);
    }
    return taken ? std::optional(value) : std::nullopt;
  }
  /// Reads one CBOR item, which must be a map.
  [[nodiscard]] std::optional<std::string_view> map() noexcept {
    CborReader reader(rest_);
    if (reader.peek() != CborReader::Kind::map || !reader.skip()) {
      return std::nullopt;
    }
    return take(rest_.size() - reader.rest().size());
  }
  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::optional<AttestedCredential> read_credential(Front& front) {
  const auto aaguid = front.take(kAaguidBytes);
  const auto size = aaguid ? front.number(2) : std::nullopt;
  if (!size || *size == 0 || *size > kCredentialIdBytesMax) {
    return std::nullopt;
  }
  const auto id = front.take(*size);
  const auto key = id ? front.map() : std::nullopt;
  return key ? std::optional(AttestedCredential{*aaguid, *id, *key}) : std::nullopt;
}

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

Result<AuthenticatorData, PasskeyError> parse_authenticator_data(std::string_view bytes) {
  Front front(bytes);
  const auto hash = front.take(kSha256Bytes);
  const auto flags = hash ? front.number(1) : std::nullopt;
  const auto counter = flags ? front.number(4) : std::nullopt;
  if (!counter) {
    return malformed("its authenticator data is incomplete");
  }
  AuthenticatorData data{
      .relying_party_hash = *hash, .flags = static_cast<std::uint8_t>(*flags), .counter = *counter};
  if ((data.flags & kHasCredential) != 0) {
    data.credential = read_credential(front);
    if (!data.credential) {
      return malformed("its authenticator data contains no readable credential");
    }
  }
  if ((data.flags & kHasExtensions) != 0 && !front.map()) {
    return malformed("its authenticator data contains unreadable extensions");
  }
  if (!front.is_at_end()) {
    return malformed("its authenticator data has data after its end");
  }
  return data;
}

std::string aaguid_text(std::string_view bytes) {
  std::array<std::uint8_t, kAaguidBytes> octets{};
  std::ranges::copy(bytes, octets.begin());
  return std::string(Uuid(octets).text());
}

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
