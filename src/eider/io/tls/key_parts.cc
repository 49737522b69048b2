#include "eider/io/tls/key_parts.h"

#include <openssl/core_names.h>

#include <algorithm>
#include <array>
#include <utility>

namespace eider::detail::tls {

namespace {

using ContextPtr = std::unique_ptr<EVP_PKEY_CTX, Freer<&EVP_PKEY_CTX_free>>;
using NumberPtr = std::unique_ptr<BIGNUM, Freer<&BN_free>>;

constexpr int kRsaBitsMin = 2048;
constexpr int kExponentBitsMax = 32;

/// Returns whether y, without the sign bit, is 0, 1 or -1, which are the y-coordinates of the
/// points of order 1, 2 and 4, or not below 2^255 - 19, which is a non-canonical encoding.
bool is_extreme(std::string_view y) noexcept {
  const auto front = static_cast<unsigned char>(y.front());
  const auto middle = y.substr(1, kEd25519Bytes - 2);
  const bool is_low = y.back() == '\0' && front <= 1 &&
                      std::ranges::all_of(middle, [](char one) { return one == '\0'; });
  const bool is_high = y.back() == '\x7F' && front >= 0xEC &&
                       std::ranges::all_of(middle, [](char one) { return one == '\xFF'; });
  return is_low || is_high;
}

/// The y-coordinates of the points of order 8: the roots of d y^4 + 2 y^2 = 1, little-endian.
constexpr std::array<std::string_view, 2> kOrderEight{
    std::string_view("\x26\xE8\x95\x8F\xC2\xB2\x27\xB0\x45\xC3\xF4\x89\xF2\xEF\x98\xF0"
                     "\xD5\xDF\xAC\x05\xD3\xC6\x33\x39\xB1\x38\x02\x88\x6D\x53\xFC\x05",
                     kEd25519Bytes),
    std::string_view("\xC7\x17\x6A\x70\x3D\x4D\xD8\x4F\xBA\x3C\x0B\x76\x0D\x10\x67\x0F"
                     "\x2A\x20\x53\xFA\x2C\x39\xCC\xC6\x4E\xC7\xFD\x77\x92\xAC\x03\x7A",
                     kEd25519Bytes)};

}  // namespace

KeyParts::KeyParts() : builder_(OSSL_PARAM_BLD_new()) {
  ensure_memory(builder_.get());
}

bool KeyParts::add_number(const char* parameter, std::string_view bytes) {
  if (bytes.empty() || bytes.size() > kRsaBitsMax / 8) {
    return false;
  }
  numbers_.emplace_back(BN_bin2bn(octets(bytes), static_cast<int>(bytes.size()), nullptr));
  ensure_memory(numbers_.back().get());
  return OSSL_PARAM_BLD_push_BN(builder_.get(), parameter, numbers_.back().get()) == 1;
}

void KeyParts::add_text(const char* parameter, const char* text) {
  OSSL_PARAM_BLD_push_utf8_string(builder_.get(), parameter, text, 0);
}

void KeyParts::add_bytes(const char* parameter, std::string bytes) {
  const std::string& kept = bytes_.emplace_back(std::move(bytes));
  OSSL_PARAM_BLD_push_octet_string(builder_.get(), parameter, kept.data(), kept.size());
}

void KeyParts::add_point(const char* group, std::string_view x, std::string_view y) {
  add_text(OSSL_PKEY_PARAM_GROUP_NAME, group);
  add_bytes(OSSL_PKEY_PARAM_PUB_KEY, std::string("\x04").append(x).append(y));
}

KeyPtr KeyParts::make(const char* kind, int selection) {
  const std::unique_ptr<OSSL_PARAM, Freer<&OSSL_PARAM_free>> parameters(
      OSSL_PARAM_BLD_to_param(builder_.get()));
  const ContextPtr context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
  EVP_PKEY* made = nullptr;
  if (parameters == nullptr || context == nullptr || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &made, selection, parameters.get()) != 1) {
    return nullptr;
  }
  return KeyPtr(made);
}

KeyPtr ed25519_of(std::string_view bytes) {
  return KeyPtr(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, octets(bytes), bytes.size()));
}

std::string fault_of_rsa(EVP_PKEY* key) {
  const int bits = EVP_PKEY_get_bits(key);
  if (!EVP_PKEY_is_a(key, "RSA") || bits < kRsaBitsMin || bits > kRsaBitsMax) {
    return "the key is not an RSA key of 2048 to 8192 bits";
  }
  BIGNUM* read = nullptr;
  EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &read);
  const NumberPtr exponent(read);
  if (exponent == nullptr || BN_num_bits(exponent.get()) > kExponentBitsMax ||
      BN_num_bits(exponent.get()) < 2 || BN_is_odd(exponent.get()) == 0) {
    return "the exponent of the key is not supported";
  }
  return "";
}

std::string fault_of_ec(EVP_PKEY* key, std::string_view group) {
  std::array<char, 32> its_group{};
  if (!EVP_PKEY_is_a(key, "EC") ||
      EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, its_group.data(),
                                     its_group.size(), nullptr) != 1 ||
      std::string_view(its_group.data()) != group) {
    return "the key is not an EC key on the curve " + std::string(group);
  }
  const ContextPtr context(EVP_PKEY_CTX_new(key, nullptr));
  if (context == nullptr || EVP_PKEY_public_check(context.get()) != 1) {
    return "the point of the key is not on the curve";
  }
  return "";
}

std::string fault_of_ed25519(EVP_PKEY* key) {
  std::string y(kEd25519Bytes, '\0');
  std::size_t size = y.size();
  if (!EVP_PKEY_is_a(key, "ED25519") ||
      EVP_PKEY_get_raw_public_key(key, reinterpret_cast<unsigned char*>(y.data()), &size) != 1) {
    return "the key is not an Ed25519 key";
  }
  y.back() = static_cast<char>(y.back() & 0x7F);  // the sign of the x-coordinate
  const bool is_small = is_extreme(y) || std::ranges::find(kOrderEight, y) != kOrderEight.end();
  return is_small ? "the point of the key has a small order, or a non-canonical encoding" : "";
}

std::string fault_of_key(EVP_PKEY* key) {
  if (key == nullptr) {
    return "the type of the key is not supported";
  }
  if (EVP_PKEY_is_a(key, "RSA")) {
    return fault_of_rsa(key);
  }
  if (!EVP_PKEY_is_a(key, "EC")) {
    return fault_of_ed25519(key);
  }
  std::string fault;
  for (const char* const group : {"prime256v1", "secp384r1", "secp521r1"}) {
    fault = fault_of_ec(key, group);
    if (fault.empty()) {
      break;
    }
  }
  return fault;
}

}  // namespace eider::detail::tls
