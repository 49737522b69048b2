#include "eider/auth/passkeys/ticket.h"

#include <openssl/evp.h>

#include <memory>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/text.h"
#include "eider/core/json/json.h"
#include "eider/io/tls/openssl.h"

namespace eider::detail::passkeys {

namespace {

constexpr std::size_t kKeyBytes = 32;
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
    : space_(std::move(space)), keys_(std::move(keys)) {
  if (keys_.empty()) {
    keys_.push_back(secret_bytes(kKeyBytes));
  }
  for (const std::string& key : keys_) {
    if (key.size() < kKeyBytes) {
      throw Failure(Error::internal("passkeys: a key has 32 bytes or more, not " +
                                    std::to_string(key.size())));
    }
  }
}

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
    return bad_ticket("its ticket is none");
  }
  const std::string_view salt = std::string_view(*bytes).substr(0, kSaltBytes);
  std::optional<std::string> plain;
  for (std::size_t index = 0; !plain && index < keys_.size(); ++index) {
    plain = decrypted(key_of(keys_[index], salt), std::string_view(*bytes).substr(kSaltBytes));
  }
  auto ticket = plain ? json::read<Ticket>(*plain) : fail(Error::bad_request(""));
  if (!ticket) {
    return bad_ticket("its ticket was not sealed here");
  }
  if (ticket->kind != kind) {
    return bad_ticket("its ticket is for something else");
  }
  if (!equals_in_constant_time(ticket->browser, digest_of(browser))) {
    return bad_ticket("its ticket is another browser's");
  }
  if (now >= ticket->ends) {
    return fail(PasskeyError{PasskeyFault::expired, "its ticket has ended"});
  }
  return std::move(*ticket);
}

std::string digest_of(std::string_view text) {
  return to_base64url(to_view(sha256(text)));
}

Result<void, PasskeyError> AnsweredChallenges::take(const std::string& challenge,
                                                    const std::string& user, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  while (!by_age_.empty() && by_age_.front().until <= now) {
    known_.erase(by_age_.front().challenge);
    const auto found = of_user_.find(by_age_.front().user);
    if (--found->second == 0) {
      of_user_.erase(found);
    }
    by_age_.pop_front();
  }
  if (known_.contains(challenge)) {
    return fail(PasskeyError{PasskeyFault::used, "its challenge has been answered before"});
  }
  if (known_.size() >= count_max_) {
    return fail(PasskeyError{PasskeyFault::busy, "too many challenges are answered at present"});
  }
  const auto found = of_user_.find(user);
  if (found != of_user_.end() && found->second >= kOfUserMax) {
    return fail(PasskeyError{PasskeyFault::busy, "one user answers too many challenges"});
  }
  known_.insert(challenge);
  ++of_user_[user];
  by_age_.push_back({.until = now + kept_s_, .challenge = challenge, .user = user});
  return {};
}

}  // namespace eider::detail::passkeys
