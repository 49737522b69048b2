#include "eider/io/tls/sealed_text.h"

#include <openssl/evp.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/signed_token.h"
#include "eider/io/tls/openssl.h"

namespace eider::detail::tls {

namespace {

constexpr std::size_t kSealedBytesMax = std::size_t{16} << 10U;
constexpr std::size_t kSaltBytes = 32;
constexpr std::size_t kTagBytes = 16;

using CipherPtr = std::unique_ptr<EVP_CIPHER_CTX, Freer<&EVP_CIPHER_CTX_free>>;

/// AES-256-GCM with a key that is used only once, so that its nonce may be all zeros.
CipherPtr new_cipher(std::string_view key, int is_encrypting) {
  constexpr unsigned char kNonce[12] = {};
  CipherPtr cipher(EVP_CIPHER_CTX_new());
  ensure_memory(cipher.get());
  if (EVP_CipherInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, octets(key), kNonce,
                        is_encrypting) != 1) {
    throw Failure(Error::internal("AES-256-GCM: " + take_openssl_error()));
  }
  return cipher;
}

/// The tag follows the text.
std::string encrypted(std::string_view key, std::string_view plain) {
  const CipherPtr cipher = new_cipher(key, 1);
  std::string bytes(plain.size() + kTagBytes, '\0');
  int size = 0;
  const bool is_done =
      EVP_EncryptUpdate(cipher.get(), octets(bytes), &size, octets(plain),
                        static_cast<int>(plain.size())) == 1 &&
      EVP_EncryptFinal_ex(cipher.get(), octets(bytes) + size, &size) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(kTagBytes),
                          octets(bytes) + plain.size()) == 1;
  if (!is_done) {
    throw Failure(Error::internal("AES-256-GCM: " + take_openssl_error()));
  }
  return bytes;
}

/// Returns nothing if the text was not encrypted with that key. Pre: kTagBytes or more.
std::optional<std::string> decrypted(std::string_view key, std::string_view bytes) {
  const CipherPtr cipher = new_cipher(key, 0);
  std::string tag(bytes.substr(bytes.size() - kTagBytes));
  bytes.remove_suffix(kTagBytes);
  std::string plain(bytes.size() + kTagBytes, '\0');
  int size = 0;
  const bool is_done = EVP_DecryptUpdate(cipher.get(), octets(plain), &size, octets(bytes),
                                         static_cast<int>(bytes.size())) == 1 &&
                       EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG,
                                           static_cast<int>(kTagBytes), octets(tag)) == 1 &&
                       EVP_DecryptFinal_ex(cipher.get(), octets(plain) + size, &size) == 1;
  forget_openssl_errors();
  plain.resize(bytes.size());
  return is_done ? std::optional(std::move(plain)) : std::nullopt;
}

}  // namespace

SealedText::SealedText(std::string_view owner, std::string purpose, std::vector<std::string> keys)
    : purpose_(std::move(purpose)), keys_(base::checked_keys(owner, std::move(keys))) {}

std::string SealedText::key_of(std::string_view key, std::string_view salt) const {
  return std::string(to_view(hmac_sha256(key, std::string(purpose_).append("\n").append(salt))));
}

std::string SealedText::seal(std::string_view plain) const {
  std::string salt = secret_bytes(kSaltBytes);
  const std::string sealed = encrypted(key_of(keys_.front(), salt), plain);
  return to_base64url(salt + sealed);
}

std::optional<std::string> SealedText::open(std::string_view text) const {
  const auto bytes = text.size() > kSealedBytesMax ? std::nullopt : from_base64url(text);
  if (!bytes || bytes->size() < kSaltBytes + kTagBytes) {
    return std::nullopt;
  }
  const std::string_view salt = std::string_view(*bytes).substr(0, kSaltBytes);
  std::optional<std::string> plain;
  for (std::size_t index = 0; !plain && index < keys_.size(); ++index) {
    plain = decrypted(key_of(keys_[index], salt), std::string_view(*bytes).substr(kSaltBytes));
  }
  return plain;
}

}  // namespace eider::detail::tls
