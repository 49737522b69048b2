#include "eider/auth/passkeys/ticket.h"

#include <openssl/evp.h>

#include <memory>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/signed_token.h"
#include "eider/core/base/text.h"
#include "eider/core/json/json.h"
#include "eider/io/tls/openssl.h"

namespace eider::detail::passkeys {

namespace {

constexpr std::size_t kTicketBytesMax = std::size_t{16} << 10U;

constexpr std::size_t kSaltBytes = 32;
constexpr std::size_t kTagBytes = 16;

using CipherPtr = std::unique_ptr<EVP_CIPHER_CTX, tls::Freer<&EVP_CIPHER_CTX_free>>;

/// AES-256-GCM under a key that is used once, so that its nonce may be all zeros.
CipherPtr new_cipher(std::string_view key, int is_encrypting) {
  constexpr unsigned char kNonce[12] = {};
  CipherPtr cipher(EVP_CIPHER_CTX_new());
  tls::ensure_memory(cipher.get());
  if (EVP_CipherInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, tls::octets(key), kNonce,
                        is_encrypting) != 1) {
    throw Failure(Error::internal("passkeys: AES-256-GCM: " + tls::take_openssl_error()));
  }
  return cipher;
}

/// The tag goes behind it.
std::string encrypted(std::string_view key, std::string_view plain) {
  const CipherPtr cipher = new_cipher(key, 1);
  std::string bytes(plain.size() + kTagBytes, '\0');
  int size = 0;
  const bool is_done =
      EVP_EncryptUpdate(cipher.get(), tls::octets(bytes), &size, tls::octets(plain),
                        static_cast<int>(plain.size())) == 1 &&
      EVP_EncryptFinal_ex(cipher.get(), tls::octets(bytes) + size, &size) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(kTagBytes),
                          tls::octets(bytes) + plain.size()) == 1;
  if (!is_done) {
    throw Failure(Error::internal("passkeys: AES-256-GCM: " + tls::take_openssl_error()));
  }
  return bytes;
}

/// Nothing for what that key has not encrypted. Pre: kTagBytes or more.
std::optional<std::string> decrypted(std::string_view key, std::string_view bytes) {
  const CipherPtr cipher = new_cipher(key, 0);
  std::string tag(bytes.substr(bytes.size() - kTagBytes));
  bytes.remove_suffix(kTagBytes);
  std::string plain(bytes.size() + kTagBytes, '\0');
  int size = 0;
  const bool is_done = EVP_DecryptUpdate(cipher.get(), tls::octets(plain), &size,
                                         tls::octets(bytes), static_cast<int>(bytes.size())) == 1 &&
                       EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG,
                                           static_cast<int>(kTagBytes), tls::octets(tag)) == 1 &&
                       EVP_DecryptFinal_ex(cipher.get(), tls::octets(plain) + size, &size) == 1;
  tls::forget_openssl_errors();
  plain.resize(bytes.size());
  return is_done ? std::optional(std::move(plain)) : std::nullopt;
}

std::unexpected<PasskeyError> bad_ticket(const char* text) {
  return fail(PasskeyError{PasskeyFault::bad_ticket, text});
}

}  // namespace

TicketSeal::TicketSeal(std::string space, std::vector<std::string> keys)
    : space_(std::move(space)), keys_(base::checked_keys("passkeys", std::move(keys))) {}

std::string TicketSeal::key_of(std::string_view key, std::string_view salt) const {
  std::string text("eider passkeys\n");
  text.append(space_).append("\n").append(salt);
  return std::string(to_view(hmac_sha256(key, text)));
}

std::string TicketSeal::seal(const Ticket& ticket) const {
  std::string salt = secret_bytes(kSaltBytes);
  const std::string sealed = encrypted(key_of(keys_.front(), salt), json::to_text(ticket));
  return to_base64url(salt + sealed);
}

Result<Ticket, PasskeyError> TicketSeal::open(std::string_view text, CeremonyKind kind,
                                              std::string_view browser, std::int64_t now) const {
  const auto bytes = text.size() > kTicketBytesMax ? std::nullopt : from_base64url(text);
  if (!bytes || bytes->size() < kSaltBytes + kTagBytes) {
    return bad_ticket("its ticket is invalid");
  }
  const std::string_view salt = std::string_view(*bytes).substr(0, kSaltBytes);
  std::optional<std::string> plain;
  for (std::size_t index = 0; !plain && index < keys_.size(); ++index) {
    plain = decrypted(key_of(keys_[index], salt), std::string_view(*bytes).substr(kSaltBytes));
  }
  auto ticket = plain ? json::read<Ticket>(*plain) : fail(Error::bad_request(""));
  if (!ticket) {
    return bad_ticket("its ticket was not issued by this server");
  }
  if (ticket->kind != kind) {
    return bad_ticket("its ticket was issued for another purpose");
  }
  if (!equals_in_constant_time(ticket->browser, digest_of(browser))) {
    return bad_ticket("its ticket belongs to another browser");
  }
  if (now >= ticket->ends) {
    return fail(PasskeyError{PasskeyFault::expired, "its ticket has expired"});
  }
  return std::move(*ticket);
}

std::string digest_of(std::string_view text) {
  return to_base64url(to_view(sha256(text)));
}

}  // namespace eider::detail::passkeys
