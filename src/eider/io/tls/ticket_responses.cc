#include <openssl/core_names.h>
#include <openssl/rand.h>

#include <algorithm>

#include "eider/io/tls/server_responses.h"

namespace eider::detail::tls {

namespace {

// The results of the callback (SSL_CTX_set_tlsext_ticket_key_evp_cb).
constexpr int kFailed = -1;
constexpr int kUnknown = 0;  // no resumption; the full handshake follows
constexpr int kGood = 1;
constexpr int kGoodRenew = 2;

/// Fetched only once, because OpenSSL 3's look-up by name costs more than the cipher.
const EVP_CIPHER* ticket_cipher() {
  static const EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, "AES-256-CBC", nullptr);
  return cipher;
}

bool set_mac_key(EVP_MAC_CTX* mac, TicketKey& key) {
  std::string digest = "SHA256";
  const std::array<OSSL_PARAM, 3> parameters{
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key.mac.data(), key.mac.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), digest.size()),
      OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(mac, parameters.data()) == 1;
}

int protect_new(const ServerResponses& responses, unsigned char* name, unsigned char* iv,
                EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac) {
  // The newest key creates tickets, and all kept keys can read them.
  std::optional<TicketKey> key = responses.ticket_keys->newest(responses.clock.steady());
  const EVP_CIPHER* const method = ticket_cipher();
  if (!key || RAND_bytes(iv, EVP_CIPHER_get_iv_length(method)) != 1 || !set_mac_key(mac, *key) ||
      EVP_EncryptInit_ex2(cipher, method, key->cipher.data(), iv, nullptr) != 1) {
    return kFailed;
  }
  std::ranges::copy(key->name, name);
  return kGood;
}

int open_old(const SSL* ssl, const unsigned char* name, const unsigned char* iv,
             EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac) {
  const ServerResponses& responses = responses_of(ssl);
  auto found = responses.ticket_keys->find(
      std::span<const std::uint8_t, TicketKey::kNameBytes>(name, TicketKey::kNameBytes),
      responses.clock.steady());
  // If the key no longer exists, the client only needs a full handshake.
  if (!found) {
    return kUnknown;
  }
  if (!set_mac_key(mac, found->key) ||
      EVP_DecryptInit_ex2(cipher, ticket_cipher(), found->key.cipher.data(), iv, nullptr) != 1) {
    return kFailed;
  }
  // A ticket of TLS 1.3 is used only once, so that connections cannot be linked (RFC 8446, C.4):
  // the client always gets a new one.
  const bool is_spent = !found->is_newest || SSL_version(ssl) == TLS1_3_VERSION;
  return is_spent ? kGoodRenew : kGood;
}

}  // namespace

int protect_ticket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                   EVP_MAC_CTX* mac, int is_new) {
  return is_new != 0 ? protect_new(responses_of(ssl), name, iv, cipher, mac)
                     : open_old(ssl, name, iv, cipher, mac);
}

}  // namespace eider::detail::tls
