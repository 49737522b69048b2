#include "eider/tls/detail/kernel_share.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace eider::detail {

namespace {

std::size_t bytes_of(const tls_crypto_info& info) noexcept {
  switch (info.cipher_type) {
    case TLS_CIPHER_AES_GCM_128:
      return sizeof(tls12_crypto_info_aes_gcm_128);
    case TLS_CIPHER_AES_GCM_256:
      return sizeof(tls12_crypto_info_aes_gcm_256);
    case TLS_CIPHER_CHACHA20_POLY1305:
      return sizeof(tls12_crypto_info_chacha20_poly1305);
    default:
      return 0;
  }
}

/// A number of eight bytes, the highest first.
void add(std::span<unsigned char, 8> number, std::uint64_t more) noexcept {
  for (std::size_t index = number.size(); index-- > 0;) {
    more += number[index];
    number[index] = static_cast<unsigned char>(more);
    more >>= 8U;
  }
}

}  // namespace

void RecordCounter::add(std::string_view sent) noexcept {
  while (!sent.empty()) {
    if (left_ == 0 && head_bytes_ < kHeadBytes) {
      head_[head_bytes_++] = static_cast<std::uint8_t>(sent.front());
      sent.remove_prefix(1);
      if (head_bytes_ < kHeadBytes) {
        continue;
      }
      left_ = std::size_t{head_[3]} << 8U | head_[4];
    }
    const std::size_t part = std::min(left_, sent.size());
    sent.remove_prefix(part);
    left_ -= part;
    if (left_ == 0) {
      head_bytes_ = 0;
      ++records_;
    }
  }
}

KernelShare::~KernelShare() {
  OPENSSL_cleanse(&keys_, sizeof(keys_));
  OPENSSL_cleanse(&next_, sizeof(next_));
}

void KernelShare::note_keys(const tls_crypto_info& info) noexcept {
  bytes_ = bytes_of(info);
  std::memcpy(&keys_, &info, bytes_);
  counter_ = {};
}

/// TLS 1.2 sends eight bytes of each nonce with the record, and any will do that were not used with
/// the key before (RFC 5288, section 3): the kernel counts in another half than OpenSSL has, so
/// that none can come twice. In TLS 1.3 they are part of the key, and the record's number differs.
template <class Aes>
void KernelShare::advance_aes(Aes& keys) noexcept {
  constexpr unsigned char kOtherHalf = 0x80;
  add(keys.rec_seq, counter_.records());
  if (keys.info.version == TLS_1_2_VERSION) {
    keys.iv[0] ^= kOtherHalf;
  }
}

std::string_view KernelShare::next_keys() noexcept {
  if (bytes_ == 0 || !counter_.is_between()) {
    return {};
  }
  next_ = keys_;
  switch (next_.info.cipher_type) {
    case TLS_CIPHER_AES_GCM_128:
      advance_aes(next_.aes_128);
      break;
    case TLS_CIPHER_AES_GCM_256:
      advance_aes(next_.aes_256);
      break;
    default:
      add(next_.chacha.rec_seq, counter_.records());
  }
  return {reinterpret_cast<const char*>(&next_), bytes_};
}

}  // namespace eider::detail
